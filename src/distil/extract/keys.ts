/** Nouns whose "my X is …" says something about this hour, not about the person. */
const PASSING =
  /^(?:question|problem|issue|point|guess|understanding|concern|goal|plan|idea|thought|thinking|hope|fear|worry|request|apologies|mistake|bad|next|first|second|last|other|only|main|code|test|tests|error|function|file|script|output|result|answer|message|screen|app|changes?|assumption|suggestion)\b/;

const PATTERNS: readonly (readonly [RegExp, (noun: string) => string])[] = [
  [/\b(?:my name(?:'s| is)|call me|i'?m called|i go by)\s/i, () => "user.name"],
  [/我(?:叫|姓|的名字(?:是|叫))/, () => "user.name"],
  [/\bi(?:'m| am)?(?: currently| now)? (?:live|living|based|located) in\s/i, () => "user.home"],
  [/我(?:现在)?(?:住在|居住在|家在)/, () => "user.home"],
  [/\bi work (?:at|for|as)\s/i, () => "user.work"],
  [
    /\bmy ([a-z][a-z -]{1,40}?)(?:'s|’s) (name|birthday|age|email|phone|address|breed) (?:is|was)\s/i,
    (noun) => noun,
  ],
  [/\bmy ([a-z][a-z -]{1,40}?) (?:is|are|was) (?:called|named)\s/i, (noun) => `${noun}.name`],
  [
    /\bmy ([a-z][a-z -]{1,40}?) (?:is|are)(?: now)?\s(?!\w+ing\b|not\b|too\b|so\b|very\b|really\b|also\b|just\b|still\b|here\b|there\b|down\b|broken\b|gone\b|in\b|on\b|at\b)/i,
    (noun) => noun,
  ],
  [/我的?([\p{Script=Han}]{1,8}?)(?:的名字)?(?:叫|名叫|名字是)/u, (noun) => `${noun}.name`],
  [/我的([\p{Script=Han}A-Za-z]{1,12}?)是/u, (noun) => noun],
];

/** A name for what the sentence settles, so that a later word on it takes its place. */
export function keyOf(sentence: string): string | undefined {
  for (const [pattern, name] of PATTERNS) {
    const match = pattern.exec(sentence);
    if (match === null) continue;
    const noun = (match[1] ?? "")
      .toLowerCase()
      .replace(/favou?rite/, "favorite")
      .trim();
    if (match[1] !== undefined && (noun === "" || PASSING.test(noun) || noun.split(" ").length > 4))
      return undefined;
    return (
      match[1] === undefined
        ? name("")
        : `user.${name(match[2] === undefined ? noun : `${noun}.${match[2].toLowerCase()}`)}`
    ).replace(/\s+/g, "-");
  }
  return undefined;
}
