import { contentWords } from "../text/content-words.ts";
import { identifiers } from "../text/identifiers.ts";
import { remembering } from "../text/remembering.ts";
import { terms } from "../text/terms.ts";
import { type Keepsake } from "./extract/keepsake.ts";

/** Share of a thing's words that one line must hold to say it. */
const SAYS = 0.6;
/** With all its names and numbers in the line, so many of its words will do. */
const SAYS_WITH_NAMES = 0.34;
/** Of a few names each counts; of a list most of them do. */
const FEW_MARKS = 6;
const MOST_MARKS = 0.7;
/** Words a correction shares with what it corrects, and any statement with what it replaces. */
const ABOUT = { correction: 0.5, other: 0.75 } as const;
const PREFIX = /^(?:User|Agent|用户|助手)[:：]\s?/;
const NOT = /\b(?:not?|never|don'?t|doesn'?t|didn'?t|can'?t|won'?t|mustn'?t|isn'?t|wasn'?t|without|unless|nobody|none|avoid|only|stop|forbid\w*|fail\w*|broke\w*|out)\b|不|别|勿|禁止|没|失败/i;
/** "9443, not 8443": the value that went. */
const GONE = /(?:\b(?:not(?: to| at| on| by)?|instead of|rather than|no longer|scratch)\s+|(?:不是|而非)\s?)([^\s,.;，。；]{1,60})/giu;
const VALUE = /[\p{L}\p{N}_.:/\\~@-]*\p{N}[\p{L}\p{N}_.:/\\~@%-]*/gu;

/** Words that two statements share by being of one language, or by setting something right: neither makes them be about the same. */
const EMPTY: ReadonlySet<string> = new Set(
  terms(
    "der die das den dem des ein eine einen einem einer eines und oder aber nicht kein keine ich du er sie es wir ihr mich mir dich dir uns euch ihn ihm sich mein meine unser unsere ist sind war waren hat habe haben wird werden in im an am auf aus bei beim mit nach um von vom zu zum zur für über unter bis ab als auch noch nur so dass wenn weil wie was wer wo " +
      "le la les un une des du de et ou mais ne pas je tu il elle nous vous ils elles me te se mon ma mes notre nos son sa ses est sont était ce cet cette ces au aux en dans sur pour par avec sans que qui el los las unos unas del y o pero no yo él ella ellos mi mis su sus nuestro nuestra es son era lo al con sin por para como " +
      "sorry wait actually wrong mistake mistaken misspoke mixed meant said say earlier scratch correction correct vertan geirrt verschrieben meinte gesagt korrektur falsch stimmt doch trompé erreur equivoqué error",
  ),
);

// One thing is looked for in a summary, in facts, among others like it: what it is made of is worked out once.
const wordsOf = remembering((text): ReadonlySet<string> => {
  const all = contentWords(text).flatMap((word) => terms(word));
  const telling = all.filter((word) => !EMPTY.has(word));
  return new Set(telling.length > 1 ? telling : all);
});

/** What must be copied exactly: identifiers, and whatever holds a digit; a value that was corrected away is not asked for. */
export const marksOf = remembering((text): readonly string[] => {
  const gone = new Set([...text.matchAll(GONE)].map(([, value = ""]) => value.toLowerCase()));
  const found = [...identifiers(text).map((one) => one.text), ...(text.match(VALUE) ?? [])].map((mark) => mark.replace(/[.:,]+$/, "").toLowerCase());
  return [...new Set(found)].filter((mark) => !gone.has(mark) && !found.some((other) => other !== mark && other.includes(mark)));
});

/** Names in the midst of a sentence, by their capitals; in German every noun has one, and there they may be many. */
const namesOf = remembering((text): readonly string[] => {
  const found = [...new Set((text.match(/(?<=[\p{Ll}\p{N},;:–-] )\p{Lu}[\p{L}’'-]{2,}/gu) ?? []).map((name) => name.toLowerCase()))];
  return found.length > FEW_NAMES ? [] : found;
});
const FEW_NAMES = 4;

/** What was written down, line by line, to be asked whether it says a thing. */
export class Written {
  private readonly lines: { readonly text: string; readonly words: ReadonlySet<string> }[] = [];
  private readonly byWord = new Map<string, number[]>();

  constructor(texts: readonly string[] = []) {
    for (const text of texts) this.add(text);
  }

  add(text: string): void {
    for (const line of text.split("\n")) {
      const words = wordsOf(line);
      for (const word of words) {
        const known = this.byWord.get(word);
        if (known === undefined) this.byWord.set(word, [this.lines.length]);
        else known.push(this.lines.length);
      }
      this.lines.push({ text: line.toLowerCase(), words });
    }
  }

  /** Does a line say it: its identifiers and numbers, most of its words, and the "not" in it? `named`: and the names of persons, places and things. */
  says({ text, kind }: Pick<Keepsake, "text" | "kind">, { named = false } = {}): boolean {
    const bare = text.replace(PREFIX, "");
    const words = wordsOf(bare);
    if (words.size === 0) return true;
    const marks = marksOf(bare);
    const shared = new Map<number, number>();
    for (const word of words) for (const at of this.byWord.get(word) ?? []) shared.set(at, (shared.get(at) ?? 0) + 1);
    const strict = kind === "rule" || kind === "failed";
    const negative = strict && NOT.test(bare);
    const need = words.size * (marks.length > 0 && !strict ? SAYS_WITH_NAMES : SAYS);
    for (const [at, count] of shared) {
      const line = this.lines[at];
      if (line === undefined || count < need || (negative && !NOT.test(line.text))) continue;
      if (named && !namesOf(bare).every((name) => line.text.includes(name))) continue;
      const found = marks.filter((mark) => line.text.includes(mark)).length;
      if (found >= (marks.length > FEW_MARKS ? MOST_MARKS * marks.length : marks.length)) return true;
    }
    return false;
  }
}

/** A statement read for comparing: each of its parts worked out once, when it is first asked for. */
export class Statement {
  readonly text: string;
  private found: { words?: ReadonlySet<string>; marks?: readonly string[]; gone?: readonly string[] } = {};

  constructor(text: string) {
    this.text = text;
  }

  get words(): ReadonlySet<string> {
    return (this.found.words ??= wordsOf(this.text.replace(PREFIX, "")));
  }

  get marks(): readonly string[] {
    return (this.found.marks ??= marksOf(this.text));
  }

  get gone(): readonly string[] {
    return (this.found.gone ??= [...this.text.matchAll(GONE)].map(([, value = ""]) => value.toLowerCase()));
  }
}

/** The later statement is about the same and gives another value or the opposite: the earlier need not be kept. */
export function supersedes(later: Statement, earlier: Statement, how: keyof typeof ABOUT): boolean {
  const [one, other] = [later.words, earlier.words];
  let shared = 0;
  for (const word of other) if (one.has(word)) shared++;
  if (shared < Math.max(2, ABOUT[how] * Math.min(one.size, other.size))) return false;
  const [now, before] = [later.marks, earlier.marks];
  if (later.gone.some((value) => earlier.text.toLowerCase().includes(value))) return true;
  // A correction may name the old value again ("21, and 18 is for the fan"): that it brings a new one is enough.
  return before.length > 0 && (how === "correction" ? now.some((mark) => !before.includes(mark)) : now.length > 0 && before.some((mark) => !now.includes(mark)));
}
