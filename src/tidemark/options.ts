import { z } from "zod";
import { TidemarkError } from "../model/errors.ts";
import { checkIdentity, type Identity } from "../model/identity.ts";
import { marksOf } from "../window/limits.ts";
import { type Options } from "./types.ts";

const callable = z.custom<(...args: never[]) => unknown>((value) => typeof value === "function", "must be a function");
const number = z.number();

const SHAPE = z.strictObject({
  workspace: z.union([z.string().min(1), z.literal(false)]).optional(),
  identity: z.looseObject({ role: z.enum(["worker", "lead", "human"]).optional() }).optional(),
  distil: z.union([callable, z.literal("extractive"), z.strictObject({ model: z.string().min(1).optional(), instructions: z.string().optional(), complete: callable.optional() })]).optional(),
  window: z
    .strictObject({ tokens: number, reserve: number, cap: number, flushAt: number, compactAt: number, brimAt: number, keepLast: number, patience: number })
    .partial()
    .optional(),
  inject: z.union([z.literal("context"), z.literal(false)]).optional(),
  cache: z.boolean().optional(),
  mode: z.enum(["on", "observe"]).optional(),
  listen: callable.optional(),
  now: callable.optional(),
});

/** Options are a program's, so a wrong one is refused at once, by name. */
export function checkOptions(options: Options): void {
  const checked = SHAPE.safeParse(options);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    const where = issue?.path.join(".") ?? "";
    throw new TidemarkError("config", `openTidemark: ${where === "" ? "the options" : `option "${where}"`}: ${issue?.message ?? "is not what it should be"}.`);
  }
  checkIdentity((options.identity ?? {}) as Identity);
  marksOf(options.window);
}
