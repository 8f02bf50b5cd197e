/** English stems after M. F. Porter, "An algorithm for suffix stripping" (1980), with his later "bli" and "logi". */

const STEP2: readonly (readonly [string, string])[] = [
  ["ational", "ate"], ["tional", "tion"], ["enci", "ence"], ["anci", "ance"], ["izer", "ize"], ["bli", "ble"], ["alli", "al"],
  ["entli", "ent"], ["eli", "e"], ["ousli", "ous"], ["ization", "ize"], ["ation", "ate"], ["ator", "ate"], ["alism", "al"],
  ["iveness", "ive"], ["fulness", "ful"], ["ousness", "ous"], ["aliti", "al"], ["iviti", "ive"], ["biliti", "ble"], ["logi", "log"],
];
const STEP3: readonly (readonly [string, string])[] = [
  ["icate", "ic"], ["ative", ""], ["alize", "al"], ["iciti", "ic"], ["ical", "ic"], ["ful", ""], ["ness", ""],
];
const STEP4 =
  ["ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ion", "ism", "ate", "iti", "ous", "ive", "ize", "al", "er", "ic", "ou"] as const;

/** "y" is a vowel behind a consonant. */
function isVowel(word: string, at: number): boolean {
  const letter = word.charAt(at);
  if (letter === "y") return at > 0 && !isVowel(word, at - 1);
  return letter === "a" || letter === "e" || letter === "i" || letter === "o" || letter === "u";
}

/** Porter's m: how many times a vowel is followed by a consonant. */
function measure(word: string): number {
  let count = 0;
  for (let at = 1; at < word.length; at += 1) if (!isVowel(word, at) && isVowel(word, at - 1)) count += 1;
  return count;
}

function hasVowel(word: string): boolean {
  for (let at = 0; at < word.length; at += 1) if (isVowel(word, at)) return true;
  return false;
}

const endsDouble = (word: string): boolean => {
  const last = word.length - 1;
  return last > 0 && word.charAt(last) === word.charAt(last - 1) && !isVowel(word, last);
};

/** consonant, vowel, consonant that is not w, x or y: "hop", not "snow". */
const endsShort = (word: string): boolean => {
  const last = word.length - 1;
  return last > 1 && !isVowel(word, last) && isVowel(word, last - 1) && !isVowel(word, last - 2) && !"wxy".includes(word.charAt(last));
};

function plural(word: string): string {
  if (word.endsWith("sses") || word.endsWith("ies")) return word.slice(0, -2);
  return word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}

function past(word: string): string {
  if (word.endsWith("eed")) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const rest = word.endsWith("ed") ? word.slice(0, -2) : word.endsWith("ing") ? word.slice(0, -3) : undefined;
  if (rest === undefined || !hasVowel(rest)) return word;
  if (rest.endsWith("at") || rest.endsWith("bl") || rest.endsWith("iz")) return `${rest}e`;
  if (endsDouble(rest)) return "lsz".includes(rest.charAt(rest.length - 1)) ? rest : rest.slice(0, -1);
  return measure(rest) === 1 && endsShort(rest) ? `${rest}e` : rest;
}

function swap(word: string, rules: readonly (readonly [string, string])[]): string {
  for (const [suffix, other] of rules) {
    if (!word.endsWith(suffix)) continue;
    const rest = word.slice(0, -suffix.length);
    return measure(rest) > 0 ? rest + other : word;
  }
  return word;
}

function strip(word: string): string {
  const suffix = STEP4.find((ending) => word.endsWith(ending));
  if (suffix === undefined) return word;
  const rest = word.slice(0, -suffix.length);
  if (suffix === "ion" && !rest.endsWith("s") && !rest.endsWith("t")) return word;
  return measure(rest) > 1 ? rest : word;
}

function tidy(word: string): string {
  let out = word;
  if (out.endsWith("e")) {
    const rest = out.slice(0, -1);
    const size = measure(rest);
    if (size > 1 || (size === 1 && !endsShort(rest))) out = rest;
  }
  return out.endsWith("ll") && measure(out) > 1 ? out.slice(0, -1) : out;
}

/** The stem of a word in lower case; anything but plain a–z is left as it is. */
export function stem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  let out = past(plural(word));
  if (out.endsWith("y") && hasVowel(out.slice(0, -1))) out = `${out.slice(0, -1)}i`;
  return tidy(strip(swap(swap(out, STEP2), STEP3)));
}
