// A later request of the user in a real agent's conversation, asked for by half of its words.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { dialectFor } from "../../src/dialect/detect.ts";
import { isDict } from "../../src/model/guards.ts";
import { type Message } from "../../src/model/request.ts";
import { isStopword } from "../../src/text/stopwords.ts";

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
  const words = (text.match(/[\p{L}\p{N}_./-]+/gu) ?? []).filter((word) => !isStopword(word.toLowerCase()));
  return words.length < 6 || text.length > 1_500 ? undefined : words.filter((_, at) => at % 2 === 0).slice(0, 10).join(" ");
}

export function readTranscripts(): Transcript[] {
  if (!existsSync(FOLDER)) throw new Error(`The agents' transcripts are not at ${FOLDER}.`);
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith(".anthropic.json"))
    .map((file) => {
      const { messages } = JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as { messages: Message[] };
      const dialect = dialectFor({ messages });
      const texts = messages.map((message) => [dialect.text(message), ...dialect.results(message).map(({ text }) => text)].filter((text) => text !== "").join("\n"));
      const requests = messages.slice(1).flatMap((message) => {
        const text = isDict(message) && message.role === "user" ? ownWords(dialect.text(message)) : "";
        const query = queryOf(text);
        return query === undefined ? [] : [{ text, query }];
      });
      return { name: file, messages, texts, requests };
    });
}
