import { parsed } from "../../base/guards.ts";
import { dayOf } from "../../model/moment.ts";
import { cleaned, oneLine } from "../../text/cut.ts";
import { linesOf, unclosedFence } from "../../text/markdown.ts";
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
