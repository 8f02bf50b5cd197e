// What a host that changes its history costs: conversations, folds, distiller calls and tokens of one made-up
// conversation, beside the host that sends all as it came; and the same of real transcripts at two windows.
//   npm run bench -- hosts
import { openTidemark } from "../src/index.ts";
import type { Format } from "../src/core/request.ts";
import { HOSTS } from "../test/hosts/hosts.ts";
import { openHouse, play, type Way } from "../test/hosts/play.ts";
import { madeUp } from "../test/hosts/said.ts";
import { type RealHistory, realHistories } from "../test/support/histories.ts";
import { judgeOf, toolsOf } from "../test/support/replay-judge.ts";
import { asReply } from "../test/support/talk.ts";
import { record } from "./support.ts";

const STORY = madeUp(7, 40);
const WINDOW = 8_000;
const ways: Record<string, Pick<Way, "host" | "clock" | "retries" | "restarts">> = {
  ...Object.fromEntries(Object.entries(HOSTS).map(([name, host]) => [name, { host }])),
  "tells the time in its system text": { host: HOSTS.unchanged, clock: true },
  "asks each third question twice": { host: HOSTS.unchanged, retries: 3 },
  "starts anew for each turn": { host: HOSTS.unchanged, restarts: true },
};

async function hosts(format: Format): Promise<Record<string, unknown>> {
  const rows: Record<string, unknown> = {};
  for (const [name, way] of Object.entries(ways)) {
    const made = await play(STORY, { open: openTidemark, format, window: WINDOW, ...way });
    const { conversations, folds, asked, tokens, broken } = made;
    rows[name] = {
      conversations: conversations.length,
      folds,
      asked,
      tokens,
      refused: broken.length,
    };
  }
  return rows;
}

/** A transcript as its agent sent it: a call for each of its replies. Refused: only what its own call would not be. */
async function transcript({ format, system, messages }: RealHistory, window: number) {
  const house = await openHouse({ open: openTidemark, format, window, host: HOSTS.unchanged });
  const judge = judgeOf(format, { window });
  const tools = toolsOf(format, messages);
  let [tokens, refused] = [0, 0];
  for (const [at, reply] of messages.entries()) {
    if (reply.role !== "assistant" || at === 0) continue;
    const own = { model: "m", max_tokens: 100, messages: messages.slice(0, at) };
    const given = { ...own, ...(system === undefined ? {} : { system }), ...(tools && { tools }) };
    const turn = await house.tidemark.begin(given, { format });
    tokens += judge.tokens(turn.request);
    const isOurs = judge.refusal(given) === undefined && judge.refusal(turn.request) !== undefined;
    if (isOurs || judge.overflow(turn.request)) refused += 1;
    await turn.end(asReply(reply, format));
    await house.tidemark.idle();
  }
  const conversations = (await house.tidemark.history.list()).length;
  const folds = house.events.filter(({ type }) => type === "folded").length;
  await house.leave();
  return { conversations, folds, asked: house.asked(), tokens, refused };
}

const TWELVE = /^(?:claude-code-(?!sub-)|pi-|swe-.*openai|tau-.*task(?:0|3|7).*openai)/;

async function transcripts(): Promise<Record<string, unknown>> {
  const rows: Record<string, unknown> = {};
  for (const real of realHistories().filter(({ name }) => TWELVE.test(name)))
    for (const window of [8_000, 32_000])
      rows[`${real.name}, ${window}`] = await transcript(real, window);
  return rows;
}

record("hosts", {
  data: `made up, 40 turns, a window of ${WINDOW} tokens; a distiller that answers at once`,
  anthropic: await hosts("anthropic"),
  "openai-chat": await hosts("openai-chat"),
  "real transcripts of shared/data/agents, by window": await transcripts(),
});
