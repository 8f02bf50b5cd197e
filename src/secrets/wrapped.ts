import { type Secret } from "./span.ts";
import { isMachine } from "./values.ts";

type Find = (text: string) => Secret[];

/** The end of a line in the midst of a long run, with what quotes or indents the next. */
const BREAK = /(?<=[\w+/=.-]{4})(?:\\?\r?\n|\\n)[ \t>|#*]{0,40}(?=[\w+/=.-]{6})/g;
/** So far on both sides of a break a token may reach. */
const REACH = 400;
const LAST_RUN = /(?<![\w+/=.:-])[\w+/=.:-]+$/;
const FIRST_RUN = /^[\w+/=.:-]+/;
/** No token is shorter. */
const SHORTEST = 20;

/** Tokens that the end of a line breaks: each break is read as if it were none. */
export function brokenIn(text: string, find: Find): Secret[] {
  const found: Secret[] = [];
  for (const { 0: gap, index } of text.matchAll(BREAK)) {
    const behind = index + gap.length;
    const before = LAST_RUN.exec(text.slice(Math.max(0, index - REACH), index))?.[0] ?? "";
    const after = FIRST_RUN.exec(text.slice(behind, behind + REACH))?.[0] ?? "";
    // A break between two words of prose joins no token.
    if (!/\d/.test(before + after) || before.length + after.length < SHORTEST) continue;
    // What is whole before the break goes on only in what is no word.
    const isWhole = find(before).some(({ end }) => end === before.length);
    if (isWhole && !isMachine(after, 12)) continue;
    for (const { start, end, kind } of find(before + after))
      if (start < before.length && end > before.length)
        found.push({
          start: index - before.length + start,
          end: behind + end - before.length,
          kind,
        });
  }
  return found;
}

const ENCODED = /(?<![\w+/-])[A-Za-z0-9+/_-]{20,4000}={0,2}(?![\w+/-])/g;
const PRINTABLE = /^[\x20-\x7e\r\n\t]+$/;
/** "ada:…", as docker and Basic keep it. */
const PAIR = /^[\w.@+-]{1,64}:[^\s:]{4,200}$/;

/** Runs of base64 whose text holds a secret. */
export function encodedIn(text: string, find: Find): Secret[] {
  const found: Secret[] = [];
  for (const { 0: run, index } of text.matchAll(ENCODED)) {
    // A path or a word says nothing when it is decoded.
    if (!/[A-Z]/.test(run) || !/[a-z]/.test(run)) continue;
    const said = Buffer.from(run, "base64").toString("latin1");
    if (!PRINTABLE.test(said)) continue;
    const isAuth =
      PAIR.test(said) &&
      /auth["'\\]{0,3}\s{0,2}[:=]\s{0,2}["'\\]{0,3}$/i.test(
        text.slice(Math.max(0, index - 20), index),
      );
    if (isAuth || find(said).length > 0)
      found.push({ start: index, end: index + run.length, kind: "encoded secret" });
  }
  return found;
}
