import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { TidemarkEvent } from "../../model/events.ts";
import { openTidemark } from "../../engine/open.ts";
import type { WorkspaceAt } from "../../store/sqlite/connect.ts";
import type { Tidemark } from "../../engine/options/types.ts";
import { Failure } from "./failure.ts";
import type { VerbAnswer, Given, Verb } from "./flags.ts";
import type { Io } from "../render/io.ts";
import { plain } from "../render/layout.ts";

/** A folder Tidemark has been in. */
export const isWorkspace = (folder: string): boolean => existsSync(join(folder, ".tidemark"));

/** The workspace a verb is about, with the key from the environment. */
export const placeOf = ({ workspace }: Pick<Given, "workspace">, { env }: Io): WorkspaceAt => ({
  workspace,
  key: env.TIDEMARK_KEY || undefined,
});

/** For verbs that look: opens what is there, and makes nothing unless it `isMade`. */
export async function withWorkspace<T>(
  given: Pick<Given, "workspace" | "identity">,
  io: Io,
  work: (tidemark: Tidemark) => Promise<T>,
  { hear, isMade = false }: { hear?: (event: TidemarkEvent) => void; isMade?: boolean } = {},
): Promise<T> {
  if (!isMade) needWorkspace(given.workspace);
  const tell = teller(io);
  const tidemark = await openTidemark({
    ...placeOf(given, io),
    identity: given.identity,
    listen: (event) => {
      tell(event);
      hear?.(event);
    },
  });
  try {
    return await work(tidemark);
  } finally {
    await tidemark.close();
  }
}

/** The same for a verb that does nothing before. */
export const opened =
  (ask: (tidemark: Tidemark, given: Given, io: Io) => Promise<VerbAnswer>): Verb["run"] =>
  (given, io) =>
    withWorkspace(given, io, (tidemark) => ask(tidemark, given, io));

/** Throws Failure with what to do where there is none. */
export function needWorkspace(folder: string): void {
  if (isWorkspace(folder)) return;
  const there = existsSync(folder);
  if (there && !statSync(folder).isDirectory())
    throw new Failure(`${folder} is a file; --workspace names a folder.`);
  throw new Failure(
    `${there ? `${folder} is no workspace yet` : `there is no workspace at ${folder}`}: ` +
      `make one with "tidemark init --workspace ${folder}", or name another with ` +
      "--workspace.",
  );
}

export function teller(io: Io): (event: TidemarkEvent) => void {
  const told = new Set<string>();
  return (event) => {
    const line = lineOf(event);
    if (line === undefined) return;
    if (!told.has(line)) io.warn(line);
    told.add(line);
  };
}

function lineOf(event: TidemarkEvent): string | undefined {
  if (event.type === "degraded")
    return `tidemark: ${event.where}: ${plain(event.error.split("\n")[0] ?? "")}`;
  // A person needs to know when memory changed their own page, whichever verb came upon it.
  return event.type === "notice" && event.about === "page"
    ? `tidemark: ${plain(event.text)}`
    : undefined;
}
