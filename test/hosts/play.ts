import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { openTidemark, Options, Tidemark, TidemarkEvent } from "../../src/index.ts";
import type { Format, Message, ProviderRequest } from "../../src/core/request.ts";
import { judgeOf, toolsOf } from "../support/replay-judge.ts";
import { asReply, countingDistiller } from "../support/talk.ts";
import type { Host } from "./hosts.ts";
import { asMessages, type Exchange, type Said } from "./said.ts";

export interface Way {
  readonly open: typeof openTidemark;
  readonly format: Format;
  readonly host: Host;
  readonly window?: number;
  /** A new process between two turns. */
  readonly restarts?: boolean;
  /** The clock stands in the system text. */
  readonly clock?: boolean;
  /** Each so-manieth question is asked twice, the first time without an answer. */
  readonly retries?: number;
  readonly options?: Partial<Options>;
  readonly tools?: readonly unknown[];
}

export interface Played {
  readonly conversations: Message[][];
  readonly folds: number;
  readonly asked: number;
  readonly tokens: number;
  /** Tags of what was distilled, in their order. */
  readonly seen: readonly string[];
  readonly requests: readonly ProviderRequest[];
  readonly events: readonly TidemarkEvent[];
  /** Folds under the mark, and requests that a strict provider refuses. */
  readonly broken: readonly string[];
}

const SYSTEM = "You help at the harbour.";

/** A process that may end between two turns. */
export async function openHouse({ open, window = 6_000, restarts, options }: Way) {
  const { complete, seen } = countingDistiller();
  const home = restarts === true ? mkdtempSync(join(tmpdir(), "tidemark-hosts-")) : undefined;
  const events: TidemarkEvent[] = [];
  let [time, asked] = [Date.UTC(2026, 0, 1), 0];
  const start = (): Promise<Tidemark> =>
    open({
      workspace: home ?? false,
      distil: (ask) => {
        asked += 1;
        return complete(ask);
      },
      window: { tokens: window, reserve: 400, patience: 0 },
      cache: false,
      recall: false,
      now: () => (time += 1_000),
      listen: (event) => events.push(event),
      ...options,
    });
  let tidemark = await start();
  return {
    get tidemark() {
      return tidemark;
    },
    events,
    seen,
    asked: () => asked,
    restart: async (): Promise<void> => {
      await tidemark.close();
      tidemark = await start();
    },
    leave: async (): Promise<void> => {
      await tidemark.close();
      if (home !== undefined) rmSync(home, { recursive: true, force: true });
    },
  };
}

export type House = Awaited<ReturnType<typeof openHouse>>;

/** Says one exchange behind what was said, as the host sends it; answers the requests as sent. */
export async function say(
  house: House,
  { format, host, clock, tools = [] }: Way,
  { before, exchange, turn }: { before: readonly Said[]; exchange: Exchange; turn: number },
): Promise<ProviderRequest[]> {
  const sent: ProviderRequest[] = [];
  for (const [index, said] of exchange.entries()) {
    if (said.who !== "assistant") continue;
    const shown = host([...before, ...exchange.slice(0, index)], turn);
    const system = clock === true ? `${SYSTEM} It is 10:${10 + turn}.` : SYSTEM;
    const messages = asMessages(shown, format);
    const given = { model: "m", max_tokens: 100, ...(tools.length > 0 ? { tools } : {}) };
    const begun = await house.tidemark.begin(
      format === "anthropic"
        ? { ...given, system, messages }
        : { ...given, messages: [{ role: "system", content: system }, ...messages] },
      { format },
    );
    sent.push(begun.request);
    const [reply] = asMessages([said], format);
    if (reply) await begun.end(asReply(reply, format));
  }
  return sent;
}

/** Plays a conversation through one host, from its first question to its last reply. */
export async function play(exchanges: readonly Exchange[], given: Way): Promise<Played> {
  const tools = toolsOf(given.format, asMessages(exchanges.flat(), given.format));
  const way: Way = { ...given, ...(tools ? { tools } : {}) };
  const house = await openHouse(way);
  const requests: ProviderRequest[] = [];
  try {
    const before: Said[] = [];
    for (const [turn, exchange] of exchanges.entries()) {
      if (way.retries !== undefined && turn % way.retries === way.retries - 1)
        await say(house, way, { before, exchange: unanswered(exchange), turn });
      requests.push(...(await say(house, way, { before, exchange, turn })));
      before.push(...exchange);
      await house.tidemark.idle();
      if (way.restarts === true) await house.restart();
    }
    return { ...(await figures(house)), ...counts(house, requests, way) };
  } finally {
    await house.leave();
  }
}

/** The question, and a first reply that nobody keeps. */
const unanswered = (exchange: Exchange): Exchange => [
  ...exchange.slice(0, 1),
  { who: "assistant", text: "Sorry, I did not get that one right at all; ask me once more." },
];

async function figures({ tidemark }: House): Promise<Pick<Played, "conversations">> {
  const listed = await tidemark.history.list();
  return {
    conversations: await Promise.all(
      listed.map(async ({ id }) => (await tidemark.history.read({ conversation: id })).messages),
    ),
  };
}

function counts(
  { events, seen, asked }: House,
  requests: readonly ProviderRequest[],
  { format, window = 6_000 }: Way,
): Omit<Played, "conversations"> {
  const judge = judgeOf(format, { window });
  const folded = events.filter((event) => event.type === "folded");
  const tokens = requests.reduce((sum, request) => sum + judge.tokens(request), 0);
  return {
    folds: folded.length,
    asked: asked(),
    tokens,
    seen,
    requests,
    events,
    broken: requests.flatMap((request) => judge.refusal(request) ?? []),
  };
}
