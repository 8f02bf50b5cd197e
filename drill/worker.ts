// One of several workers behind a balancer, on one PostgreSQL: plays the turns it is handed until it is told to stop, or killed.
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { openTidemark } from "../src/index.ts";
import { aboutIn, distillerFor, messageOf, replyOf, requestOf } from "./host.ts";

/** Numbers of messages of one conversation. */
const SPAN = 6_000;
/** ms that the model takes, at least and more. */
const [ANSWERS, LONGER] = [200, 600];

export interface Turn {
  readonly conversation: number;
  /** Place of the user's message in it. */
  readonly at: number;
}

/** What a worker says, a line each. */
export type Said =
  | { readonly said: "ready" }
  | {
      readonly said: "turn";
      readonly turn: Turn;
      readonly below: boolean;
      readonly folded: boolean;
      readonly began: number;
      readonly ended: number;
    }
  /** The model was asked for facts of these messages, and has answered. */
  | { readonly said: "asked"; readonly messages: readonly number[] }
  | { readonly said: "event"; readonly type: string; readonly code: string };

export const userOf = (conversation: number): string => `user-${conversation}`;
export const messagesOf = (conversation: number, last: number) =>
  Array.from({ length: last + 1 }, (_, at) => messageOf(conversation * SPAN + at));

async function work(address: string, number: number): Promise<void> {
  const say = (said: Said): void => void process.stdout.write(`${JSON.stringify(said)}\n`);
  const model = distillerFor(() => number);
  const tidemark = await openTidemark({
    store: address,
    distil: async (request) => {
      await pause(ANSWERS + Math.random() * LONGER);
      const reply = await model(request);
      const { facts } = JSON.parse(reply.text) as { facts: { content: string }[] };
      say({ said: "asked", messages: facts.flatMap(({ content }) => aboutIn(content) ?? []) });
      return reply;
    },
    cache: false,
    recall: false,
    window: { tokens: 5_000, patience: 15_000 },
    listen: (event) => {
      if (event.type === "degraded" || event.type === "distil-failed")
        say({ said: "event", type: event.type, code: event.code ?? "" });
    },
  });
  async function play({ conversation, at }: Turn): Promise<void> {
    const started = performance.now();
    const turn = await tidemark
      .as({ user: userOf(conversation) })
      .begin(requestOf(messagesOf(conversation, at)), { conversation: `${conversation}` });
    const began = performance.now() - started;
    const below = turn.window.mark === "below";
    const next = performance.now();
    await turn.end(replyOf(messageOf(conversation * SPAN + at + 1), Math.ceil(turn.window.used)));
    const ended = performance.now() - next;
    const folded = turn.folded !== undefined;
    say({ said: "turn", turn: { conversation, at }, below, folded, began, ended });
  }
  say({ said: "ready" });
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === "close") break;
    void play(JSON.parse(line) as Turn);
  }
  await tidemark.close();
  process.exit();
}

if (process.argv[1] === import.meta.filename)
  await work(process.argv[2] ?? "", Number(process.argv[3]));
