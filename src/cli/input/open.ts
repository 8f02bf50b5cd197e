import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { TidemarkEvent } from "../../model/events.ts";
import { openTidemark } from "../../engine/open.ts";
import type { Tidemark } from "../../engine/options/types.ts";
import { Failure } from "./failure.ts";
import { isWorkspace, USUAL } from "./find.ts";
import type { VerbAnswer, Given, Verb } from "./flags.ts";
import type { Io } from "../render/io.ts";
import { plain } from "../render/layout.ts";

interface Opening {
  readonly hear?: (event: TidemarkEvent) => void;
  /** A verb that writes makes the workspace where none was named or found; "any": a named one. */
  readonly makes?: "usual" | "any";
}

export const MAKES: Opening = { makes: "usual" };

/** Opens what is there. */
export async function withWorkspace<T>(
  given: Pick<Given, "place" | "identity">,
  io: Io,
  work: (tidemark: Tidemark) => Promise<T>,
  { hear, makes }: Opening = {},
): Promise<T> {
  const { place, identity } = given;
  const { workspace } = place;
  if (makes === "any" || (makes && workspace === USUAL)) sayMissing(place, io);
  else needWorkspace(workspace);
  const tell = teller(io);
  const tidemark = await openTidemark({
    ...place,
    identity,
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
  (
    ask: (tidemark: Tidemark, given: Given, io: Io) => Promise<VerbAnswer>,
    opening?: Opening,
  ): Verb["run"] =>
  (given, io) =>
    withWorkspace(given, io, (tidemark) => ask(tidemark, given, io), opening);

/** A person who stands in another folder than they think learns it before a second memory is. */
export function sayMissing({ workspace }: Pick<Given, "workspace">, io: Io): void {
  if (workspace === USUAL && !isWorkspace(workspace))
    io.warn(`tidemark: made a workspace: ${resolve(workspace)}`);
}

/** Throws Failure with what to do where there is none. */
export function needWorkspace(folder: string): void {
  if (isWorkspace(folder)) return;
  const there = existsSync(folder);
  if (there && !statSync(folder).isDirectory())
    throw new Failure(`${folder} is a file; --workspace names a folder.`);
  if (folder === USUAL && !there)
    throw new Failure(
      'there is no workspace here or further up: make one with "tidemark init", or name one ' +
        "with --workspace.",
    );
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
