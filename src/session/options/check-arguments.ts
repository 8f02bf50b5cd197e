import { IDENTITY_FIELDS, isScope, ORG_CATEGORIES, type Scope } from "../../core/identity.ts";
import {
  type InjectInput,
  LEAD_CATEGORIES,
  type ListOptions,
  moment,
  type RecallOptions,
  type SearchOptions,
} from "../../core/memory.ts";
import { KINDS, MEMORY_TYPES, PLACES } from "../../core/memory-kinds.ts";
import * as s from "../../core/schema.ts";
import type { PageOptions } from "../../memory/recalling/page.ts";
import { NAMES, TOOL_NAMES } from "../../core/tool-names.ts";
import type { BriefOptions, RecordInput, RecordPatch, TaskInput } from "./knowledge-api.ts";
import type { OrgInput } from "./organisation-api.ts";
import type { BeginOptions, StatsOptions, ToolOptions } from "./tidemark-api.ts";

const given = <T extends object>(fields: s.Given<T>, want?: string) =>
  s.optional(s.options<T>(fields, want));

const isGiven = (value: unknown): boolean => value !== undefined;
/** One of the members is given: an object that names nothing would be all there is. */
const named = <T extends object>(fields: s.Given<T>, want: string) =>
  s.where(s.options<T>(fields, want), want, (which) => Object.values(which).some(isGiven));

const LABEL = s.name(500);
const NAME = s.name(200);
const SIGNAL = s.is<AbortSignal>(
  "an AbortSignal",
  (value) => value === null || value instanceof AbortSignal,
);
const OF_CONVERSATION = given({ conversation: s.text });
const IN_SCOPE = given({ scope: s.text });
const AT_VERSION = given({ version: s.whole(Infinity) });
const FOLD = s.is(
  "the id of a fold (history.folds() lists them)",
  (value) => typeof value === "string" && value !== "",
);

const TURN = s.is<string>(
  "the id of a turn (history.turns() lists them)",
  (value) => typeof value === "string" && /^\d{1,15}$/.test(value),
);

const TOKENS = s.whole(100_000, 100);
const TASK_TEXT = s.textOf(100_000);
const TASK = s.object<TaskInput>({
  description: TASK_TEXT,
  from: s.optional(s.oneOf("user", "tool", "host")),
  id: s.optional(
    s.where(s.line(200), '1 to 200 characters on one line without "/"', (id) => !id.includes("/")),
  ),
  notes: s.optional(TASK_TEXT),
  repeat: s.optional(s.flag),
  tokens: s.optional(TOKENS),
});

const TARGET = { to: s.anything };
const QUESTION = s.is<string>("a text to look for", (value) => typeof value === "string");
const SHARED = { shared: s.flag, except: NAME };
const NARROWED = {
  limit: s.whole(1_000),
  ...{ category: NAME, kind: s.oneOf(...KINDS), scope: NAME },
  ...{ type: s.oneOf(...MEMORY_TYPES), since: moment, until: moment },
  tags: s.list("a list of at most 20 tags", NAME, 20),
  ...SHARED,
};
const REASON = s.line(180);

const CATEGORY = s.is<string>(
  'a word of at most 60 letters, digits, "-" and "_", such as decision',
  (value) =>
    typeof value === "string" &&
    value.length <= 60 &&
    /^[\p{L}\p{N}][\p{L}\p{N} _-]*$/u.test(value),
);
const WORDS = s.list("a list of at most 30 short texts on one line each", s.line(120), 30);
const PAGE = {
  content: s.textOf(100_000),
  aliases: WORDS,
  keywords: WORDS,
  source: s.textOf(200, 0),
};

/** The name of a note; a part of it is the name of a file, of which most disks take 255 bytes. */
const NOTE = s.is<string>(
  'a note\'s name from the top of the notes, such as "ideas/cats.md": no part empty, ' +
    'hidden or over 255 bytes, no control character, no "\\"',
  (value) =>
    typeof value === "string" &&
    value.isWellFormed() &&
    !/[\u0000-\u001f\u007f\\]/.test(value) &&
    value
      .split("/")
      .every((part) => part !== "" && !part.startsWith(".") && Buffer.byteLength(part) <= 255),
);

const SCOPES = s.is<readonly string[]>(
  'a list of scopes such as ["agent:sky", "user:ada"]',
  (value) => Array.isArray(value) && value.every((scope) => typeof scope === "string"),
);

/**
 * What each public method takes, by the argument's place; `memory.save`, `update` and an import
 * look for themselves.
 */
