import { proposedIn, type Waiting } from "../compaction/journal/proposal-list.ts";
import { isTidemarkError, refuse, shown } from "../core/errors-and-events.ts";
import type { Act, Scope } from "../core/identity.ts";
import { mask, maskSlowly } from "../core/secrets/mask.ts";
import { digest } from "../core/text/cut.ts";
import { checkScope } from "../memory/saving/check.ts";
import type { Ground, Kept, Who } from "../session/ports.ts";
import type { NotesApi } from "../session/options/knowledge-api.ts";
import {
  LARGEST,
  type NoteInfo,
  type NotePlace,
  type Notes,
} from "../workspace/documents/notes.ts";
import { atBorder } from "./public-calls.ts";

/** The scope, where the identity may act so in it; else rejects. */
export const allowed = async (who: Who, scope: unknown, act: Act): Promise<Scope> =>
  checkScope(scope, { scopes: who.scopes, rights: await who.rights() }, { act });

/** The notes an identity may write, without secrets in texts or names. */
export async function notesOf(core: Ground & Kept, who: Who): Promise<Notes> {
  const { notes } = core.workspace;
  const reach = { scopes: who.scopes, rights: await who.rights() };
  const admit = (act: Act, { scope, path }: NotePlace): void => {
    checkScope(scope, reach, { act });
    if (mask(path) !== path)
      refuse("The name of the note holds what looks like a secret. Choose another name.");
  };
  return {
    ...notes,
    async write(place, change) {
      admit("add", place);
      return notes.write(place, async (text) => {
        if (text !== undefined) admit("change", place);
        const after = await change(text);
        // A text that is refused for its size need not be read for secrets first.
        return after === undefined || after.length > LARGEST ? after : maskSlowly(after);
      });
    },
    async makeFolder(place) {
      admit("add", place);
      return notes.makeFolder(place);
    },
    async move(from, to) {
      admit("forget", from);
      admit("add", to);
      await notes.move(from, to);
      await proposedIn(core.workspace).dropNote(from);
    },
    async remove(place) {
      admit("forget", place);
      const gone = await notes.remove(place);
      if (gone) await proposedIn(core.workspace).dropNote(place);
      return gone;
    },
  };
}

/** Notes as the host sees them. */
export function notesApi(core: Ground & Kept, open: () => Promise<Who>): NotesApi {
  const find = async (path: string, scope: Scope | undefined) => {
    const who = await open();
    const place = { scope: scope ?? who.home, path };
    return {
      who,
      place,
      inSight: who.scopes.includes(place.scope),
      notes: await notesOf(core, who),
    };
  };
  return atBorder(core, "notes.", {
    async write(name, text, { scope } = {}) {
      const { notes, place } = await find(name, scope);
      await notes.write(place, () => text);
    },
    async read(name, { scope } = {}) {
      const { notes, place, inSight } = await find(name, scope);
      return inSight ? notes.read(place) : undefined;
    },
    async list({ scope } = {}) {
      const who = await open();
      const scopes = scope === undefined ? who.scopes : who.scopes.filter((one) => one === scope);
      const lists = await Promise.all(scopes.map((one) => core.workspace.notes.list(one)));
      return lists.flat();
    },
    async remove(name, { scope } = {}) {
      const { notes, place, inSight } = await find(name, scope);
      if (!inSight) return false;
      if ((await notes.look(place))?.kind === "folder")
        refuse(`${place.path} is a folder. Remove the notes in it by their names.`);
      return notes.remove(place);
    },
    /** Moves it, or proposes it where the identity may only do that. */
    async promote(name, { to, scope }) {
      const { who, notes, place: from } = await find(name, scope);
      if (await movesAtOnce(who, to)) return moveNote(core, who, { from, to });
      const standing = await promotable(core, who, from, to);
      if (from.scope === to) return standing;
      // One that is too long to be read would wait unseen.
      const words = digest(mask((await notes.read(from)) ?? ""));
      const proposal = await propose(core, who, { kind: "note", note: from, to, words });
      return { ...standing, proposal };
    },
  });
}

/**
 * Is a move there due at once? One that may not even be proposed rejects with "config" or
 * "scope-denied".
 */
export async function movesAtOnce(who: Who, to: Scope): Promise<boolean> {
  if ((await who.rights()).may("promote", to)) return true;
  await allowed(who, to, "propose");
  return false;
}

/** Has something wait to be accepted; answers under which id. */
export async function propose(
  core: Ground & Kept,
  who: Who,
  what: Omit<Waiting, "from" | "at">,
): Promise<string> {
  const { role: _asked, ...from } = who.identity;
  return proposedIn(core.workspace).add(core.newId(), { ...what, from, at: core.now() });
}

/**
 * Puts a note into another scope under its name, where that is due at the last moment, too. It
 * stays the same file; its old versions stay with the scope they were in. What stands there out of
 * sight is not told: the note gets a name beside it.
 */
export async function moveNote(
  core: Ground & Kept,
  who: Who,
  { from, to, due }: { from: NotePlace; to: Scope; due?: () => Promise<void> },
): Promise<NoteInfo> {
  const { notes } = core.workspace;
  await allowed(who, to, "promote");
  return notes.alone(async () => {
    const before = await promotable(core, who, from, to);
    if (from.scope === to) return before;
    await due?.();
    // A person may have written a secret into it, where only they would see it.
    await notes.write(from, (text) => (text === undefined ? undefined : mask(text)));
    const isTaken = (await notes.look({ scope: to, path: from.path })) !== undefined;
    const named = from.path.replace(/(\.[^./]+)?$/, `-${core.newId().slice(-7)}$1`);
    await notes.move(from, { scope: to, path: isTaken ? named : from.path });
    await proposedIn(core.workspace).dropNote(from);
    return { ...before, scope: to };
  });
}

/**
 * The note that may be moved: in sight, its mover's to change, and none of its name where it goes.
 */
async function promotable(
  core: Ground & Kept,
  who: Who,
  from: NotePlace,
  to: Scope,
): Promise<NoteInfo> {
  const { notes } = core.workspace;
  const standing = who.scopes.includes(from.scope) ? await notes.info(from) : undefined;
  if (standing === undefined)
    refuse(`There is no note ${shown(from.path)} to promote.`, "not-found");
  await allowed(who, from.scope, "change");
  const isTaken =
    from.scope !== to &&
    who.scopes.includes(to) &&
    (await notes.look({ scope: to, path: from.path })) !== undefined;
  if (isTaken)
    refuse(
      `${to} has a note ${shown(from.path)} already: add what is new to that one, or ` +
        "give this one another name.",
      "conflict",
    );
  return standing;
}

/** A note that waits, as one reads it who decides; undefined where it is gone or was moved. */
export async function waitingNote(
  core: Ground & Kept,
  note: NotePlace,
): Promise<(NoteInfo & { text: string }) | undefined> {
  try {
    const { notes } = core.workspace;
    const standing = await notes.info(note);
    const text = standing && (await notes.read(note));
    return standing && text !== undefined ? { ...standing, text: mask(text) } : undefined;
  } catch (thrown) {
    // One that has grown too long to be read is not decided about.
    if (isTidemarkError(thrown)) return undefined;
    throw thrown;
  }
}
