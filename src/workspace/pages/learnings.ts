import { dayOf, isoOf } from "../../core/memory.ts";
import { clip, normalForm, oneLine } from "../../core/text/cut.ts";
import { linesOf, unwrapped, withoutComments } from "../../core/text/markdown.ts";

/**
 * The first that fits names the failure, so the narrow ones stand before the wide ones. What to do
 * about it is in our words too; where nothing is known that helps, the prompt says nothing.
 */
const CLASSES: readonly (readonly [name: string, signs: RegExp, cure?: string])[] = [
  [
    "rate limited",
    /rate.?limit|too many requests|\b429\b|quota/i,
    "wait before the next call, and make fewer",
  ],
  ["timed out", /time[d ]?.?out|deadline exceeded|ETIMEDOUT/i, "ask for less at once"],
  [
    "permission denied",
    /permission|EACCES|EPERM|forbidden|unauthorized|not allowed|access denied|\b40[13]\b/i,
    "do not try it again the same way; ask for the right, or do without",
  ],
  [
    "no match to edit",
    /no match|did not match|string to replace|not unique/i,
    "read the file first, and quote it exactly",
  ],
  [
    "not found",
    /not found|no such|ENOENT|n[o']t exist|cannot find|\b404\b|unknown (?:command|tool|file|opt)/i,
    "look what there is before naming it",
  ],
  ["syntax error", /syntax ?error|parse error|unexpected token|unexpected end|invalid json/i],
  ["type error", /type ?error|is not a function|not assignable|undefined is not|NoneType|TS\d{4}/i],
  [
    "wrong arguments",
    /invalid|missing required|required (?:param|prop|arg)|validation|schema|bad request|\b400\b/i,
  ],
  [
    "no connection",
    /ECONNREFUSED|ECONNRESET|ENOTFOUND|network|connection|socket|\bDNS\b/i,
    "see whether the other side is up before the call",
  ],
  ["out of space", /ENOSPC|no space|out of memory|\bOOM\b/i, "make room, or ask for less at once"],
  ["failed checks", /\d+ (?:failed|failing)|tests? failed|assertion|FAILED/i],
  [
    "non-zero exit",
    /exit(?:ed)?(?: with)?(?: code| status)?:? [1-9]|command failed|returned non-zero/i,
  ],
];

const UNKNOWN = "error";

/** Names a kind of failure in our words: the text itself is the tool's. */
export const errorClass = (text: string): string =>
  CLASSES.find(([, signs]) => signs.test(text.slice(0, 4_000)))?.[0] ?? UNKNOWN;

/** A remedy for a failure of this kind. */
const cureOf = (kind = UNKNOWN): string | undefined => CLASSES.find(([name]) => name === kind)?.[2];

export type Lesson =
  | {
      readonly kind: "error";
      readonly tool: string;
      /** The tool was asked for this. */
      readonly asked?: string;
      /** The cause, as the tool said it. */
      readonly text: string;
      /**
       * What it was asked for when it went well; the failure was told of before and counts no
       * second time.
       */
      readonly cure?: string;
      readonly at: number;
    }
  | {
      readonly kind: "correction";
      readonly text: string;
      readonly at: number;
    };

/** Something learnt, as often as it came. `tool` only of errors. */
interface Learnt {
  readonly tool?: string;
  readonly class?: string;
  readonly asked?: string;
  readonly text: string;
  readonly cure?: string;
  readonly count: number;
  readonly at: number;
}

export const LEARNINGS_BOUND = 50_000;
const BOUNDS = { error: 300, correction: 500, call: 120 };
const TITLES = { error: "# Errors\n\n", correction: "# Corrections\n\n" };

export const lessonPath = (kind: Lesson["kind"]): string =>
  kind === "error" ? "learnings/errors.md" : "learnings/corrections.md";

const rowsIn = (text: string): string[] => unwrapped(linesOf(text));
const tame = (text: string, max: number): string =>
  clip(oneLine(text).replaceAll("<!--", "<! --"), max);
/** Stands for a tool that was not offered, or whose name could be a sentence. */
export const UNNAMED = "tool";
/**
 * A tool's name as providers allow it; anything else is no name, and letters of any script could be
 * a sentence.
 */
export const toolName = (name: string): string => (/^[\w.:/-]{1,64}$/.test(name) ? name : UNNAMED);

/**
 * A line of ours: what a person reads, and behind it in a comment when it came, and how often.
 */
const LINE = /^- (.*) <!-- (?:tool=(\S+) )?at=(\S+) count=([1-9]\d*) -->\s*$/s;

/** Undefined for a line that is not one of ours, or is torn. */
function readLearnt(raw: string): Learnt | undefined {
  const [, text = "", tool, moment = "", times] = LINE.exec(raw) ?? [];
  const at = Date.parse(moment);
  if (Number.isNaN(at)) return undefined;
  const known = { text, count: Number(times), at };
  if (tool === undefined) return known;
  const [, asked, cause = text, cure] = FAILED.exec(text) ?? [];
  return { ...known, tool: toolName(tool), class: errorClass(cause), text: cause, asked, cure };
}

/** "bash failed 2 times on “npm test”: cannot find module; went well with “npm ci”" */
const CALL = "“([^”]{0,200})”";
const FAILED = new RegExp(
  String.raw`^\S+ failed(?: \d+ times)?(?: on ${CALL})?: (.*?)(?:; went well with ${CALL})?$`,
  "s",
);
const call = (text: string): string => tame(text, BOUNDS.call).replaceAll(/[“”]/gu, '"');

function lineOf(lesson: Lesson, count: number, cure?: string): string {
  const mark = `at=${isoOf(lesson.at)} count=${count} -->`;
  if (lesson.kind === "correction") return `- ${tame(lesson.text, BOUNDS.correction)} <!-- ${mark}`;
  const tool = toolName(lesson.tool);
  const times = count > 1 ? ` ${count} times` : "";
  const on = lesson.asked ? ` on “${call(lesson.asked)}”` : "";
  const mended = cure ? `; went well with “${call(cure)}”` : "";
  return (
    `- ${tool} failed${times}${on}: ${tame(lesson.text, BOUNDS.error)}${mended} ` +
    `<!-- tool=${tool} ${mark}`
  );
}

/**
 * The file with the lesson as its newest line; one that was learnt before counts on, and moves to
 * the end.
 */
export function withLesson(text: string | undefined, lesson: Lesson): string | undefined {
  const fresh = readLearnt(lineOf(lesson, 1));
  if (fresh === undefined || fresh.text === "") return text;
  const { same = [], other = [] } = Object.groupBy(
    rowsIn(text ?? TITLES[lesson.kind]).map((raw) => ({ raw, learnt: readLearnt(raw) })),
    ({ learnt }) =>
      learnt?.tool === fresh.tool && normalForm(learnt?.text ?? "") === normalForm(fresh.text)
        ? "same"
        : "other",
  );
  const before = same.reduce((sum, { learnt }) => sum + (learnt?.count ?? 0), 0);
  // A cure alone is no lesson: it belongs to a failure that was told of.
  const cure = lesson.kind === "error" ? lesson.cure : undefined;
  if (cure !== undefined && before === 0) return text;
  while (other.at(-1)?.raw === "") other.pop();
  const isFirst = other.length > 0 && other.at(-1)?.learnt === undefined;
  const known = cure ?? same.findLast(({ learnt }) => learnt?.cure)?.learnt?.cure;
  const rows = [
    ...other,
    ...(isFirst ? [{ raw: "", learnt: undefined }] : []),
    { raw: lineOf(lesson, cure === undefined ? before + 1 : before, known), learnt: fresh },
  ];
  let size = rows.reduce((sum, { raw }) => sum + raw.length + 1, 0);
  const kept = rows.filter(({ raw, learnt }) => {
    if (size <= LEARNINGS_BOUND || learnt === undefined) return true;
    size -= raw.length + 1;
    return false;
  });
  return `${kept.map(({ raw }) => raw).join("\n")}\n`;
}

/** A person's own bullets, which bear no mark of ours. */
const bulletsOf = (text: string): string[] =>
  linesOf(
    withoutComments(
      rowsIn(text)
        .filter((line) => readLearnt(line) === undefined)
        .join("\n"),
    ),
  ).flatMap((line) => /^\s*[-*+]\s+(.*)$/.exec(line)?.[1] ?? []);

const learntIn = (files: readonly string[]): Learnt[] =>
  files
    .flatMap((text) => rowsIn(text).flatMap((line) => readLearnt(line) ?? []))
    .sort((a, b) => b.at - a.at);

/** A failure that came so often is no accident. */
const OFTEN = 3;

/**
 * One line per tool that fails often, newest failure first, in our words alone: what a tool said
 * stands on the page, as data.
 */
export function errorLines(files: readonly string[]): string[] {
  // It helps no later turn that some tool failed, or that it failed somehow.
  const known = learntIn(files).filter(
    ({ tool = UNNAMED, class: kind }) => tool !== UNNAMED && cureOf(kind) !== undefined,
  );
  const often = [...Map.groupBy(known, (one) => `${one.tool} ${one.class}`).values()]
    .map((same) => ({ ...same[0], count: same.reduce((sum, { count }) => sum + count, 0) }))
    .filter(({ count }) => count >= OFTEN);
  return often
    .filter(({ tool }, at) => often.findIndex((other) => other.tool === tool) === at)
    .map(
      ({ tool, class: kind = "", count }) =>
        `- tool ${tool} failed ${count} times: ${kind} — ${cureOf(kind) ?? ""}`,
    );
}

/** Corrections of people, newest first; those written in by hand stand before. */
export const correctionLines = (files: readonly string[]): string[] => [
  ...files.flatMap(bulletsOf).map((text) => `- ${oneLine(text)}`),
  ...learntIn(files)
    .filter((learnt) => learnt.tool === undefined)
    .map((learnt) => `- ${dayOf(learnt.at)}: ${learnt.text}`),
];

/** The title and as many lines as fit; nothing when not even one does. */
function section(title: string, lines: readonly string[], room: number): string {
  let size = title.length;
  const fits = lines.filter((line) => (size += line.length + 1) <= room);
  return fits.length === 0 ? "" : [title, ...fits].join("\n");
}

/**
 * Both for the prompt. Corrections come first; errors keep a third of the room when there is not
 * enough for all.
 */
export function learningsText(
  errors: readonly string[],
  corrections: readonly string[],
  max: number,
): string {
  const failures = errorLines(errors);
  const failed = (room: number): string => section("Tools that failed before:", failures, room);
  const first = section(
    "Corrections, newest first:",
    correctionLines(corrections),
    Math.max(max - failed(max).length - 2, Math.floor((max * 2) / 3)),
  );
  const second = failed(max - (first === "" ? 0 : first.length + 2));
  return [first, second].filter((text) => text !== "").join("\n\n");
}
