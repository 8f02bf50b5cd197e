import { defined } from "../model/defined.ts";
import { type HistoryOptions } from "../engine/options/types.ts";
import { type Flags, type Given } from "./flags.ts";
import { type Io } from "./io.ts";

const KEPT = ["verbatim", "masked", "none"] as const;

export const historyFlag: Flags = {
  history: {
    takes: "HOW",
    says: "keep messages verbatim, masked (no secrets) or none; remembered",
  },
};

/** The key of an encrypted history: from the environment alone, because arguments can be seen by others. */
export function keyFrom({ env }: Pick<Io, "env">): { key?: string } {
  const key = env.TIDEMARK_HISTORY_KEY ?? "";
  return key === "" ? {} : { key };
}

/** As the command line says; what it leaves open is as the history was kept before. */
export function historyFrom(given: Given, io: Pick<Io, "env">): HistoryOptions {
  const keep = given.oneOf("history", KEPT);
  return { ...keyFrom(io), ...defined({ keep }) };
}
