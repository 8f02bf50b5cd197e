import { isName, namesPassword } from "./names.ts";
import { type Secret } from "./span.ts";
import { isGiven, isMachine, isMixed, isPlain } from "./values.ts";

const TAG = /<([A-Za-z][\w:.-]{0,60})((?:\s[^<>]{0,600})?)>/g;
const ATTRIBUTE = /([\w:.-]{1,40})\s{0,3}=\s{0,3}(?:"([^"]{0,500})"|'([^']{0,500})')/g;
const NAMING = /^(?:name|key|id|type|property|for)$/i;
const HOLDING = /^(?:value|content)$/i;
/** An element's text; of a property list the next one's, whose name it is. */
const TEXT = /^\s{0,40}(?:<!\[CDATA\[)?([^<>\s][^<>]{0,1000}?)(?:\]\]>)?\s{0,40}<\//;
const NEXT = /^\s{0,10}([^<>]{1,60})<\/key>\s{0,40}<string>([^<>]{1,1000})<\//;

const isSecret = (value: string, name: string): boolean =>
  namesPassword(name) || /^(?:pass|pw)$/i.test(name)
    ? isGiven(value) &&
      (isMixed(value) || value.length >= 10) &&
      !/\s/.test(value) &&
      !isPlain(value)
    : isMachine(value) || (value.length >= 12 && isMachine(value, 12));

/** What elements hold whose name, or an attribute of theirs, says that it is a secret. */
export function markupIn(text: string): Secret[] {
  const found: Secret[] = [];
  if (!/<\w/.test(text)) return found;
  const keep = (value: string, start: number, name: string): void => {
    if (isSecret(value, name))
      found.push({
        start,
        end: start + value.length,
        kind: namesPassword(name) ? "password" : "secret",
      });
  };
  for (const { 0: tag, 1: element = "", 2: inside = "", index } of text.matchAll(TAG)) {
    const attributes = [...inside.matchAll(ATTRIBUTE)];
    const named = attributes.find(
      ([, key = "", one, other]) => NAMING.test(key) && isName(one ?? other ?? ""),
    );
    const name = isName(element) ? element : (named?.[2] ?? named?.[3] ?? "");
    const end = index + tag.length;
    if (element.toLowerCase() === "key") {
      const next = NEXT.exec(text.slice(end, end + 1_200));
      if (next !== null && isName(next[1] ?? ""))
        keep(next[2] ?? "", end + next[0].length - (next[2] ?? "").length - 2, next[1] ?? "");
    }
    if (name === "" || /^key$/i.test(element)) continue;
    for (const { 0: whole, 1: key = "", 2: one, 3: other, index: at } of attributes)
      if (HOLDING.test(key))
        keep(
          one ?? other ?? "",
          index + 1 + element.length + at + whole.length - 1 - (one ?? other ?? "").length,
          name,
        );
    const inner = TEXT.exec(text.slice(end, end + 1_100));
    if (inner !== null) keep(inner[1] ?? "", end + inner[0].indexOf(inner[1] ?? ""), name);
  }
  return found;
}
