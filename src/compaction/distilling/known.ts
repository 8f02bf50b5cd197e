import type { Message } from "../../core/request.ts";
import type { Known } from "../../memory/extracting/task.ts";
import type { Dialect } from "../../providers/common/dialect.ts";
import type { Who } from "../../session/ports.ts";

/** A distiller is shown so many memories, chosen by so many characters of the user's. */
const SHOWN = 20;
const CHOSEN_BY = 20_000;

/**
 * What is known that shares most with the user's words; nothing where it cannot be looked up. A
 * model is not shown what was quoted, which gives way to this reading or to its own.
 */
export const knownFor = (
  { memories }: Who,
  dialect: Dialect,
  messages: readonly Message[],
  by: "model" | "extractive" = "model",
): Promise<Known[]> => {
  const said = messages
    .flatMap((one) => (dialect.speaker(one) === "user" ? dialect.text(one) : []))
    .join("\n");
  return memories.akin(said.slice(-CHOSEN_BY), SHOWN, by === "extractive").catch(() => []);
};
