import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Message } from "../../src/core/request.ts";
import type { HistoryOptions } from "../../src/session/options/tidemark-api.ts";
import { asReply, openRoom, requestOf, type Room } from "./talk.ts";

export const MODES: Readonly<Record<string, HistoryOptions>> = {
  verbatim: { keep: "verbatim" },
  masked: { keep: "masked" },
};
export const modeNames = Object.keys(MODES);

/** A secret of a kind every rule set knows, another for each number. */
export const secretOf = (number: number): string =>
  `ghp_${`${number}x`.padEnd(36, "Q7bV2nK9sW4dR6tY1mZ8pL3cF5gH0jX")}`.slice(0, 40);

/** A file with what SQLite keeps beside it. */
export const bytesOf = (file: string): string =>
  existsSync(dirname(file))
    ? readdirSync(dirname(file))
        .filter((name) => join(dirname(file), name).startsWith(file))
        .map((name) => readFileSync(join(dirname(file), name), "latin1"))
        .join("\n")
    : "";

/** Plays a history call by call: each reply of the assistant's is archived where it came. */
export async function play(
  room: Pick<Room, "tidemark">,
  history: readonly Message[],
  format: "anthropic" | "openai-chat" = "anthropic",
): Promise<void> {
  for (const [index, message] of history.entries()) {
    if (message.role !== "assistant" || index === 0) continue;
    const turn = await room.tidemark.begin(requestOf(history.slice(0, index)), { format });
    await turn.end(asReply(message, format));
  }
}

export const roomWith = (
  history: HistoryOptions,
  more: Parameters<typeof openRoom>[0] = {},
): Promise<Room> => openRoom({ history, inject: false, ...more });
