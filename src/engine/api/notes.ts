import { isDict } from "../../base/guards.ts";
import { wholeCharacters } from "../../model/checks.ts";
import { shown, TidemarkError } from "../../model/errors.ts";
import { agentScope, type Scope } from "../../model/identity.ts";
import { type Act } from "../../model/rights.ts";
import { checkScope } from "../../memory/saving/check.ts";
import { LARGEST, type NotePlace, type Notes } from "../../workspace/documents/notes.ts";
import { proposedIn } from "../journal/proposed.ts";
import { type NotesApi } from "../options/notes-api.ts";
import { type Core, type Who } from "../session/core.ts";
import { atBorder } from "./border.ts";
import { promoteNote } from "./note-promotion.ts";

/** The notes an identity may write, without secrets in texts or names. */
export async function notesOf(core: Core, who: Who): Promise<Notes> {
  const mask = await core.mask();
  const { notes } = core.workspace;
  const reach = { scopes: who.scopes, rights: await who.rights() };
  const admit = (act: Act, { scope, path }: NotePlace): void => {
    checkScope(scope, reach, act);
    if (mask(path) !== path)
      throw new TidemarkError(
        "config",
        "The name of the note holds what looks like a secret. Choose another name.",
      );
  };
  return {
    ...notes,
    async write(place, change) {
      admit("add", place);
      return notes.write(place, (text) => {
        if (text !== undefined) admit("change", place);
        const after = change(text);
        // What is refused for its size need not be read for secrets first.
        return after === undefined || after.length > LARGEST ? after : mask(after);
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
export function notesApi(core: Core, open: () => Promise<Who>): NotesApi {
  /** Undefined for a scope out of sight. */
  const found = async (name: string, scope: Scope | undefined) => {
    const who = await open();
    const place = { scope: scope ?? agentScope(who.identity), path: name };
    return who.scopes.includes(place.scope)
      ? { notes: await notesOf(core, who), place }
      : undefined;
  };
  return atBorder(core, "notes.", {
    async write(name, text, { scope } = {}) {
      const path = checkName("write", name);
      if (typeof text !== "string")
        throw new TidemarkError("config", `notes.write takes a text to write, got ${shown(text)}.`);
      const who = await open();
      const place = { scope: scope ?? agentScope(who.identity), path };
      await (await notesOf(core, who)).write(place, () => text);
    },
    async read(name, { scope } = {}) {
      const path = checkName("read", name);
      const at = await found(path, scope);
      return at?.notes.read(at.place);
    },
    async list({ scope } = {}) {
      const who = await open();
      const scopes = scope === undefined ? who.scopes : who.scopes.filter((one) => one === scope);
      const lists = await Promise.all(scopes.map((one) => core.workspace.notes.list(one)));
      return lists.flat();
    },
    async remove(name, { scope } = {}) {
      const path = checkName("remove", name);
      const at = await found(path, scope);
      if (at === undefined) return false;
      const standing = await at.notes.look(at.place);
      if (standing?.kind === "folder")
        throw new TidemarkError(
          "config",
          `${path} is a folder. Remove the notes in it by their names.`,
        );
      return at.notes.remove(at.place);
    },
    async promote(name, options) {
      const path = checkName("promote", name);
      if (!isDict(options))
        throw new TidemarkError(
          "config",
          `notes.promote takes a name and { to: "team:crew" }, got ${shown(options)}.`,
        );
      const who = await open();
      const { scope = agentScope(who.identity), to } = options;
      return promoteNote(core, who, { from: { scope, path }, to });
    },
  });
}

/** Bytes most file systems let a name have. */
const LONGEST = 255;

/** Throws "config" for what cannot name a note. */
function checkName(method: string, name: unknown): string {
  const refuse = (what: string): never => {
    throw new TidemarkError("config", `notes.${method}: ${what}`);
  };
  if (typeof name !== "string" || name === "")
    return refuse(`a note is named by a text such as "ideas/cats.md", got ${shown(name)}.`);
  wholeCharacters(name, `notes.${method}`);
  if (/[\u0000-\u001f\u007f]/.test(name))
    return refuse(`${shown(name)} holds a control character. Choose another name.`);
  const parts = name.split("/");
  const long = parts.find((part) => Buffer.byteLength(part) > LONGEST);
  if (long !== undefined)
    return refuse(
      `a part of the name has ${Buffer.byteLength(long)} bytes and may have ${LONGEST}. Choose a shorter one.`,
    );
  if (parts.includes("..") || name.startsWith("/") || name.includes("\\"))
    return refuse(
      `${shown(name)} leads out of the notes. Name a note from their top, as in "ideas/cats.md".`,
    );
  if (parts.some((part) => part === "" || part.startsWith(".")))
    return refuse(`${shown(name)} has a part that is empty or hidden. Choose another name.`);
  return name;
}
