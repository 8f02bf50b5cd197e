import { asDict, type Dict, dicts } from "../../core/base.ts";
import { partsOf } from "./contents.ts";

/** Puts a streamed reply together; what was cut off is given as far as it came. */
export function gatherContent() {
  const parts: Dict[] = [];
  let last: Dict = {};
  let [candidate, complete]: [Dict, boolean] = [{}, false];

  function take(chunk: Dict): void {
    const [first] = dicts(chunk.candidates);
    last = { ...last, ...chunk };
    candidate = { ...candidate, ...first };
    complete ||= first?.finishReason !== undefined;
    for (const part of dicts(partsOf(first?.content))) add(part);
  }

  /** A signature stays with the part it came in. */
  function add(part: Dict): void {
    const before = parts.at(-1);
    const isPlain = ({ text, thought, ...more }: Dict): boolean =>
      typeof text === "string" && Object.keys(more).length === 0;
    if (before && isPlain(before) && isPlain(part) && before.thought === part.thought)
      parts[parts.length - 1] = { ...before, text: `${String(before.text)}${String(part.text)}` };
    else parts.push(part);
  }

  /** The reply as it would have come in one; undefined where nothing of it came. */
  function message(): Dict | undefined {
    const said = parts.filter(({ text, thoughtSignature }) => text !== "" || thoughtSignature);
    if (said.length === 0) return undefined;
    const content = { ...asDict(candidate.content), role: "model", parts: said };
    return { ...last, candidates: [{ ...candidate, content }] };
  }

  return { take, message, complete: () => complete };
}
