import { isDict } from "../../base/guards.ts";
import { shown, refuse } from "../../model/errors.ts";
import { type Mask } from "../../secrets/mask.ts";
import { type TaskInput } from "../options/task-types.ts";

/** Characters of a description, of notes and of a result. */
export const LONGEST = 100_000;
const LONGEST_ID = 200;

/** A task as it was given, checked; its id may be one that was made for it. */
export type GivenTask = Required<Pick<TaskInput, "description" | "id">> & TaskInput;

/** The memory that says a task is open. */
export const openKey = (id: string): string => `conversation/task:${id}/open-request`;

/** Throws "config" for what is no text of a bearable length. */
export function checkText(value: unknown, name: string): string {
  if (typeof value === "string" && value.trim() !== "" && value.length <= LONGEST) return value;
  refuse(`task: ${name} must be a text of 1 to ${LONGEST} characters, got ${shown(value)}.`);
}

export function checkTask(
  input: unknown,
  { newId, mask }: { newId: () => string; mask: Mask },
): GivenTask {
  if (!isDict(input)) refuse(`task takes { description }, got ${shown(input)}.`);
  const { description, id, notes, repeat, tokens } = input as unknown as TaskInput;
  if (id !== undefined && !isId(id))
    refuse(
      `task({ id }) must be 1 to ${LONGEST_ID} characters on one line without "/", got ${shown(id)}.`,
    );
  if (id !== undefined && mask(openKey(id)) !== openKey(id))
    refuse("The id of the task holds what looks like a secret. Choose another id.");
  if (repeat !== undefined && typeof repeat !== "boolean")
    refuse(`task({ repeat }) must be true or false, got ${shown(repeat)}.`);
  return {
    description: checkText(description, "description"),
    id: id ?? newId(),
    notes: notes === undefined ? undefined : checkText(notes, "notes"),
    repeat,
    tokens,
  };
}

const isId = (id: unknown): id is string =>
  typeof id === "string" && /^[^\p{Cc}\p{Cs}/]+$/u.test(id) && id.length <= LONGEST_ID;
