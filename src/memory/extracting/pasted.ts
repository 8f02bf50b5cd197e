import { either } from "../../core/base.ts";

/** Longer texts are documents, or hold something pasted, named in a line before or behind it. */
export const DOCUMENT = 1_500;
const EDGE = 400;

const FENCED = /^[ \t]{0,20}(```|~~~)[^\n]*\n[\s\S]*?(?:^[ \t]{0,20}\1[^\n]*$|(?![\s\S]))/gm;
const PASSED_ON = /^\s{0,4}>[^\n]*(?:\n|$)/gm;
const TAG = /<([a-z][a-z0-9_-]{0,40})(?:\s[^<>]{0,200})?>/gi;
/** More tags than any program puts into one message; bounds the search for their ends. */
const MOST_TAGS = 200;
/** The head of a mail, a greeting, or a line of a conversation that was written down. */
const LETTER = either(
  /^(?:from|to|subject|date|sent):[^\n]*\n(?:[^\n]*\n){0,2}?(?:from|to|cc|subject|date|sent):/im,
  /^(?:dear|to whom)\b[^.!?\n]{0,60}$|(?<=\n[ \t]*\n[ \t]*)(?:hi|hello|hey|greetings|good day)\b/im,
  /^[ \t>*]{0,6}(?:user|assistant|human|ai|system|customer|client|agent|interviewer)(?:\*\*)?: /im,
);

/** The text without passages between tags; of a tag that never closes all that stands behind it. */
function untagged(text: string, others: string[]): string {
  let [own, position] = ["", 0];
  const low = text.toLowerCase();
  for (const { 0: tag, 1: name = "", index } of [...text.matchAll(TAG)].slice(0, MOST_TAGS)) {
    if (index < position) continue;
    const close = low.indexOf(`</${name.toLowerCase()}>`, index);
    if (close < 0 && text[index + tag.length] !== "\n") continue;
    const end = close < 0 ? text.length : close + name.length + 3;
    others.push(text.slice(index, end));
    own += text.slice(position, index);
    position = end;
  }
  return own + text.slice(position);
}

/** What is marked as another's by how it stands there is put among `others`. */
export function withoutPasted(text: string, others: string[]): string {
  const take = (part: string): string => {
    others.push(part);
    return "\n";
  };
  const rest = untagged(text.replace(FENCED, take), others).replace(PASSED_ON, take);
  const letter = rest.search(LETTER);
  if (letter >= 0) take(rest.slice(letter));
  const own = rest.slice(0, letter < 0 ? undefined : letter).trim();
  if (own.length <= DOCUMENT) return own;
  const lines = own.split("\n").filter((line) => /\S/.test(line));
  const isEdge = (line: string, at: number): boolean =>
    (at === 0 || at === lines.length - 1) && line.length <= EDGE;
  take(lines.filter((line, at) => !isEdge(line, at)).join("\n"));
  return lines.filter(isEdge).join("\n");
}
