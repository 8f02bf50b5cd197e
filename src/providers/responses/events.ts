import { asDict, asText, type Dict, isDict } from "../../core/base.ts";

const ENDED = /^response\.(?:completed|incomplete|failed|cancelled)$/;

/** What nothing can be told by yet: the model may still refuse the request. */
const BEFORE = /^response\.(?:created|queued|in_progress)$/;
export const saysNothing = ({ type }: Dict): boolean => BEFORE.test(asText(type));

/**
 * Puts a response together from its events; of what was cut off, whole items are given and the
 * words of the one under way. Half a call was never made.
 */
export function gatherResponse() {
  let head: Dict = {};
  let ended = false;
  const done = new Map<unknown, Dict>();
  const words = new Map<unknown, string>();

  function take(event: Dict): void {
    const { type, output_index: index, item } = event;
    if (isDict(event.response)) head = event.response;
    ended ||= ENDED.test(asText(type));
    if (type === "response.output_item.done" && isDict(item)) done.set(index, item);
    if (type === "response.output_text.delta")
      words.set(index, (words.get(index) ?? "") + asText(event.delta));
  }

  /** The response; undefined where nothing of it came. */
  function message(): Dict | undefined {
    const whole = Array.isArray(head.output) && head.output.length > 0;
    if (ended && whole) return head;
    for (const [index, text] of words)
      if (!done.has(index) && text !== "")
        done.set(index, {
          ...{ type: "message", role: "assistant", status: "incomplete" },
          content: [{ type: "output_text", text, annotations: [] }],
        });
    const output = [...done]
      .sort(([one], [other]) => Number(one) - Number(other))
      .map(([, item]) => item);
    // The provider refuses reasoning that nothing follows.
    while (asDict(output.at(-1)).type === "reasoning") output.pop();
    return output.length > 0 ? { ...head, output } : undefined;
  }

  return { take, message, complete: () => ended };
}
