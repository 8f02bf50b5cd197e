import type { Directory } from "../compaction/journal/identity-directory.ts";
import {
  type Named,
  proposedIn,
  skillOf,
  type Waiting,
} from "../compaction/journal/proposal-list.ts";
import { defined } from "../core/base.ts";
import { isTidemarkError, refuse, shown } from "../core/errors-and-events.ts";
import { agentScope, identityKey, type Scope } from "../core/identity.ts";
import type { Memory } from "../core/memory.ts";
import { clip, digest } from "../core/text/cut.ts";
import type { Ports, Who } from "../session/ports.ts";
import type { Promoted, Proposal, ProposalsApi } from "../session/options/knowledge-api.ts";
import type { NoteInfo } from "../workspace/documents/notes.ts";
import { moveNote, movesAtOnce, propose, waitingNote } from "./notes.ts";

type Deciding = Ports & { readonly directory: Directory };

/**
 * Moves a memory, or proposes it where the identity may only do that. Rejects with "not-found",
 * "config", "scope-denied", "conflict", "store" or "workspace".
 */
export const promoteApi =
  (core: Ports, open: () => Promise<Who>) =>
  async (id: string, options: { to: Scope }): Promise<Promoted> => {
    const who = await open();
    const { to } = options;
    if (await movesAtOnce(who, to)) return who.memories.promote(id, to);
    const memory = await who.memories.promotable(String(id), to);
    if (memory.scope === to) return memory;
    const held = core.level === "project" ? memory : undefined;
    const about = { memory: memory.id, words: digest(memory.content), ...defined({ held }) };
    const proposal = await propose(core, who, { kind: "promotion", to, ...about });
    return { ...memory, proposal };
  };

/** Deciding about what agents propose. */
export function proposalsApi(core: Deciding, open: () => Promise<Who>): ProposalsApi {
  const { directory } = core;
  const proposed = proposedIn(core.workspace);

  /** Those an identity decides about, and its own. */
  async function inSight(who: Who): Promise<Named[]> {
    const rights = await who.rights();
    return (await proposed.all()).filter(
      ([, { to, from }]) => rights.may("decide", to) || identityKey(from) === who.root,
    );
  }

  /** Without what is forgotten, or has moved meanwhile. */
  async function proposalOf([id, waiting]: Named): Promise<Proposal[]> {
    const { kind, to, from, at } = waiting;
    const by = agentScope(from);
    const says = (words: string) => ({ words, digest: digest(words) });
    if (kind === "note") {
      const note = waiting.note && (await waitingNote(core, waiting.note));
      return note === undefined ? [] : [{ id, kind, to, by, at, note, ...says(note.text) }];
    }
    const standing = await (await directory(from)).memories.get(waiting.memory ?? "");
    const memory = standing ?? waiting.held;
    if (memory === undefined || (kind === "promotion" && memory.scope === to)) return [];
    return [{ id, kind, to, by, at, memory, ...says(memory.content) }];
  }

  async function accept(id: string, shown?: Partial<Shown>): Promise<Memory | NoteInfo> {
    const who = await open();
    const [, waiting] = (await inSight(who)).find(([name]) => name === id) ?? unknown(id);
    if (!(await who.rights()).may("decide", waiting.to))
      refuse(
        `What is proposed for ${waiting.to} is accepted by a lead or a person: open ` +
          'Tidemark with identity.role "lead" or "human".',
        "scope-denied",
      );
    let claimed = false;
    const claim = async (): Promise<void> => {
      // A plan that is made anew asks again.
      claimed ||= await proposed.drop(id);
      // Another has decided meanwhile.
      if (!claimed) unknown(id);
    };
    try {
      return await carryOut(core, waiting, shown, claim);
    } catch (thrown) {
      if (isTidemarkError(thrown) && thrown.code === "not-found") {
        await proposed.drop(id);
        unknown(id, ": what it is about is gone");
      }
      if (claimed) await proposed.add(id, waiting);
      throw thrown;
    }
  }

  return {
    async list() {
      const who = await open();
      return (await Promise.all((await inSight(who)).map(proposalOf))).flat();
    },
    accept,
    async decline(id) {
      const who = await open();
      return (await inSight(who)).some(([name]) => name === id) && proposed.drop(id);
    },
  };
}

/** A proposal as it was read before it was accepted. */
type Shown = Pick<Proposal, "words" | "digest">;

/**
 * What is accepted is done as its proposer, with the rights of a person. `claim` decides at the
 * last moment, and rejects where another was faster; a skill can be written twice, so only then.
 */
async function carryOut(
  core: Deciding,
  waiting: Waiting,
  shown: Partial<Shown> | undefined,
  claim: () => Promise<void>,
): Promise<Memory | NoteInfo> {
  const { kind, from, memory: id = "", note, to } = waiting;
  const proposer = await core.directory({ ...from, role: "human" });
  const checked = (words: string): void => checkWords(words, waiting, shown);
  if (note !== undefined)
    return moveNote(core, proposer, {
      ...{ from: note, to },
      due: async () => {
        checked((await waitingNote(core, note))?.text ?? "");
        await claim();
      },
    });
  if (kind === "promotion")
    return proposer.memories.promote(
      id,
      to,
      async ({ content }) => {
        checked(content);
        await claim();
      },
      waiting.held,
    );
  const read = async (): Promise<Memory> => {
    const memory =
      (await proposer.memories.get(id)) ?? refuse(`There is no memory ${id}.`, "not-found");
    checked(memory.content);
    return memory;
  };
  const memory = await read();
  if (kind === "ending") {
    await claim();
    await proposer.memories.forget(id);
    return memory;
  }
  if (core.skills === undefined)
    refuse(
      "Where skills are written is not said: open Tidemark with procedures: { skills: FOLDER }.",
    );
  await core.workspace.skills.write(core.skills, async () => skillOf(await read()));
  await claim();
  return memory;
}

/** Characters of either text in the error. */
const SHOWN = 300;

/** What is accepted is what was read: as `list` showed it, else as it was proposed. */
function checkWords(now: string, proposed: Waiting, shown: Partial<Shown> = {}): void {
  const { words, digest: mark = words === undefined ? proposed.words : digest(words) } = shown;
  if (digest(now) === mark && (words ?? now) === now) return;
  const before =
    words === undefined
      ? "It was changed after it was proposed."
      : `It was shown as "${clip(words, SHOWN)}".`;
  refuse(
    `${before} It says now: "${clip(now, SHOWN)}". List the proposals again, and accept what ` +
      "is shown there, or decline it.",
    "conflict",
  );
}

function unknown(id: unknown, why = ""): never {
  refuse(`There is no proposal ${shown(id)} to decide about${why}.`, "not-found");
}
