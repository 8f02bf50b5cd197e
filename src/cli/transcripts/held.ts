import type { Log } from "../../adapters/logs/logs.ts";
import { type Dict, isDict } from "../../core/base.ts";
import { reasonOf } from "../../core/errors-and-events.ts";
import { agentScope, homeOf, type Identity } from "../../core/identity.ts";
import { maskSlowly } from "../../core/secrets/mask.ts";
import type { ArchivedFile } from "../../tidemark/upkeep/archive-pages.ts";
import { fileOf, shown } from "../../workspace/disk/folder.ts";
import { Failure } from "../input/flags.ts";
import { some } from "../render/layout.ts";
import { exported } from "./chatgpt-and-claude.ts";
import { piecesIn } from "./json-values.ts";
import { type ForeignMemory, memoriesIn, memoriesOf } from "./memories.ts";
import { type Conversation, conversationsIn, fromLog, NoConversation } from "./read.ts";
import { type Source, sourcesAt } from "./sources.ts";

/** What a path holds, one after the other; `left`: what is left out, as one and as many. */
export type Held =
  | { readonly conversation: Conversation }
  | { readonly memory: ForeignMemory }
  | { readonly page: ArchivedFile }
  | { readonly left: readonly [one: string, more: string]; readonly many?: number }
  | { readonly wrong: string }
  | { readonly unread: readonly string[] };

const EXPECTED =
  "expected are messages in Anthropic or OpenAI form (an array, or an object with " +
  '"messages"), a log of Claude Code or Codex, an export of ChatGPT or Claude.ai, ' +
  "memories of mem0, or a workspace of OpenClaw";

function noJson(text: string): string {
  if (text.trim() === "") return "an empty file";
  return text.includes("\u0000") ? "a file that is not text" : "text that is not JSON";
}

/** Throws a Failure of one sentence where the path holds nothing that is known. */
export async function* heldAt(path: string, identity: Identity): AsyncGenerator<Held> {
  const [unread, wrong]: [string[], string[]] = [[], []];
  let isKnown = false;
  for await (const source of sourcesAt(path, (name) => unread.push(name)))
    try {
      for await (const one of source.page === undefined
        ? valuesOf(source, identity)
        : onPage(source, source.page, identity)) {
        isKnown ||= !("wrong" in one);
        if ("wrong" in one) wrong.push(one.wrong);
        else yield one;
      }
    } catch (thrown) {
      if (thrown instanceof Failure) throw thrown;
      const isOther = thrown instanceof NoConversation;
      const why = isOther
        ? `found ${thrown.message}`
        : `cannot be read to its end (${reasonOf(thrown)})`;
      // Of a folder many a file begins as a log and holds no conversation yet.
      if (isOther && source.path !== path) unread.push(source.name);
      else wrong.push(`${source.path}: ${why}`);
    }
  if (!isKnown)
    throw new Failure(`${wrong[0] ?? `${path}: found nothing that is known`}; ${EXPECTED}.`);
  for (const one of wrong) yield { wrong: one };
  if (unread.length > 0) yield { unread };
}

async function* valuesOf(source: Source, identity: Identity): AsyncGenerator<Held> {
  const rows: unknown[] = [];
  const memories: ForeignMemory[] = [];
  let isKnown = false;
  for await (const piece of piecesIn(source)) {
    if ("wrong" in piece) yield { wrong: `${source.path}: ${piece.wrong}` };
    if ("text" in piece) throw new NoConversation(noJson(piece.text));
    if (!("value" in piece)) continue;
    const value = isDict(piece.value) ? piece.value : {};
    const [log, kept] = [exported(value), memoriesOf(value)];
    isKnown ||= log !== undefined || kept !== undefined;
    if (log !== undefined) yield* chat(source, log);
    else if (kept === undefined) rows.push(piece.value);
    else {
      memories.push(...kept.rows);
      for (const row of kept.other) yield { left: lacking(row) };
    }
  }
  if (!isKnown) yield* had(source, conversationsIn(rows));
  else if (rows.length > 0)
    yield { left: ["item of another kind", "items of another kind"], many: rows.length };
  const owners = [...new Set(memories.flatMap(({ owner }) => owner ?? []))];
  for (const memory of memories) {
    const { owner = identity.user } = memory;
    if (owners.length < 2 || owner === identity.user) yield { memory };
    else yield { left: ofOthers(owners) };
  }
}

/** A schema of a user's own. */
const lacking = (row: Dict): readonly [string, string] => {
  const has = `with no "memory" in it, but ${some(Object.keys(row), 5) || "nothing"}`;
  return [`row ${has}`, `rows ${has}`];
};

const ofOthers = (owners: readonly string[]): readonly [string, string] => {
  const whose = `of several users (${some(owners, 5)}): --user takes those of one`;
  return [`memory ${whose}`, `memories ${whose}`];
};

function* chat(source: Source, log: Log): Generator<Held> {
  try {
    yield* had(source, [fromLog(log)]);
  } catch (thrown) {
    if (!(thrown instanceof NoConversation)) throw thrown;
    yield { left: ["conversation without a reply", "conversations without a reply"] };
  }
}

function* had({ name }: Source, all: readonly Conversation[]): Generator<Held> {
  for (const [nth, one] of all.entries()) {
    const id = one.id || `${name}${nth === 0 ? "" : ` ${nth + 1}`}`;
    yield { conversation: { ...one, id } };
    if (nth === 0 && one.dropped > 0)
      yield { left: ["dropped branch", "dropped branches"], many: one.dropped };
  }
}

/** Characters of a page that is read. */
const LONGEST_PAGE = 1_000_000;

async function* onPage(source: Source, page: string, identity: Identity): AsyncGenerator<Held> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of await source.read()) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > LONGEST_PAGE) throw new Error("it is longer than a page");
  }
  if (page === "MEMORY.md") for (const memory of memoriesIn(text, "openclaw")) yield { memory };
  else {
    const isUsers = page === "USER.md" || page.startsWith("memory/");
    const file = shown(fileOf(isUsers ? homeOf(identity) : agentScope(identity), page));
    // An agent wrote the notes of its days, and may have noted a key.
    yield { page: { file, text: page.startsWith("memory/") ? await maskSlowly(text) : text } };
  }
}
