import { moment } from "../../core/memory.ts";
import { KINDS, PLACES } from "../../core/memory-kinds.ts";
import * as s from "../../core/schema.ts";
import type { Tidemark } from "../../session/options/tidemark-api.ts";
import type { ApiAsked } from "./route.ts";

const WORDS = s.words;
const TEXTS = s.list("a list of texts", WORDS);
const WHOLE = s.whole(1e9);

/** All that is named in a path, a query or a body; the library looks closer at each. */
export const FIELDS = {
  ...{ id: s.name(500), user: s.name(200), name: s.name(1_000), path: s.name(1_000) },
  ...{ category: WORDS, scope: WORDS, conversation: WORDS, text: WORDS, content: WORDS },
  ...{ key: WORDS, source: WORDS, query: WORDS, to: WORDS, description: WORDS, notes: WORDS },
  ...{ words: WORDS, digest: WORDS, after: WORDS, tags: TEXTS, aliases: TEXTS, keywords: TEXTS },
  ...{ result: s.anything, error: s.anything, importance: s.share, kind: s.oneOf(...KINDS) },
  ...{ at: moment, asOf: moment, since: moment, archived: s.flag, repeat: s.flag },
  ...{ limit: s.whole(1_000), tokens: WHOLE, cut: WHOLE },
  until: s.either("a moment or null", s.oneOf(null), moment),
  by: s.oneOf("day", "model", "conversation"),
  from: s.either(
    "a position, user, tool or host",
    s.whole(1e9, 0),
    s.oneOf("user", "tool", "host"),
  ),
  order: s.oneOf("updated", "importance", "used", "stated"),
  format: s.oneOf("prompt", "snippets", "json"),
  in: s.list("a list of memory, files and history", s.oneOf(...PLACES)),
};

/** Members that a route does not name are not there. */
type Input = { readonly [Name in keyof typeof FIELDS]: never };

/** Answers undefined or false where there is no such thing; a list goes out page by page. */
export type Handler = (view: Tidemark, input: Input, asked: ApiAsked) => unknown;

/**
 * One call: its place, what it says, its fields ("!": needed; those of the path are), and
 * the answer: a method, members of the input, "*" the rest of it, "if" by the version named alone.
 */
export type ApiCall = readonly [
  place: string,
  says: string,
  fields: string,
  answer: string | Handler,
];
