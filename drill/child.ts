// A host that talks until it is killed. Its word goes to a pipe, which outlives it.
import { openTidemark } from "../src/index.ts";
import type { Complete } from "../src/core/request.ts";
import { aboutIn, distillerFor } from "./host.ts";
import { type Ack, hear, nothingTold, type Orders, play, scriptOf, type Told } from "./script.ts";

/** The window of every drill: small enough for a fold every few calls. */
export const WINDOW = { tokens: 5_000, patience: 15 };

export async function live({ workspace, calls, until, acks, clock }: Orders): Promise<void> {
  const told: Told = nothingTold();
  for (const ack of acks) hear(told, ack);
  const tell = (ack: Ack): void => {
    hear(told, ack);
    process.stdout.write(`${JSON.stringify(ack)}\n`);
  };
  let time = clock;
  const tidemark = await openTidemark({
    workspace,
    distil: telling(told, tell),
    cache: false,
    recall: false,
    window: WINDOW,
    now: () => (time += 50),
  });
  const steps = scriptOf(calls);
  for (let index = told.done; index < until; index += 1) {
    const step = steps[index];
    if (step !== undefined) await play(tidemark, { step, index, steps, told, tell });
    await new Promise(setImmediate);
  }
  await tidemark.close();
}

/** The distiller, which never says the same twice, and word of what it was asked for facts of. */
export const telling =
  (told: Told, tell: (ack: Ack) => void): Complete =>
  async (request) => {
    const reply = await distillerFor((n) => (told.askings.get(n) ?? 0) + 1)(request);
    tell({ ack: "asked", messages: factsIn(reply.text) });
    return reply;
  };

const factsIn = (reply: string): number[] =>
  (JSON.parse(reply) as { facts: { content: string }[] }).facts.flatMap(
    ({ content }) => aboutIn(content) ?? [],
  );

if (process.argv[1] === import.meta.filename) {
  process.stdout.write('{"ready":true}\n');
  await live(JSON.parse(process.argv[2] ?? "{}") as Orders);
}
