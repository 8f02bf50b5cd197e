import { parsed } from "../../core/base.ts";
import type { Scope } from "../../core/identity.ts";
import { dayOf } from "../../core/memory.ts";
import { cleaned, oneLine } from "../../core/text/cut.ts";
import { linesOf, unclosedFence } from "../../core/text/markdown.ts";
import { fileOf, type Folder, safeName } from "../disk/folder.ts";
import { type PagePiece, piecesOf, piecesOfErrors } from "./chunks.ts";

/** A message as a person reads it. */
export interface SaidPart {
  /** "Tool" for what a tool answered. */
  readonly speaker: string;
  /** ms since epoch */
  readonly at: number;
  readonly text: string;
}

export interface SaidTogether {
  readonly id: string;
  readonly name?: string;
  readonly began: number;
  /** Messages of the conversation; each may be said in two parts here, words and results. */
  readonly messages: number;
  readonly said: readonly SaidPart[];
}

/** The folder of these pages in each scope. */
export const CONVERSATIONS = "conversations";

const TOOL = "Tool";
/** A line like this begins each message. No line of a message's own may look so. */
const OPENING = /^## (\d+)\. ([^·]*) · \S+$/;
const LIKE_ONE = /^(?=\\*## \d+\. )/;

const iso = (at: number): string => new Date(at).toISOString();

/** The whole page: made of the same conversation it is the same text. */
export function conversationPage({ id, name, began, messages, said }: SaidTogether): string {
  const title = name === undefined ? `Conversation of ${dayOf(began)}` : oneLine(name);
  const head = [
    "---",
    `id: ${JSON.stringify(id)}`,
    name === undefined ? [] : `name: ${JSON.stringify(title)}`,
    `began: ${iso(began)}`,
    `messages: ${messages}`,
    "---",
    "",
    `# ${title}`,
  ].flat();
  const parts = said.map(
    ({ speaker, at, text }, index) =>
      `\n## ${index + 1}. ${oneLine(speaker).replaceAll("·", "_")} · ` +
      `${iso(at).slice(0, 16)}Z\n\n${bodyOf(text)}`,
  );
  return `${[...head, ...parts].join("\n")}\n`;
}

/** The text between two headings of ours: code in it ends in it. */
function bodyOf(text: string): string {
  const lines = cleaned(text)
    .trim()
    .split("\n")
    .map((line) => line.replace(LIKE_ONE, "\\"));
  return lines.concat(unclosedFence(lines) ?? []).join("\n");
}

/** How many messages a page says it holds; undefined for one of another kind. */
export function messagesOn(start: string): { id: string; messages: number } | undefined {
  const [, quoted = "", messages] =
    /^---\nid: ("[^\n]*")\n[\s\S]*?\nmessages: (\d+)\n---\n/.exec(start) ?? [];
  const id = parsed(quoted);
  return typeof id === "string" ? { id, messages: Number(messages) } : undefined;
}

/**
 * Each message's passages below who spoke; what a tool answered is not vouched for. A page of a
 * person's own is read as it stands.
 */
export function piecesOfConversation(text: string): PagePiece[] {
  const parts: { speaker?: string; lines: string[] }[] = [{ lines: [] }];
  for (const line of linesOf(text)) {
    const [, , speaker] = OPENING.exec(line) ?? [];
    if (speaker !== undefined) parts.push({ speaker, lines: [] });
    parts.at(-1)?.lines.push(line);
  }
  return parts.flatMap(({ speaker, lines }) =>
    (speaker === TOOL ? piecesOfErrors : piecesOf)(lines.join("\n")),
  );
}

/** Characters of a page in which its head stands. */
const HEAD = 1_000;
/** Day and id. */
const NAME = /^conversations\/\d{4,}-\d\d-\d\d-(.+)\.md$/;

/**
 * The id, as it stands in a file's name, of the conversation a page is of; undefined for another
 * page.
 */
export const conversationIn = (path: string): string | undefined =>
  NAME.exec(path.replace(/^.*\/(?=conversations\/)/, ""))?.[1];

/**
 * Conversations as pages, each `DATE-ID.md` in the folder of its scope. All reject with
 * "workspace".
 */
export function conversationsIn(folder: Folder, settle: (scope: Scope) => Promise<unknown>) {
  /**
   * All pages, whatever a person has renamed them to; of those that bear another's name no more is
   * read.
   */
  async function pagesIn(scope: Scope, ids: ReadonlySet<string>) {
    const names = new Set([...ids].map(safeName));
    const found = [];
    for (const { place } of await folder.list(fileOf(scope, CONVERSATIONS))) {
      const named = conversationIn(place.path);
      const isOther = named !== undefined && !names.has(named);
      const start = isOther ? "" : await folder.read(place, { characters: HEAD, keep: "start" });
      const head = messagesOn(start ?? "");
      const name = named ?? (head && safeName(head.id));
      if (name !== undefined)
        found.push({ place, name, meant: names.has(name), messages: head?.messages });
    }
    return found;
  }

  return {
    /**
     * Whole or not at all, unless `stands` says, when no other process changes files, that there is
     * no such conversation any more.
     */
    write: (scope: Scope, page: SaidTogether, stands: () => Promise<boolean>) =>
      folder.alone(async () => {
        // The day it began, and its id: at one name for good.
        const name = `${dayOf(page.began)}-${safeName(page.id)}.md`;
        if (await stands())
          await folder.change(fileOf(scope, `${CONVERSATIONS}/${name}`), () =>
            conversationPage(page),
          );
      }),
    /** Their pages go, then `work` is done, with no writing of them in between. */
    remove: (ids: readonly string[], scope: Scope, work: () => Promise<unknown>) =>
      folder.alone(async () => {
        for (const { place, meant } of await pagesIn(scope, new Set(ids)))
          if (meant) await folder.remove(place);
        await settle(scope);
        await work();
      }),
    /**
     * Which conversations have a page in a scope, and of those that are `read` how many messages it
     * holds.
     */
    async held(scope: Scope, read: ReadonlySet<string>) {
      const held = new Map((await pagesIn(scope, read)).map((page) => [page.name, page]));
      return (id: string) => held.get(safeName(id));
    },
  };
}