const ARGUMENTS: Readonly<Record<string, readonly s.Schema[]>> = {
  // A provider's request holds what it likes, and is looked at where it is read.
  begin: [
    s.anything,
    given<BeginOptions>({
      conversation: LABEL,
      format: s.oneOf("anthropic", "openai-chat", "openai-responses", "gemini", "ai-sdk"),
      signal: SIGNAL,
    }),
  ],
  fold: [given({ conversation: s.text, request: s.anything }), given({ signal: SIGNAL })],
  pin: [
    s.either(
      "a text, or { message } with a text in it",
      s.words,
      s.object({ message: s.anything }),
    ),
    OF_CONVERSATION,
  ],
  pins: [OF_CONVERSATION],
  brief: [
    s.where(QUESTION, "the words of a task", (words) => words.trim() !== ""),
    given<BriefOptions>({ tokens: TOKENS, format: s.oneOf("prompt", "snippets", "json") }),
  ],
  task: [TASK],
  as: [s.options({ ...IDENTITY_FIELDS, conversation: LABEL })],
  tools: [
    given<ToolOptions>({
      only: s.is(
        `a list of ${TOOL_NAMES.join(", ")}`,
        (value) => Array.isArray(value) && value.every((name) => TOOL_NAMES.includes(name)),
      ),
      tokens: s.whole(Infinity, 300),
      names: NAMES,
      guidance: s.either("a text or false", s.oneOf(false), s.words),
    }),
  ],
  "memory.recall": [
    QUESTION,
    given<RecallOptions>({ ...NARROWED, tokens: s.whole(10_000_000), asOf: moment }),
  ],
  "memory.search": [
    QUESTION,
    given<SearchOptions>({
      limit: NARROWED.limit,
      in: s.list('a list of "memory", "files" and "history"', s.oneOf(...PLACES)),
      ...SHARED,
    }),
  ],
  "memory.list": [given<ListOptions>({ ...NARROWED, limit: s.whole(100_000), after: moment })],
  "memory.page": [
    given<PageOptions>({
      ...NARROWED,
      ...{ text: s.textOf(1_000, 0), after: s.words, asOf: moment },
      order: s.oneOf("updated", "stated", "importance", "used"),
    }),
  ],
  "memory.about": [s.words, given({ asOf: moment })],
  "memory.changes": [s.words, given({ since: moment })],
  "memory.get": [s.anything, given({ use: s.flag })],
  "memory.update": [s.anything, s.anything, AT_VERSION],
  "memory.promote": [s.anything, s.object(TARGET)],
  "memory.publish": [s.anything, s.object(TARGET)],
  "memory.retract": [s.anything, given({ reason: REASON })],
  "memory.inject": [
    s.object<InjectInput>({
      ...TARGET,
      content: s.anything,
      category: s.optional(s.oneOf(...LEAD_CATEGORIES)),
    }),
  ],
  "memory.forget": [
    s.either(
      "an id, { key } or { source }",
      s.words,
      named({ key: s.name(Infinity), source: s.name(Infinity) }, "an id, { key } or { source }"),
    ),
    AT_VERSION,
  ],
  "memory.end": [s.anything, AT_VERSION],
  "history.read": [
    named(
      { fold: s.text, conversation: s.text, from: s.whole(Infinity, 0), limit: s.whole(100_000) },
      "{ fold } or { conversation }, an id each",
    ),
  ],
  tidy: [given({ dryRun: s.flag })],
  stats: [given<StatsOptions>({ since: moment, by: s.oneOf("day", "model", "conversation") })],
  "history.turns": [s.words, given({ after: TURN, limit: s.whole(10_000) })],
  "history.forget": [
    named(
      { conversation: s.text, before: moment },
      "{ conversation }, an id, or { before }, a moment",
    ),
  ],
  "history.list": [given({ conversation: s.text, limit: s.whole(Infinity) })],
  "history.folds": [OF_CONVERSATION],
  "history.diff": [FOLD],
  "history.undo": [FOLD],
  "records.add": [
    s.object<RecordInput>({
      ...PAGE,
      aliases: s.optional(WORDS),
      keywords: s.optional(WORDS),
      source: s.optional(PAGE.source),
      category: CATEGORY,
      name: s.optional(
        s.where(s.line(120), 'a file\'s name without "/", such as rollback', (name) =>
          /^[^/\\.][^/\\]*$/.test(name),
        ),
      ),
      until: s.optional(moment),
      scope: s.optional(s.anything),
    }),
  ],
  "records.update": [
    s.anything,
    s.options<RecordPatch>({
      ...PAGE,
      until: s.either("a moment, or null for ever", s.oneOf(null), moment),
    }),
  ],
  "records.reclassify": [s.anything, CATEGORY],
  "records.list": [
    given({ category: CATEGORY, archived: s.flag, scope: s.text, limit: s.whole(100_000) }),
  ],
  "notes.write": [NOTE, s.words, IN_SCOPE],
  "notes.read": [NOTE, IN_SCOPE],
  "notes.list": [IN_SCOPE],
  "notes.remove": [NOTE, IN_SCOPE],
  "notes.promote": [NOTE, s.object({ ...TARGET, scope: s.optional(s.text) })],
  "workspace.files": [SCOPES],
  "workspace.search": [QUESTION, s.object({ scopes: SCOPES, limit: s.optional(s.whole(1_000)) })],
  "workspace.learn": [
    s.options({
      kind: s.oneOf("error", "correction"),
      tool: s.text,
      asked: s.text,
      text: s.text,
      cure: s.text,
      reply: s.text,
      at: s.from(0),
    }),
  ],
  "org.write": [
    s.object<OrgInput>({
      content: s.anything,
      category: s.oneOf(...ORG_CATEGORIES),
      author: s.line(100),
      reason: s.optional(REASON),
      key: s.optional(NAME),
    }),
  ],
  "org.query": [QUESTION, given({ max: NARROWED.limit })],
  "org.retract": [s.words, given({ author: s.line(100), reason: REASON })],
  "org.audit": [given({ scope: s.is<Scope>("a scope", isScope), since: moment, by: s.line(100) })],
  "users.forget": [IDENTITY_FIELDS.user, given({ dry: s.flag })],
  "users.export": [IDENTITY_FIELDS.user],
  "task.note": [TASK_TEXT],
};

/**
 * Throws "config" for an argument that cannot be meant, or a name in it that nothing reads. `owner`
 * is what the caller wrote them in.
 */
export function checkArguments(
  method: string,
  arguments_: readonly unknown[],
  owner = method,
): void {
  for (const [at, schema] of (ARGUMENTS[method] ?? []).entries())
    s.check(schema, arguments_[at], owner);
}
