// The bench's own idea of an identifier and of a request kept. It shares no code with the distiller on purpose.
import type { Dialect } from "../../src/dialect/common/dialect.ts";
import type { Message } from "../../src/model/request.ts";

function leaves(value: unknown, into: string[] = []): string[] {
  if (typeof value === "string") into.push(value);
  else if (typeof value === "number") into.push(String(value));
  else if (typeof value === "object" && value !== null)
    for (const member of Object.values(value)) leaves(member, into);
  return into;
}
function inputs(message: Message, dialect: Dialect): string[] {
  return dialect.calls(message).flatMap(({ input }) => {
    if (typeof input !== "string") return leaves(input);
    try {
      return leaves(JSON.parse(input));
    } catch {
      return [input];
    }
  });
}
const results = (message: Message, dialect: Dialect): string[] =>
  dialect.results(message).map(({ text }) => text);

/** All a reader of the messages would see, one message a paragraph. */
export const flatten = (messages: readonly Message[], dialect: Dialect): string =>
  messages
    .map((message) =>
      [dialect.text(message), ...inputs(message, dialect), ...results(message, dialect)]
        .filter((text) => text !== "")
        .join("\n"),
    )
    .join("\n");

/**
 * Words between white space, quotes, brackets, commas and the like, 4 to 200 characters long, that hold a letter beside
 * a digit, an underscore, an inner slash or dot, or a capital inside; and numbers of four digits or more.
 */
export function identifiersIn(text: string): Set<string> {
  const found = new Set<string>();
  for (const word of text.split(/[^!-~]+|["'`()[\]{}<>,;|=*\\!]+/)) {
    const core = word
      .replace(/^[^A-Za-z0-9/_~.@]+|[^A-Za-z0-9/_]+$/g, "")
      .replace(/^\.(?![A-Za-z0-9/.])/, "");
    if (core.length < 4 || core.length > 200) continue;
    if (
      /[A-Za-z]\d|\d[A-Za-z]|[A-Za-z0-9]_|_[A-Za-z0-9]|[A-Za-z0-9]\/[A-Za-z0-9]|[A-Za-z0-9]\.[A-Za-z0-9]|[a-z][A-Z]|^\/[A-Za-z]/.test(
        core,
      ) ||
      /^\d{4,}$/.test(core)
    )
      found.add(core);
  }
  return found;
}

/** Identifiers of the prefix that user, assistant or a call's input name again in what comes later. */
export function namesUsed(
  prefix: readonly Message[],
  later: readonly Message[],
  dialect: Dialect,
): Set<string> {
  const known = identifiersIn(flatten(prefix, dialect));
  const used = identifiersIn(
    later
      .map((message) => [dialect.text(message), ...inputs(message, dialect)].join("\n"))
      .join("\n"),
  );
  return new Set([...used].filter((name) => known.has(name)));
}

/** The users' own words: what programs put between hyphenated tags is not theirs. */
export const requestTexts = (messages: readonly Message[], dialect: Dialect): string[] =>
  messages
    .filter((message) => dialect.speaker(message) === "user")
    .map((message) =>
      dialect
        .text(message)
        .replace(/<([a-z]+-[a-z-]+)>[\s\S]*?<\/\1>/g, " ")
        .replace(/\[Request interrupted[^\]]*\]/g, " "),
    )
    .filter((text) => contentOf(text).size > 0);

const FUNCTION_WORDS = new Set(
  (
    "the and for that this with you your yours are was were have has had not but from they them their there here what which who whom when where why how can could would should will " +
    "shall may might must did does doing done been being its it's i'm i'd i'll i've we're we've don't let's all any each some such than then too very just also into onto over out off " +
    "about please thanks thank yes okay sure hello like want need get got our ours his her hers him she him one"
  ).split(" "),
);
const contentOf = (text: string): Set<string> =>
  new Set([
    ...[...text.toLowerCase().matchAll(/[a-z0-9][a-z0-9'_./-]*[a-z0-9]/g)]
      .map(([word]) => word)
      .filter((word) => word.length > 2 && !FUNCTION_WORDS.has(word)),
    ...[...text.matchAll(/[\u4e00-\u9fff]{2,}/g)].flatMap(([run]) =>
      Array.from({ length: run.length - 1 }, (_, at) => run.slice(at, at + 2)),
    ),
  ]);

/** Whole: not a part of a longer word. */
function stands(name: string, text: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1))
    if (!/\w/.test(text[at - 1] ?? " ") && !/\w/.test(text[at + name.length] ?? " ")) return true;
  return false;
}

export function kept(text: string, names: ReadonlySet<string>, requests: readonly string[]) {
  const words = contentOf(text);
  return {
    names: names.size,
    namesKept: [...names].filter((name) => stands(name, text)).length,
    requests: requests.length,
    requestsKept: requests.filter((request) => {
      const own = [...contentOf(request)];
      const ids = [...identifiersIn(request)];
      return (
        own.filter((word) => words.has(word)).length >= 0.8 * own.length ||
        (ids.length > 0 && ids.every((name) => stands(name, text)))
      );
    }).length,
  };
}
