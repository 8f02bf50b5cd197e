/**
 * What a turn looks like apart from its words: signs a ranker weighs. English lists, closed and
 * small; for another language they are silent and the words decide alone.
 */

const TIMES =
  "yesterday today tonight tomorrow last ago next week weeks weekend month months year years " +
  "day days morning evening afternoon night monday tuesday " +
  "wednesday thursday friday saturday sunday january february march april may june july august " +
  "september october november december spring summer " +
  "autumn fall winter recently soon date birthday";
const NUMBERS =
  "one two three four five six seven eight nine ten dozen couple few first second third";

/** A capital inside a sentence is a name, in scripts that have capitals. */
const NAME = /(?<=[\p{Ll}\p{N},;:(] )\p{Lu}\p{Ll}+/gu;

/** Bits of a turn's cues; two bits count its names, up to three. */
export const CUE = {
  asks: 1,
  endsAsking: 2,
  time: 4,
  number: 8,
  name: 16,
  user: 64,
  assistant: 128,
  you: 256,
} as const;
const SIGNS: readonly (readonly [cue: number, sign: RegExp])[] = [
  [CUE.asks, /[?？؟]/u],
  [CUE.endsAsking, /[?？؟]["'”’)\s]*$/u],
  [CUE.time, new RegExp(`\\b(${TIMES.replaceAll(" ", "|")}|\\d{4})\\b`, "i")],
  [CUE.number, new RegExp(`\\d|\\b(${NUMBERS.replaceAll(" ", "|")})\\b`, "i")],
  [CUE.you, /\b(you|your|yours)\b/i],
];
/** Signs of a page dumped by a tool stand in its beginning, or are no signs. */
const READ = 4_000;

export const namesOf = (text: string): readonly string[] => text.match(NAME) ?? [];

export function cuesOf(text: string, role: string): number {
  const read = text.slice(0, READ);
  let cues = CUE.name * Math.min(3, namesOf(read).length);
  for (const [cue, sign] of SIGNS) if (sign.test(read)) cues |= cue;
  if (role === "user") return cues | CUE.user;
  return role === "assistant" ? cues | CUE.assistant : cues;
}

/** 0…3 */
export const namesIn = (cues: number): number => (cues >> 4) & 3;
