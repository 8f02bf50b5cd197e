// Fifty short sessions on one workspace, each a process of its own: what the calls that read them afterwards cost beside them.
import Anthropic from "@anthropic-ai/sdk";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { anthropicMiddleware } from "../../src/adapters/anthropic.ts";
import { Dice } from "./trial/dice.ts";
import { scriptedModel } from "./trial/scripted.ts";
import { costOf } from "../../src/providers/common/models.ts";
import type { Complete, Message } from "../../src/core/request.ts";
import { textTokens } from "../../test/support/messages-server/index.ts";
import { round } from "../support.ts";
import { PACES } from "./economy-run.ts";
import { openTimed } from "../../test/support/timed.ts";
import { timerBeside } from "./peers-clock.ts";
import { bodyOf, loop } from "./peers-plain.ts";
import { type Exchange, namesIn, talkOf, toolsFor } from "./peers-talk.ts";
import { settling } from "./peers-tidemark.ts";
import { type Booked, openWorld, prices, SYSTEM } from "./peers-world.ts";

const WINDOW = 200_000;
const HOUR = 3_600_000;
/** Exchanges of one session. */
const [LEAST, MOST] = [2, 16];

/** Tokens of system text and tools: of a bot that answers people, and of one that works with tools. */
const HEAD = { chat: 2_000, agent: 8_000 } as const;

interface ShortSession {
  readonly style: keyof typeof HEAD;
  readonly exchanges: readonly Exchange[];
}

/** Chats and work with tools by turns. */
function sessionsOf(
  count: number,
  seed: number,
  styles: readonly ShortSession["style"][],
): ShortSession[] {
  const dice = new Dice(seed);
  const talks = { chat: talkOf("chat", seed), agent: talkOf("agent", seed) };
  return Array.from({ length: count }, (_, at) => {
    const style = styles[at % styles.length] ?? "chat";
    const length = LEAST + Math.floor((MOST - LEAST + 1) * dice.next());
    const exchanges = Array.from({ length }, () => talks[style].next());
    return {
      style,
      exchanges: exchanges.map((one) => ({ ...one, pause: Math.round(1_000 * PACES.mixed(dice)) })),
    };
  });
}

const RULE =
  "Look at what there is before you change it, say what you did and what you found, and ask before anything is deleted or sent. ";
const RULE_TOKENS = 26;

const headOf = (style: keyof typeof HEAD): string =>
  `${SYSTEM}\n${RULE.repeat(Math.max(0, Math.round((HEAD[style] - textTokens(SYSTEM)) / RULE_TOKENS)))}`;

/** A script that gives as many facts as it is asked for. */
function boundedModel(seed: number): Complete {
  const script = scriptedModel({ seed, blind: 0 });
  return async (request) => {
    const answer = await script(request);
    const asked = Number(
      /About (\d+) at most/.exec(JSON.stringify(request.messages.at(-1)))?.[1] ?? Infinity,
    );
    const { facts, ...rest } = JSON.parse(answer.text) as { facts: unknown[] };
    return { ...answer, text: JSON.stringify({ facts: facts.slice(0, asked), ...rest }) };
  };
}

export async function shortSessions({
  count,
  styles = ["chat", "agent"],
  seed = 1,
}: {
  count: number;
  styles?: readonly ShortSession["style"][];
  seed?: number;
}) {
  const sessions = sessionsOf(count, seed, styles);
  const world = await openWorld({
    window: WINDOW,
    tools: toolsFor(namesIn(sessions.flatMap(({ exchanges }) => exchanges))),
    inline: false,
    blind: 0,
    seed,
    script: boundedModel(seed),
  });
  const home = mkdtempSync(join(tmpdir(), "tidemark-short-"));
  let told = 0;
  for (const { style, exchanges } of sessions) {
    const tidemark = await openTimed({
      workspace: join(home, "workspace"),
      now: world.clock.now,
      timer: timerBeside(world.clock),
      listen: (event) => void (told += event.type === "distilled" ? event.facts : 0),
    });
    world.settle = settling(world, tidemark);
    const client = new Anthropic({
      baseURL: world.server.url,
      apiKey: "local",
      maxRetries: 0,
      logLevel: "off",
      middleware: [anthropicMiddleware(tidemark)],
    });
    const messages: Message[] = [];
    const system = headOf(style);
    for (const exchange of exchanges) {
      await world.clock.pass(exchange.pause, world.settle);
      await loop(
        world,
        exchange,
        messages,
        (all) =>
          client.messages.create({
            ...bodyOf(world, all),
            system,
            cache_control: { type: "ephemeral" },
          }) as never,
      );
      world.collect();
    }
    await world.clock.pass(60_000, world.settle);
    await tidemark.close();
    await world.clock.pass(HOUR, () => Promise.resolve());
  }
  world.collect();
  await world.close();
  rmSync(home, { recursive: true, force: true });
  const of = (kind: Booked["kind"]): readonly Booked[] =>
    world.booked.filter((call) => call.kind === kind);
  // Here the host's spend is all it pays for, its replies too.
  const dollars = (calls: readonly Booked[]): number =>
    calls.reduce((sum, { usage }) => sum + costOf(usage, prices), 0);
  const [host, ours] = [dollars(of("turn")), dollars(of("memory"))];
  return {
    sessions: count,
    exchanges: sessions.flatMap(({ exchanges }) => exchanges).length,
    calls: of("turn").length,
    readLater: of("memory").length,
    facts: told,
    dollars: { host: round(host), ours: round(ours) },
    share: round(ours / host),
  };
}
