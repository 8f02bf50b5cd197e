import { chmodSync, cpSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { isTidemarkError, type TidemarkEvent } from "../../src/core/errors-and-events.ts";
import type { Options, Tidemark } from "../../src/session/options/tidemark-api.ts";
import { asReply, assistant, requestOf, user } from "./talk.ts";

export const HEARD = "Nobody expects the harbour master.";

export const home = mkdtempSync(join(tmpdir(), "tidemark-faults-"));
let made = 0;
export const fresh = (): string => join(home, `${(made += 1)}`);
export const START = Date.UTC(2026, 10, 21, 10);

export async function open(
  workspace: string,
  options: Partial<Options> = {},
): Promise<{ tidemark: Tidemark; events: TidemarkEvent[] }> {
  const events: TidemarkEvent[] = [];
  let now = START;
  const tidemark = await openTidemark({
    workspace,
    distil: "extractive",
    listen: (event) => events.push(event),
    now: () => (now += 1),
    ...options,
  });
  return { tidemark, events };
}

/** A turn of a loop of the caller's own: it must get its request and take its reply whatever is broken. */
export async function talk(tidemark: Tidemark, words: string): Promise<void> {
  const turn = await tidemark.begin(requestOf([user(words)]));
  expect(turn.request.messages).toHaveLength(1);
  await turn.end(asReply(assistant(`Heard: ${words}`)));
}

export const TALKS = 12;
export const TURNS = 8;
export const wordsOf = (talked: number, turn: number): string =>
  `Boat ${talked} carries crate ${turn} of ${"salted herring ".repeat(20)}`;

/** Conversations, a fold, pins and memories. */
async function live(workspace: string): Promise<void> {
  const { tidemark } = await open(workspace);
  for (let talked = 0; talked < TALKS; talked += 1) {
    const messages = Array.from({ length: TURNS }, (_, turn) =>
      turn % 2 === 0 ? user(wordsOf(talked, turn)) : assistant(wordsOf(talked, turn)),
    );
    const turn = await tidemark.begin(requestOf(messages.slice(0, -1)));
    await turn.end(asReply(messages.at(-1) as never));
  }
  for (let fact = 0; fact < 30; fact += 1)
    await tidemark.memory.save({
      content: `Quay ${fact} belongs to captain number ${fact}.`,
      key: `quay-${fact}`,
    });
  await tidemark.pin("Never throw herring overboard.");
  await tidemark.close();
}

let healthy: Promise<string> | undefined;

async function lived(): Promise<string> {
  const folder = fresh();
  await live(folder);
  return folder;
}

/** A workspace of its own with all that `live` leaves. */
export async function copy(): Promise<string> {
  const folder = fresh();
  cpSync(await (healthy ??= lived()), folder, { recursive: true });
  chmodSync(join(folder, ".tidemark"), 0o700);
  return folder;
}

export const said = (events: readonly TidemarkEvent[]): string =>
  events
    .flatMap((event) => (event.type === "degraded" ? [`${event.where}: ${event.error}`] : []))
    .join("\n");

/** Opens or rejects with one sentence of ours; opened, a turn goes its way. Answers what was said. */
export async function tryToTalk(workspace: string): Promise<string> {
  try {
    const { tidemark, events } = await open(workspace);
    await talk(tidemark, HEARD);
    await tidemark.close().catch((thrown: unknown) => expect(isTidemarkError(thrown)).toBe(true));
    return said(events);
  } catch (thrown) {
    expect(isTidemarkError(thrown), String(thrown)).toBe(true);
    expect((thrown as Error).message).not.toContain("\n");
    return (thrown as Error).message;
  }
}

/** Every conversation that is listed can be read, and says only what was said. */
export async function readsTrue(tidemark: Tidemark): Promise<number> {
  let messages = 0;
  const all = new Set(
    Array.from({ length: TALKS }, (_, talked) =>
      Array.from({ length: TURNS }, (__, turn) => wordsOf(talked, turn)),
    ).flat(),
  );
  for (const { id } of await tidemark.history.list()) {
    for (const message of (await tidemark.history.read({ conversation: id })).messages) {
      if (typeof message.content === "string" && message.content.startsWith("Boat")) {
        expect(all.has(message.content)).toBe(true);
        messages += 1;
      }
    }
  }
  return messages;
}
