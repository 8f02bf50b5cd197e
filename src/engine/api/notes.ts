import { isDict } from "../../base/guards.ts";
import { wholeCharacters } from "../../model/checks.ts";
import { shown, refuse } from "../../model/errors.ts";
import { agentScope, type Scope } from "../../model/identity.ts";
import type { Act } from "../../model/rights.ts";
import { checkScope } from "../../memory/saving/check.ts";
import { LARGEST, type NotePlace, type Notes } from "../../workspace/documents/notes.ts";
import { proposedIn } from "../journal/proposed.ts";
import type { NotesApi } from "../options/knowledge-api.ts";
import type { Core, Who } from "../session/core.ts";
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
      refuse("The name of the note holds what looks like a secret. Choose another name.");
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
  const find = async (method: string, name: unknown, scope: Scope | undefined) => {
    const path = checkName(method, name);
    const who = await open();
    const place = { scope: scope ?? agentScope(who.identity), path };
    return {
      who,
      place,
      inSight: who.scopes.includes(place.scope),
      notes: await notesOf(core, who),
    };
  };
  return atBorder(core, "notes.", {
    async write(name, text, { scope } = {}) {
      const { notes, place } = await find("write", name, scope);
      if (typeof text !== "string")
        refuse(`notes.write takes a text to write, got ${shown(text)}.`);
      await notes.write(place, () => text);
    },
    async read(name, { scope } = {}) {
      const { notes, place, inSight } = await find("read", name, scope);
      return inSight ? notes.read(place) : undefined;
    },
    async list({ scope } = {}) {
      const who = await open();
      const scopes = scope === undefined ? who.scopes : who.scopes.filter((one) => one === scope);
      const lists = await Promise.all(scopes.map((one) => core.workspace.notes.list(one)));
      return lists.flat();
    },
    async remove(name, { scope } = {}) {
      const { notes, place, inSight } = await find("remove", name, scope);
      if (!inSight) return false;
      if ((await notes.look(place))?.kind === "folder")
        refuse(`${place.path} is a folder. Remove the notes in it by their names.`);
      return notes.remove(place);
    },
    async promote(name, options) {
      if (!isDict(options))
        refuse(`notes.promote takes a name and { to: "team:crew" }, got ${shown(options)}.`);
      const { who, place } = await find("promote", name, options.scope);
      return promoteNote(core, who, { from: place, to: options.to });
    },
  });
}

/** Bytes most file systems let a name have. */
const LONGEST = 255;

/** Throws "config" for what cannot name a note. */
function checkName(method: string, name: unknown): string {
  const wrong = (what: string): never => refuse(`notes.${method}: ${what}`);
  if (typeof name !== "string" || name === "")
    return wrong(`a note is named by a text such as "ideas/cats.md", got ${shown(name)}.`);
  wholeCharacters(name, `notes.${method}`);
  if (/[\u0000-\u001f\u007f]/.test(name))
    return wrong(`${shown(name)} holds a control character. Choose another name.`);
  const parts = name.split("/");
  const long = parts.find((part) => Buffer.byteLength(part) > LONGEST);
  if (long !== undefined)
    return wrong(
      `a part of the name has ${Buffer.byteLength(long)} bytes and may have ${LONGEST}. Choose a shorter one.`,
    );
  if (parts.includes("..") || name.startsWith("/") || name.includes("\\"))
    return wrong(
      `${shown(name)} leads out of the notes. Name a note from their top, as in "ideas/cats.md".`,
    );
  if (parts.some((part) => part === "" || part.startsWith(".")))
    return wrong(`${shown(name)} has a part that is empty or hidden. Choose another name.`);
  return name;
}
