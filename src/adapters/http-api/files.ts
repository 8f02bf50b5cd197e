import { refuse } from "../../core/errors-and-events.ts";
import { rightsOf, type Scope, scopesOf } from "../../core/identity.ts";
import { mask } from "../../core/secrets/mask.ts";
import { digest } from "../../core/text/cut.ts";
import { folderOf, pageAt } from "../../workspace/disk/folder.ts";
import { conversationIn } from "../../workspace/documents/conversation-pages.ts";
import { readLine } from "../../workspace/pages/page-lines.ts";
import type { WorkspaceFile } from "../../workspace/search/page-rows.ts";
import { OPEN_FILES } from "../../workspace/workspace.ts";
import type { Tidemark } from "../../session/options/tidemark-api.ts";
import type { Handler } from "./fields.ts";
import { type ApiAsked, checkMatch } from "./route.ts";

/** Pages of conversations are shown as conversations. */
const all = async ({ tidemark, identity }: ApiAsked): Promise<WorkspaceFile[]> =>
  (await tidemark.workspace.files(scopesOf(identity))).filter(
    ({ path }) => conversationIn(path) === undefined,
  );

const infoOf = ({ path, scope, text }: WorkspaceFile) => ({
  ...{ path, scope, digest: digest(text) },
  learnt: path.endsWith("MEMORY.md") ? learntIn(text) : [],
});

/** First and last lines, from 1, of what was learnt and not written by a person. */
function learntIn(text: string): [number, number][] {
  const ranges: [number, number][] = [];
  for (const [at, row] of text.split("\n").entries()) {
    if (readLine(row)?.mark === undefined) continue;
    const last = ranges.at(-1);
    if (last?.[1] === at) last[1] = at + 1;
    else ranges.push([at + 1, at + 1]);
  }
  return ranges;
}

export const listFiles: Handler = async (_, { scope }, asked) =>
  (await all(asked)).filter((one) => (scope ?? one.scope) === one.scope).map(infoOf);

/** The path says which scope it is of. */
export const readFile: Handler = async (_, { path }, asked) => {
  const found = (await all(asked)).find((one) => one.path === path);
  return found && { ...infoOf(found), text: found.text };
};

/** Writes one of the files that are read and written as a whole, where the identity may. */
export const writeFile: Handler = async (view, input, asked) => {
  const { path, text }: Record<"path" | "text", string> = input;
  const { identity } = asked;
  const place = pageAt(path);
  const scope = scopesOf(identity).find((one) => folderOf(one) === place.base);
  const name = OPEN_FILES.find((one) => one === place.path);
  const read = () => readFile(view, input, asked);
  if (scope === undefined || name === undefined)
    return (await read()) && refuse(`${OPEN_FILES.join(", ")} are written here.`);
  if (!rightsOf(identity).may("change", scope))
    refuse(`This identity may not write in ${scope}.`, "scope-denied");
  const change = (now: string): string => {
    checkMatch(asked, now === "" ? "" : digest(now), { path, scope, text: now });
    if (mask(now) !== now)
      refuse("This page holds a secret that is not shown: take it out in the file.", "conflict");
    return text;
  };
  await view.workspace.edit(name, change, scope);
  return read();
};

/** A note with the digest that a change of it names. */
export const readNote = async ({ notes }: Tidemark, { name, scope }: NoteNamed) => {
  const text = await notes.read(name, { scope });
  return text === undefined ? undefined : { name, scope, text, digest: digest(text) };
};
interface NoteNamed {
  readonly name: string;
  readonly scope?: Scope;
}

/** Changes a note where the text that the caller has read still stands. */
const onNote =
  (change: Handler): Handler =>
  async (view, input, asked) => {
    const now = await readNote(view, input);
    checkMatch(asked, now?.digest, now);
    return change(view, input, asked);
  };

export const writeNote = onNote(async (view, input) => {
  const { name, text, scope } = input;
  await view.notes.write(name, text, { scope });
  return readNote(view, input);
});

export const removeNote = onNote(({ notes }, { name, scope }) => notes.remove(name, { scope }));
