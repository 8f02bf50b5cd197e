type Change = (fact: string, context: Context) => string | undefined;
export interface Context {
  readonly speakers: readonly string[];
  /** Nouns of other facts, to put in a noun's place. */
  readonly nouns: readonly string[];
  readonly pick: (count: number) => number;
}

const swap = (
  fact: string,
  pattern: RegExp,
  by: string | ((...found: string[]) => string),
): string | undefined => {
  const made = typeof by === "string" ? fact.replace(pattern, by) : fact.replace(pattern, by);
  return made === fact ? undefined : made;
};
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const NUMBERS = "two three four five six seven eight nine ten".split(" ");
const MONTHS =
  "January February March April May June July August September October November December".split(
    " ",
  );
const DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(" ");
const next = (list: readonly string[], word: string): string =>
  list[(list.findIndex((entry) => entry.toLowerCase() === word.toLowerCase()) + 3) % list.length] ??
  word;
const anyOf = (list: readonly string[]): RegExp => new RegExp(`\\b(${list.join("|")})\\b`, "i");
const OPPOSITES = [
  "before after",
  "more less",
  "loves hates",
  "likes dislikes",
  "started stopped",
  "first last",
  "new old",
  "happy sad",
  "good bad",
  "increased decreased",
  "with without",
  "won lost",
  "easy hard",
  "always sometimes",
  "all some",
  "many few",
  "older younger",
  "up down",
  "early late",
  "bought sold",
  "big small",
  "positive negative",
].map((pair) => pair.split(" "));

