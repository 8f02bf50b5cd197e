import { degraded, TidemarkError } from "../../core/errors-and-events.ts";
import type { Identity, Scope } from "../../core/identity.ts";
import type { Memory } from "../../core/memory.ts";
import { clip } from "../../core/text/cut.ts";
import { procedureParts } from "../../memory/extracting/procedure.ts";
import { valuesOf } from "../../memory/saving/commit.ts";
import type { Ground, Kept } from "../../session/ports.ts";
import type { NotePlace } from "../../workspace/documents/notes.ts";
import type { Skill } from "../../workspace/documents/skills.ts";
import type { Workspace } from "../../workspace/workspace.ts";

/** A proposal waits by name, so that a forgotten memory leaves no word here. */
export interface Waiting {
  readonly kind: "promotion" | "skill" | "note" | "ending";
  /** The id of a memory; or else a note. */
  readonly memory?: string;
  readonly note?: NotePlace;
  readonly to: Scope;
  /** The identity that proposes it; what is accepted is done as that one. */
  readonly from: Identity;
  /** ms since epoch. */
  readonly at: number;
  /** The digest of what the memory or note said when it was proposed. */
  readonly words?: string;
  /** The memory itself, where it dies with its process, and what is proposed does not. */
  readonly held?: Memory;
}
export type Named = readonly [id: string, waiting: Waiting];

/** More at once are too many to be read. */
const MOST_WAITING = 1_000;

/** Proposals as a workspace keeps them, the oldest first. */
export function proposedIn(workspace: Pick<Workspace, "keep" | "kept">) {
  const change = (work: (all: Named[]) => Named[]): Promise<void> =>
    workspace.keep("proposals", (text) => JSON.stringify(work(listed(text))));
  const all = async (): Promise<Named[]> => listed(await workspace.kept("proposals"));
  async function dropIf(isOver: (waiting: Waiting, id: string) => boolean): Promise<boolean> {
    let dropped = false;
    const split = (some: readonly Named[]): Named[] => {
      const left = some.filter(([id, waiting]) => !isOver(waiting, id));
      dropped = left.length < some.length;
      return left;
    };
    split(await all());
    if (dropped) await change(split);
    return dropped;
  }
  return {
    all,
    /**
     * Answers under which id it waits: what was proposed before is proposed as it stands now.
     * Rejects with "conflict" where too many wait.
     */
    async add(id: string, waiting: Waiting): Promise<string> {
      let under = id;
      await change((some) => {
        under = some.find(([, one]) => isSame(one, waiting))?.[0] ?? id;
        if (under !== id) return some.map((one) => (one[0] === under ? [under, waiting] : one));
        if (some.length >= MOST_WAITING)
          throw new TidemarkError(
            "conflict",
            `${MOST_WAITING} proposals wait already: have a lead or a person decide ` +
              "about some of them first.",
          );
        return [...some, [id, waiting]];
      });
      return under;
    },
    /** False: it waits no more. */
    drop: (id: string): Promise<boolean> => dropIf((_, other) => other === id),
    dropIf,
    /** A note that is gone leaves no name here, nor do those below it. */
    dropNote: ({ scope, path }: NotePlace): Promise<boolean> =>
      dropIf(
        ({ note }) =>
          note?.scope === scope && (note.path === path || note.path.startsWith(`${path}/`)),
      ),
  };
}

const isSame = (one: Waiting, other: Waiting): boolean =>
  one.kind === other.kind &&
  one.to === other.to &&
  one.memory === other.memory &&
  one.note?.scope === other.note?.scope &&
  one.note?.path === other.note?.path;

const listed = (text = "[]"): Named[] => JSON.parse(text) as Named[];

/** Characters of each half of a description. */
const FOR = 600;
const WHEN = 380;

/**
 * What was made of memories goes with them: skills, and what is proposed of them; and a skill says
 * what its memory does, where a person or the host has said that. `gone`: memories that were just
 * forgotten. Trouble is told.
 */
export async function settleMade(
  { store, workspace, emit }: Ground & Kept,
  gone: ReadonlySet<string> = new Set(),
): Promise<void> {
  try {
    const proposed = proposedIn(workspace);
    const made = await workspace.skills.made();
    const named = new Set([
      ...made.map(({ memory }) => memory),
      ...(await proposed.all()).flatMap(([, { memory }]) => memory ?? []),
    ]);
    if (named.size === 0) return;
    const kept = (await valuesOf(store, [...named])).filter(({ until }) => until === undefined);
    const current = new Map(kept.map(({ stored: { memory } }) => [memory.id, memory]));
    for (const skill of made) {
      const memory = current.get(skill.memory);
      if (memory === undefined) await workspace.skills.remove(skill);
      else if (memory.origin === "host" || memory.origin === "user")
        await workspace.skills.rewrite(skill, skillOf(memory));
    }
    await proposed.dropIf(
      ({ memory = "", held }) =>
        named.has(memory) && !current.has(memory) && (held === undefined || gone.has(memory)),
    );
  } catch (thrown) {
    emit(degraded("skills", thrown));
  }
}

/** A procedure as an agent reads it that may load it as a skill. */
export function skillOf({ id, content, at, source }: Memory): Skill {
  const { discovery, condition, action, rationale } = procedureParts(content);
  const when = condition === undefined ? "" : ` Use when: ${clip(condition, WHEN)}`;
  return {
    memory: id,
    title: discovery,
    description: `${clip(discovery, FOR)}${when}`,
    body: [
      "## What was found out",
      discovery,
      ...(condition === undefined ? [] : ["", "## When", condition]),
      ...(action.length === 0 ? [] : ["", "## What to do", ...action]),
      ...(rationale === undefined ? [] : ["", "## Why", rationale]),
    ],
    created: at,
    source,
  };
}
