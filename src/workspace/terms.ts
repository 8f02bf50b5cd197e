/** Words that stand in every question and say nothing of what it is about. */
const STOP = new Set(
  `a about after again all also am an and any are as at be because been before being but by can could did do does doing done
  each else ever every few for from get got had has have having he her here hers him his how i if in into is it its just know
  let like may me might more most much must my no nor not now of off on once one only or other our ours out over own please
  same shall she should so some such tell than that the their theirs them then there these they this those through to too
  under until up us very was we were what when where which while who whom whose why will with would yes yet you your yours
  don doesn didn isn aren wasn weren won wouldn couldn shouldn ve ll re s t d m
  der die das und oder ist sind ein eine le la les un une et ou est el los las una y es`.split(/\s+/),
);
const STOP_CJK = new Set("的了是在我你他她它们有和吗呢吧啊这那个也都就不与及或被把什么怎样哪谁何请");

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]+/u;
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]+|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー])[\p{L}\p{N}\p{M}])+/gu;
/** An unbroken run longer than this is no word anybody asks for. */
const LONGEST = 64;

/** English endings off, so that "called" finds "call" and "names" finds "name"; other words stay whole. */
function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  let root = word;
  if (/ies$/.test(root) && root.length > 4) root = `${root.slice(0, -3)}y`;
  else if (/(?:s|x|z|ch|sh)es$/.test(root)) root = root.slice(0, -2);
  else if (/[^suia]s$/.test(root)) root = root.slice(0, -1);
  const bare = root.replace(/(?:ing|ed)$/, "");
  if (bare !== root && bare.length > 2 && /[aeiouy]/.test(bare)) root = bare.replace(/([bdgmnprt])\1$/, "$1");
  return root.length > 3 ? root.replace(/e$/, "") : root;
}

const wordsOf = (text: string): string[] =>
  text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").normalize("NFKC").toLowerCase().match(WORD) ?? [];

/** Terms of a text to be found: stems, and single characters and pairs of scripts that write without spaces. */
export function termsOf(text: string): string[] {
  return wordsOf(text).flatMap((word) => {
    if (!CJK.test(word)) return [stem(word.slice(0, LONGEST))];
    const characters = [...word];
    return [...characters, ...characters.slice(1).map((character, index) => `${characters[index] ?? ""}${character}`)];
  });
}

/** Terms of a question: stop words out, pairs only where there are any, each once, at most `max`. */
export function queryTerms(query: string, max = 32): string[] {
  const terms = wordsOf(query.replace(/<\/?tidemark[^>]{0,200}>?/gi, " ").slice(0, 4_000)).flatMap((word) => {
    if (!CJK.test(word)) return STOP.has(word) ? [] : [stem(word.slice(0, LONGEST))];
    const characters = [...word];
    const pairs = characters.length === 1 ? characters : characters.slice(1).map((character, index) => `${characters[index] ?? ""}${character}`);
    return pairs.filter((pair) => ![...pair].every((character) => STOP_CJK.has(character)));
  });
  return [...new Set(terms)].slice(0, max);
}
