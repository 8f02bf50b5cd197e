// A later request of the user in a real agent's conversation, asked for by half of its words.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { dialectFor } from "../../src/providers/detect.ts";
import { isDict } from "../../src/core/base.ts";
import type { Message } from "../../src/core/request.ts";
import { isStopword } from "../../src/core/text/terms.ts";

const FOLDER = join(import.meta.dirname, "../../../shared/data/agents");

export interface Transcript {
  readonly name: string;
  readonly messages: readonly Message[];
  /** What each message says and what tools answered in it. */
  readonly texts: readonly string[];
  readonly requests: readonly { readonly text: string; readonly query: string }[];
}

/** Words the user chose, not what a client put around them. */
const ownWords = (text: string): string => text.replace(/<([\w-]+)>[\s\S]*?<\/\1>/g, "").trim();

/** Every second word that says something; too short a request cannot be told from others. */
function queryOf(text: string): string | undefined {
  const words = (text.match(/[\p{L}\p{N}_./-]+/gu) ?? []).filter(
    (word) => !isStopword(word.toLowerCase()),
  );
  return words.length < 6 || text.length > 1_500
    ? undefined
    : words
        .filter((_, at) => at % 2 === 0)
        .slice(0, 10)
        .join(" ");
}

export function readTranscripts(): Transcript[] {
  if (!existsSync(FOLDER)) throw new Error(`The agents' transcripts are not at ${FOLDER}.`);
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith(".anthropic.json"))
    .map((file) => {
      const { messages } = JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as {
        messages: Message[];
      };
      const dialect = dialectFor({ messages });
      const texts = messages.map((message) =>
        [dialect.text(message), ...dialect.results(message).map(({ text }) => text)]
          .filter((text) => text !== "")
          .join("\n"),
      );
      const requests = messages.slice(1).flatMap((message) => {
        const text =
          isDict(message) && message.role === "user" ? ownWords(dialect.text(message)) : "";
        const query = queryOf(text);
        return query === undefined ? [] : [{ text, query }];
      });
      return { name: file, messages, texts, requests };
    });
}

/** Stands in so many messages at most: rare enough to be looked for. */
const RARE = 3;
const EACH = 80;
/** A message is searchable by its beginning. */
const SEARCHED = 8_000;
const EXACT = {
  path: /(?:[\w.-]+\/){2,}[\w.-]+\.\w{1,5}\b/g,
  name: /\b[a-z]+(?:[A-Z][a-z]+){2,}\b|\b[a-z]+(?:_[a-z]+){2,}\b/g,
  "error text": /\b\w*(?:Error|Exception)\b: [^\n]{15,100}/g,
  sentence: /(?<=\n|^)[A-Z][a-z]+(?: [\w'-]+){5,9}(?=[.\n])/g,
} as const;

/** Things of each kind that stand in few messages, drawn evenly in the order of the alphabet. */
export function exactThings(texts: readonly string[]): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(EXACT).map(([kind, form]) => {
      const holding = new Map<string, number>();
      for (const text of texts)
        for (const thing of new Set(text.slice(0, SEARCHED).match(form) ?? []))
          holding.set(thing, (holding.get(thing) ?? 0) + 1);
      const rare = [...holding]
        .filter(([thing, messages]) => messages <= RARE && thing.length <= 160)
        .map(([thing]) => thing)
        .sort();
      const step = Math.max(1, Math.floor(rare.length / EACH));
      return [kind, rare.filter((_, at) => at % step === 0).slice(0, EACH)];
    }),
  );
}
