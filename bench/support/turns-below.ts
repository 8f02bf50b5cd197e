import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import type { openTidemark } from "../../src/index.ts";

const WORDS =
  "the tide comes in over the flats and the boats lift one by one while somebody counts ropes cleats fenders buckets".split(
    " ",
  );
/** Chat text of a given length, different for each seed. */
export function prose(seed: number, words: number): string {
  let state = seed * 2654435761 + 1;
  return Array.from({ length: words }, (_, index) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return `${WORDS[state % WORDS.length]}${index % 12 === 11 ? "." : ""}`;
  }).join(" ");
}
const message = (index: number, words: number) =>
  index % 2 === 0
    ? { role: "user", content: prose(index, words) }
    : { role: "assistant", content: [{ type: "text", text: prose(index, words) }] };

export interface Way {
  /** The host reads its history from JSON for each call. */
  readonly parsed?: boolean;
  /** ms the model takes; 0: it answers at once, which no model does. */
  readonly model: number;
  /** Only its own turns: nothing is looked for in what was said before. */
  readonly recall?: false;
}

/** ms of `begin` and `end` together, turn by turn, in a conversation of 200 messages and about 150k tokens that stays below the marks. */
export async function turnsBelow(
  open: typeof openTidemark,
  { parsed = false, model, ...recall }: Way,
  count = 105,
): Promise<number[]> {
  const home = mkdtempSync(join(tmpdir(), "tidemark-bench-"));
  const tidemark = await open({
    workspace: join(home, "workspace"),
    window: { tokens: 1_000_000 },
    ...recall,
  });
  let messages: Record<string, unknown>[] = Array.from({ length: 199 }, (_, index) =>
    message(index, 680),
  );
  const times: number[] = [];
  for (let turn = 0; turn < count; turn++) {
    if (parsed) messages = JSON.parse(JSON.stringify(messages)) as typeof messages;
    const start = performance.now();
    const begun = await tidemark.begin({
      model: "claude-sonnet-5-5",
      max_tokens: 1000,
      system: "You are kind.",
      messages,
    });
    const asked = performance.now();
    if (model > 0) await new Promise((resolve) => setTimeout(resolve, model));
    const answered = performance.now();
    const reply = { role: "assistant", content: [{ type: "text", text: prose(turn, 40) }] };
    await begun.end({
      ...reply,
      id: `m${turn}`,
      type: "message",
      stop_reason: "end_turn",
      usage: { input_tokens: begun.window.used, output_tokens: 50 },
    });
    times.push(asked - start + performance.now() - answered);
    if (begun.window.mark !== "below") throw new Error("the bench must stay below the mark");
    messages.push(reply, { role: "user", content: prose(turn + 7, 40) });
  }
  await tidemark.close();
  rmSync(home, { recursive: true });
  return times.slice(5);
}
