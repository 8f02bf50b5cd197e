import { resolve } from "node:path";
import type { TidemarkEvent } from "../../core/errors-and-events.ts";
import { scopesOf } from "../../core/identity.ts";
import { isAddress } from "../../session/options/read-options.ts";
import type { Options, Tidemark } from "../../session/options/tidemark-api.ts";
import type { WorkspaceAt } from "../../storage/sqlite/database-file.ts";
import type { Owner } from "../../storage/whole.ts";
import { openTidemark, openToLook } from "../../tidemark/open-tidemark.ts";
import { ownersIn } from "../../tidemark/upkeep/forget-user.ts";
import { type Io, plain, some } from "../render/layout.ts";
import { count } from "../render/numbers.ts";
import { Failure, type Given, isWorkspace, USUAL, type Verb, type VerbAnswer } from "./flags.ts";

/** Owners named in one line. */
const NAMED = 5;

/** What is opened, as a person reads it: of an address neither user nor password. */
export function shownPlace(given: Given): string {
  const { store } = given;
  if (store === undefined) return given.workspace;
  const [base = "", query = ""] = store.split("?");
  const schema = new URLSearchParams(query).get("schema");
  return base.replace(/\/\/.*@/, "//") + (schema === null ? "" : `?schema=${schema}`);
}

/** Those who have memories. */
export const rememberedIn = (at: WorkspaceAt): Owner[] =>
  ownersIn(at, Date.now()).filter(({ memories }) => memories > 0);

/** "user ada (3 memories), agent sky (1 memory)". */
export const ownersNamed = (owners: readonly Owner[]): string =>
  some(
    owners.map(
      ({ scope, memories }) =>
        `${plain(scope.replace(":", " "))} (${count(memories, "memory", "memories")})`,
    ),
    NAMED,
  );

/**
 * Whose memories there are beside those this identity sees; none for a named one, which learns
 * nothing of others.
 */
export function othersThan(given: Given): Owner[] {
  if (given.store !== undefined || Object.keys(given.identity).length > 0) return [];
  const seen = new Set<string>(scopesOf(given.identity));
  return rememberedIn(given.place).filter(({ scope }) => !seen.has(scope));
}

/**
 * A sentence on whose memories there are, where a person may look for them in vain. Nothing where
 * there are no others. `verb` would show them.
 */
export function othersLine(given: Given, verb: string): string | undefined {
  const others = othersThan(given);
  const [first] = others;
  if (first === undefined) return undefined;
  const [, kind = "", id = ""] = /^(.+?):(.+)$/.exec(plain(first.scope)) ?? [];
  return (
    `Not shown: those of ${ownersNamed(others)}. To see them: tidemark ${verb} ` +
    `--${kind} "${id}"`
  );
}

interface Opening extends Pick<Options, "window" | "recall" | "embed"> {
  readonly hear?: (event: TidemarkEvent) => void;
  /** A verb that writes makes the workspace where none was named or found; "any": a named one. */
  readonly makes?: "usual" | "any";
}

export const MAKES: Opening = { makes: "usual" };

/** Opens what is there. */
export async function withWorkspace<T>(
  given: Pick<Given, "place" | "identity" | "store">,
  io: Io,
  work: (tidemark: Tidemark) => Promise<T>,
  { hear, makes, ...options }: Opening = {},
): Promise<T> {
  const { store, identity } = given;
  const place = store === undefined ? folderFor(given.place, io, makes) : { store };
  const tell = teller(io);
  const tidemark = await openTidemark({
    ...{ ...place, identity, ...options },
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

/**
 * Opens what is there to be looked at, and to work in when somebody first acts: until then nothing
 * is written.
 */
export async function watching<T>(
  { store, place }: Pick<Given, "place" | "store">,
  io: Io,
  work: (home: (acts: boolean) => Promise<Tidemark>) => Promise<T>,
): Promise<T> {
  if (store === undefined) needWorkspace(place.workspace);
  const options = { ...(store === undefined ? place : { store }), listen: teller(io) };
  const looked = await openToLook(options);
  let acting: Promise<Tidemark> | undefined;
  const home = async (acts: boolean): Promise<Tidemark> => {
    if (!acts) return acting ?? looked;
    acting ??= openTidemark(options);
    return acting.catch((thrown: unknown) => {
      acting = undefined;
      throw thrown;
    });
  };
  try {
    return await work(home);
  } finally {
    await (await acting)?.close();
    await looked.close();
  }
}

function folderFor(place: WorkspaceAt, io: Io, makes: Opening["makes"]): WorkspaceAt {
  const { workspace } = place;
  if (makes !== "any" && (makes === undefined || workspace !== USUAL)) needWorkspace(workspace);
  // A person who stands in another folder than they think learns it before a second memory is.
  if (workspace === USUAL && !isWorkspace(workspace))
    io.warn(`tidemark: makes a workspace: ${resolve(workspace)}`);
  return place;
}

/** The same for a verb that does nothing before. */
export const opened =
  (
    ask: (tidemark: Tidemark, given: Given, io: Io) => Promise<VerbAnswer>,
    opening?: Opening,
  ): Verb["run"] =>
  (given, io) =>
    withWorkspace(given, io, (tidemark) => ask(tidemark, given, io), opening);

/** Throws Failure with what to do where there is no such folder; a server says it by itself. */
export function needWorkspace(folder: string): void {
  if (isAddress(folder) || isWorkspace(folder)) return;
  throw new Failure(
    `there is no workspace at ${folder}: make one with "tidemark init --workspace ${folder}", ` +
      "which takes over the pages of a clone, or name another with --workspace.",
  );
}

/** Says what went wrong on the way, and what became of a person's own page, once each. */
export function teller(io: Io): (event: TidemarkEvent) => void {
  const told = new Set<string>();
  const say = (line: string): void => {
    if (!told.has(line)) io.warn(`tidemark: ${plain(line)}`);
    told.add(line);
  };
  return (event) => {
    if (event.type === "degraded") say(`${event.where}: ${event.error.split("\n")[0] ?? ""}`);
    if (event.type === "notice" && /^(?:page|adopted)$/.test(event.about)) say(event.text);
  };
}