/** Rewordings that leave the fact as it is. */
export const REWORDINGS: Readonly<Record<string, Change>> = {
  "letters: case, spaces, stops": (fact, { pick }) =>
    [
      fact.toUpperCase(),
      fact.toLowerCase(),
      `  ${fact.replace(/ /g, "  ").replace(/\.$/, "")}`,
      fact.replace(/\.$/, "!"),
    ][pick(4)],
  "articles left out": (fact) => swap(fact, /\b(?:the|a|an) (?!few|little|lot|bit)/gi, ""),
  "a filler put in": (fact, { pick }) =>
    swap(
      fact,
      /\b(is|are|was|were)\b(?! (?:not|a|an|the)\b)/,
      (verb) => `${verb} ${["currently", "really", "actually", "also"][pick(4)] ?? ""}`,
    ),
  "contracted or spelt out": (fact) =>
    swap(fact, /\b(is|are|was|were|does|did|do|has|have|would|could) not\b/, "$1n't") ??
    swap(fact, /\b(\w+)n't\b/, "$1 not") ??
    swap(fact, /\b(he|she|it) is\b/i, "$1's") ??
    swap(fact, /\b(they|we) are\b/i, "$1're"),
  "figures for number words": (fact) =>
    swap(fact, anyOf(NUMBERS), (word) => String(NUMBERS.indexOf(word.toLowerCase()) + 2)) ??
    swap(fact, /\b([2-9]|10)\b(?![-:/.,%]\d)(?!%)/, (digit) => NUMBERS[Number(digit) - 2] ?? digit),
  "a date written otherwise": (fact) =>
    swap(
      fact,
      new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)? (${MONTHS.join("|")}),? (\\d{4})`),
      "$2 $1, $3",
    ) ??
    swap(
      fact,
      new RegExp(`\\b(${MONTHS.join("|")}) (\\d{1,2})(?:st|nd|rd|th)?,? (\\d{4})`),
      "$2 $1 $3",
    ),
  "a last phrase put first": (fact) => {
    const [, rest, phrase] =
      /^([^,.;]+) ((?:in|on|at|during|since|before|after|last|next|every|for|with|without) [^,.;]{3,40})\.$/.exec(
        fact,
      ) ?? [];
    return rest === undefined ||
      phrase === undefined ||
      / (?:and|or|but|if|because|while|when|that) /.test(` ${rest} ${phrase} `) ||
      phrase.split(" ").length > 5 ||
      rest.split(" ").length < 3
      ? undefined
      : `${capital(phrase)}, ${rest}.`;
  },
  "a household synonym": (fact) =>
    swap(fact, /\bkids\b/, "children") ??
    swap(fact, /\bchildren\b/, "kids") ??
    swap(fact, /\b[Mm]om\b/, "mother") ??
    swap(fact, /\bmother\b/, "mom") ??
    swap(fact, /\b(?:movies)\b/, "films") ??
    swap(fact, /\bphotos\b/, "photographs") ??
    swap(fact, /\bcolors\b/, "colours") ??
    swap(fact, /\bdad\b/, "father"),
  "other words for it": (fact) =>
    swap(fact, /\bis planning to\b/, "plans to") ??
    swap(fact, /\benjoys\b/, "likes") ??
    swap(fact, /\battended\b/, "went to") ??
    swap(fact, /\bis excited about\b/, "looks forward to") ??
    swap(fact, /\bfinds\b/, "considers") ??
    swap(fact, /\bstarted\b/, "began"),
};

/** Edits that make another fact of it. */
export const EDITS: Readonly<Record<string, Change>> = {
  "another person": (fact, { speakers }) =>
    swap(
      fact,
      new RegExp(`\\b(${speakers.join("|")})\\b`),
      (name) => speakers.find((other) => other !== name) ?? name,
    ),
  "another name": (fact, { pick }) =>
    swap(
      fact,
      /(?<=[a-z,] )([A-Z][a-z]{2,})\b/,
      (name) =>
        ["Whitby", "Zelda", "Orson", "Kyoto"].filter((other) => other !== name)[pick(3)] ?? name,
    ),
  "another number": (fact) =>
    swap(fact, anyOf(NUMBERS), (word) => next(NUMBERS, word)) ??
    swap(fact, /\b(\d+)\b/, (digits) => String(Number(digits) + 1)),
  "another month or day": (fact) =>
    swap(fact, anyOf(MONTHS.filter((month) => month !== "May")), (month) => next(MONTHS, month)) ??
    swap(fact, anyOf(DAYS), (day) => next(DAYS, day)),
  "another time": (fact) =>
    swap(fact, /\byesterday\b/i, "today") ??
    swap(fact, /\blast (week|month|year|summer|night)\b/i, "next $1") ??
    swap(fact, /\btomorrow\b/i, "yesterday") ??
    swap(fact, /\bweek\b/, "month") ??
    swap(fact, /\byears\b/, "months"),
  negated: (fact) =>
    swap(fact, /\b(is|are|was|were|has|have|can|will|would|could)\b(?! not)/, "$1 not") ??
    swap(
      fact,
      /\b(enjoys|likes|loves|wants|plans|works|lives|thinks|believes|feels|finds|has)\b/,
      "never $1",
    ),
  "not negated": (fact) => swap(fact, /\b(?:not|never) /, "") ?? swap(fact, /n't\b/, ""),
  "an opposite": (fact) => {
    for (const [one = "", other = ""] of OPPOSITES) {
      const made =
        swap(fact, new RegExp(`\\b${one}\\b`), other) ??
        swap(fact, new RegExp(`\\b${other}\\b`), one);
      if (made !== undefined) return made;
    }
    return undefined;
  },
  "another thing": (fact, { nouns, pick }) => {
    const words: readonly string[] = fact.match(/\b[a-z]{4,}\b/g) ?? [];
    const target = words.at(-1);
    const noun = nouns[pick(nouns.length)];
    return target === undefined || noun === undefined || words.includes(noun)
      ? undefined
      : swap(fact, new RegExp(`\\b${target}\\b(?!.*\\b${target}\\b)`), noun);
  },
  "another tense": (fact) =>
    swap(fact, /\bis\b/, "was") ??
    swap(fact, /\bwas\b/, "is") ??
    swap(fact, /\b(enjoy|work|play|plan|want|live|love|like)s\b/, "$1ed"),
  "only possible": (fact) =>
    swap(fact, /\b(is|are) (\w+ing)\b/, "might be $2") ??
    swap(fact, /\bwill\b/, "may") ??
    swap(fact, /\bcan\b/, "could"),
  "somebody's opinion": (fact, { speakers }) => `${speakers[1] ?? "Bob"} doubts that ${fact}`,
  "on a condition": (fact) => `If it rains, ${fact}`,
  "a part left out": (fact) => {
    const words = fact.split(" ");
    return words.length < 7 ? undefined : [...words.slice(0, 3), ...words.slice(5)].join(" ");
  },
  "who and whom changed": (fact, { speakers }) => {
    const [one = "", other = ""] = speakers;
    return fact.includes(one) && fact.includes(other) && one !== "" && other !== ""
      ? fact.replaceAll(one, "\u0000").replaceAll(other, one).replaceAll("\u0000", other)
      : undefined;
  },
  "two things changed round": (fact) =>
    swap(fact, /\b([a-z]{3,}) and ([a-z]{3,})\b(?=.* than )/, "$2 and $1") ??
    swap(fact, /\b([a-z]{4,}) (before|after|than|instead of|to) ([a-z]{4,})\b/, "$3 $2 $1"),
};
