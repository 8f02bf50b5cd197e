// Ways of keeping a conversation under its window, side by side: the same conversations, one strict local server with the
// provider's cache rules and prices, and calls of memory that take three seconds of the server's clock.
//   npm run bench -- peers [part of a contestant's name [turns], or `waits`, or `chart`]
// `waits` and `chart` go by the figures there are; transcripts of ../shared/data/agents are played
// where they lie there.
import { fork } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { KINDS } from "./support/trial/canary.ts";
import { median, percentile, round } from "./support.ts";
import { aiSdk } from "./support/peers-ai-sdk.ts";
import { peersChart, WINDOW } from "./support/peers-bars.ts";
import { BLIND, FOLDS, survival, type Survival } from "./support/peers-canaries.ts";
import type { Contestant } from "./support/peers-contestant.ts";
import { wholeCosts } from "./support/peers-full.ts";
import { langchain } from "./support/peers-langchain.ts";
import { mastra } from "./support/peers-mastra.ts";
import { fullHistory, serverCompaction, slidingWindow } from "./support/peers-plain.ts";
import {
  type Conversation,
  conversationOf,
  dollarsOf,
  play,
  type Played,
  readShare,
} from "./support/peers-play.ts";
import { transcriptFiles, type TalkStyle } from "./support/peers-talk.ts";
import { beginEnd, middleware, type Ours } from "./support/peers-tidemark.ts";
import { distillerWaits, ownWaits } from "./support/peers-waits.ts";
import { MODEL, SUMMARY_MS } from "./support/peers-world.ts";

const USUAL = 1_000;
const TURNS = Number(process.argv[3] ?? USUAL);
const CANARY_WINDOW = 16_000;
/** Where a turn takes long by itself, fewer are played. */
const SLOW = 300;
const PATIENCE = 300;

const only = process.argv[2] ?? "";
const contestants = [
  beginEnd,
  middleware,
  fullHistory,
  slidingWindow,
  serverCompaction,
  ...langchain(),
  aiSdk(),
  mastra(),
].filter(({ name }) => name.includes(only));
const say = (...words: unknown[]): void =>
  console.error(`${Math.round(performance.now() / 1_000)} s`, ...words);

const styles: TalkStyle[] = [
  "agent",
  "chat",
  ...(transcriptFiles().length > 0 ? (["transcripts"] as const) : (["support"] as const)),
];
/** As many exchanges as make the turns, each call of the model being one. */
function ofTurns(style: TalkStyle, seed: number): Conversation {
  const whole = conversationOf(style, seed, TURNS);
  let calls = 0;
  const enough = whole.exchanges.findIndex(({ steps }) => (calls += steps.length) >= TURNS);
  return { ...whole, exchanges: whole.exchanges.slice(0, enough + 1) };
}

const every = (): Conversation[] => styles.map((style, at) => ofTurns(style, at + 1));

interface Folding {
  readonly folds: number;
  readonly waitedBefore: number;
  readonly longestWait: number;
}
/** Folds of Tidemark's that made anyone wait for a summary. */
function foldingOf(running: unknown): Folding {
  const { events } = running as Ours;
  const waited = events.flatMap((event) =>
    event.type === "notice" && event.about === "waited" ? [event] : [],
  );
  return {
    folds: events.filter(({ type }) => type === "folded").length,
    waitedBefore: waited.length,
    longestWait: Math.max(0, ...waited.map(({ ms }) => ms)),
  };
}

const begun = new Date();
const isOurs = ({ name }: Contestant): boolean => name.startsWith("Tidemark");
const middle = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : median(values);

interface Row {
  played: Played;
  folding?: Folding;
  waits: readonly number[];
  whole: number;
  plain: number;
}

async function rowOf(contestant: Contestant, { exchanges, ...about }: Conversation): Promise<Row> {
  let folding: Folding | undefined;
  const conversation = {
    ...about,
    exchanges: contestant.slow === true ? exchanges.slice(0, SLOW) : exchanges,
  };
  const played = await play(contestant, conversation, { window: WINDOW }, (running) => {
    if (isOurs(contestant)) folding = foldingOf(running);
  });
  const { waits } = played;
  const whole = wholeCosts(conversation).slice(
    0,
    played.booked.filter(({ kind }) => kind === "turn").length,
  );
  const row = {
    played,
    waits,
    whole: whole.reduce((sum, { cached }) => sum + cached, 0),
    plain: whole.reduce((sum, { plain }) => sum + plain, 0),
    ...(folding ? { folding } : {}),
  };
  say(
    contestant.name,
    conversation.style,
    played.refused ?? `${played.folds} folds`,
    "cost",
    round(dollarsOf(played.booked) / row.whole),
    "p99",
    percentile(waits, 0.99),
    `${played.seconds} s`,
  );
  return row;
}

const figureOf = ({ played, folding, waits, whole, plain }: Row) => ({
  turns: played.booked.filter(({ kind }) => kind === "turn").length,
  ...(played.refused === undefined ? {} : { refused: played.refused }),
  folds: played.folds,
  callsOfMemory: played.booked.filter(({ kind }) => kind === "memory").length,
  dollars: {
    input: round(dollarsOf(played.booked)),
    ofThatMemory: round(dollarsOf(played.booked, "memory")),
    fullHistoryCached: round(whole),
    fullHistoryUncached: round(plain),
  },
  cost: round(dollarsOf(played.booked) / whole),
  readFromCache: readShare(played.booked, "turn"),
  ...(dollarsOf(played.booked, "memory") > 0
    ? { memoryReadFromCache: readShare(played.booked, "memory") }
    : {}),
  addedWaitMs: {
    p50: percentile(waits, 0.5),
    p99: percentile(waits, 0.99),
    max: round(Math.max(0, ...waits)),
  },
  ...(folding
    ? {
        foldsThatMadeAnyoneWait:
          folding.folds === 0 ? 0 : round(folding.waitedBefore / folding.folds),
        longestWaitForASummaryMs: folding.longestWait,
      }
    : {}),
});

const load = (): number[] => loadavg().map((each) => Math.round(each * 10) / 10);

interface Part {
  readonly style: TalkStyle;
  readonly of: Readonly<
    Record<
      string,
      {
        figure: ReturnType<typeof figureOf>;
        survived: Survival;
        withAll: Survival;
        refusedThinking?: string;
        thought: boolean;
      }
    >
  >;
}

/** One style in a process of its own: all contestants in it, one after the other. */
async function part(at: number): Promise<Part> {
  const style = styles[at] ?? "chat";
  const conversation = ofTurns(style, at + 1);
  const thoughtful = conversationOf(style, at + 11, style === "chat" ? 160 : 80);
  const of: Record<string, Part["of"][string]> = {};
  let length: number | undefined;
  for (const contestant of contestants) {
    // The middleware is the same engine: its waits and its price are looked at once.
    if (contestant === middleware && at > 0) continue;
    const plant = (blind: number): Promise<Survival> =>
      survival(contestant, {
        style,
        seed: at + 1,
        window: CANARY_WINDOW,
        blind,
        ...(length === undefined ? {} : { length }),
      });
    const survived = await plant(BLIND);
    length ??= survived.exchanges;
    const withAll = await plant(0);
    say(
      "canaries",
      contestant.name,
      style,
      `${survived.folds} folds`,
      survived.inPrompt.filter((prompt, index) => prompt || survived.inSearch[index]).length,
      "of",
      survived.canaries.length,
    );
    const row = await rowOf(contestant, conversation);
    const thought = contestant !== fullHistory;
    const think = async (): Promise<string | undefined> => {
      const { refused, answered } = await play(contestant, thoughtful, {
        window: CANARY_WINDOW,
        thinking: true,
        blind: 1 / 3,
      });
      say("thinking", contestant.name, style, refused ?? "accepted");
      return refused === undefined ? undefined : `exchange ${answered + 1} of ${style}: ${refused}`;
    };
    const refusedThinking = thought ? await think() : undefined;
    of[contestant.name] = {
      figure: figureOf(row),
      survived,
      withAll,
      thought,
      ...(refusedThinking === undefined ? {} : { refusedThinking }),
    };
  }
  return { style, of };
}

const inProcess = (at: number): Promise<Part> =>
  new Promise((resolve, reject) => {
    const child = fork(import.meta.filename, [only, String(TURNS), String(at)]);
    child.on("message", (made) => resolve(made as Part));
    child.on("error", reject);
    child.on(
      "exit",
      (code) => code !== 0 && reject(new Error(`the part ${styles[at]} ended with ${code}`)),
    );
  });

const RESULTS = join(import.meta.dirname, "results/peers.json");
if (only === "waits") {
  // Beside the figures there are: it wants a quieter machine than the rest.
  const kept = JSON.parse(readFileSync(RESULTS, "utf8")) as Record<string, unknown>;
  const waits = await ownWaits(every(), WINDOW);
  const atTheBrim = await distillerWaits();
  console.log(JSON.stringify({ waits, atTheBrim }, null, 2));
  writeFileSync(
    RESULTS,
    `${JSON.stringify({ ...kept, ownTimeOfATurnMs: waits, waitsForADistillerMs: atTheBrim }, null, 2)}\n`,
  );
  process.exit(0);
}
/** The chart of the figures there are. */
const draw = (figures: Readonly<Record<string, unknown>>): void =>
  writeFileSync(join(import.meta.dirname, "../docs/peers.svg"), peersChart(figures));

if (only === "chart") {
  draw((JSON.parse(readFileSync(RESULTS, "utf8")) as { figures: Record<string, unknown> }).figures);
  process.exit(0);
}
const own = process.argv[4];
if (own !== undefined) {
  const made = await part(Number(own));
  await new Promise((sent) => process.send?.(made, sent));
  process.exit(0);
}
const before = load();
const parts: Part[] = [];
// One after the other: beside each other they would wait for a core, and that would count as a wait of the contestant's.
for (const at of styles.keys()) parts.push(await inProcess(at));

function canariesOf(all: readonly Survival[]) {
  const found = all.flatMap(({ canaries, inPrompt, inSearch }) =>
    canaries.map((canary, at) => ({
      kind: canary.kind,
      prompt: inPrompt[at] === true,
      recall: inSearch[at] === true,
    })),
  );
  const share = (chosen: typeof found, test: (one: (typeof found)[number]) => boolean): number =>
    round(chosen.filter(test).length / Math.max(1, chosen.length));
  const either = ({ prompt, recall }: (typeof found)[number]): boolean => prompt || recall;
  return {
    canaries: found.length,
    answerable: share(found, either),
    inRequest: share(found, ({ prompt }) => prompt),
    bySearch: share(found, ({ recall }) => recall),
    folds: all.map(({ folds }) => folds),
    refusedBefore: all.filter(({ refused }) => refused !== undefined).length,
    kinds: Object.fromEntries(
      KINDS.map((kind) => [
        kind,
        share(
          found.filter((one) => one.kind === kind),
          either,
        ),
      ]),
    ),
  };
}

const figures = Object.fromEntries(
  contestants.map((contestant) => {
    const { name, version, how } = contestant;
    const rows = parts.flatMap(({ style, of }) =>
      of[name] ? [{ style, ...of[name].figure }] : [],
    );
    const thinking = parts.flatMap(({ of }) =>
      of[name]?.thought ? [of[name].refusedThinking] : [],
    );
    const whole = rows.filter(({ refused }) => refused === undefined);
    const ofAll = (pick: (row: (typeof rows)[number]) => number): number => median(rows.map(pick));
    return [
      name,
      {
        ...(version === undefined ? {} : { version }),
        how,
        conversationsPlayedToTheirEnd: whole.length,
        ...(rows.some(({ refused }) => refused !== undefined)
          ? {
              firstTurnRefused: Math.min(
                ...rows
                  .filter(({ refused }) => refused !== undefined)
                  .map(({ turns }) => turns + 1),
              ),
            }
          : {}),
        ...(whole.length === 0
          ? {}
          : {
              cost: middle(whole.map(({ cost }) => cost)),
              highestCost: Math.max(...whole.map(({ cost }) => cost)),
            }),
        readFromCache: ofAll(({ readFromCache }) => readFromCache),
        ...(rows.some(({ memoryReadFromCache }) => memoryReadFromCache !== undefined)
          ? {
              memoryReadFromCache: middle(
                rows.flatMap(({ memoryReadFromCache }) =>
                  memoryReadFromCache === undefined ? [] : [memoryReadFromCache],
                ),
              ),
            }
          : {}),
        addedWaitMs: {
          p50: ofAll(({ addedWaitMs }) => addedWaitMs.p50),
          p99: ofAll(({ addedWaitMs }) => addedWaitMs.p99),
          max: Math.max(...rows.map(({ addedWaitMs }) => addedWaitMs.max)),
        },
        ...(isOurs(contestant)
          ? {
              foldsThatMadeAnyoneWait: Math.max(
                ...rows.map(({ foldsThatMadeAnyoneWait = 0 }) => foldsThatMadeAnyoneWait),
              ),
              longestWaitForASummaryMs: Math.max(
                ...rows.map(({ longestWaitForASummaryMs = 0 }) => longestWaitForASummaryMs),
              ),
            }
          : {}),
        canaries: canariesOf(parts.flatMap(({ of }) => (of[name] ? [of[name].survived] : []))),
        canariesWhereTheScriptMissesNothing: canariesOf(
          parts.flatMap(({ of }) => (of[name] ? [of[name].withAll] : [])),
        ).answerable,
        ...(thinking.length > 0
          ? {
              boundThinking: {
                conversations: thinking.length,
                refused: thinking.filter((refused) => refused !== undefined).length,
                refusals: thinking.filter((refused) => refused !== undefined),
              },
            }
          : {}),
        conversations: Object.fromEntries(rows.map(({ style, ...rest }) => [style, rest])),
      },
    ];
  }),
);

const result = {
  command: "npm run bench -- peers",
  date: begun.toISOString().slice(0, 10),
  node: process.version,
  minutes: round((Date.now() - begun.getTime()) / 60_000),
  machine: { cores: availableParallelism(), load: { before, after: load() }, processesAtOnce: 1 },
  provider: `simulated: test/support/messages-server with its cache rules, prices of ${MODEL} as in src/providers/common/models.ts; a call of memory takes ${SUMMARY_MS} ms of its clock`,
  conversations: `${TURNS} turns (calls of the conversation) each, ${SLOW} exchanges for Mastra, window ${WINDOW}: ${styles.join(", ")}; pauses of seconds, minutes, and at times longer than a cache lives`,
  cost: "input of the conversation and all of memory's calls, their output too, cached or not; 1 = the full history with caching, reckoned as if no window ended it. The conversation's own replies are the same for all",
  addedWait: `ms a call waited for what the contestant did: own time by the wall clock (Tidemark: begin and end together), on a machine as busy as it was, calls of memory by the server's clock`,
  canaries: `4 of each of ${KINDS.length} kinds in each of ${styles.length} conversations, window ${CANARY_WINDOW}, after ${FOLDS} folds, or as many exchanges as Tidemark took for them; every summary is made by one script that misses a third of the sentences it is shown, those of its own last summary too, so that what is only rewritten fades; answerable: in the request as sent, or by one search of the contestant's (facts, files and history)`,
  boundThinking:
    "thinking on with a model that binds it to its prefix; a conversation ends at its first refusal",
  ownTimeOfATurnMs: await ownWaits(every(), WINDOW),
  waitsForADistillerMs: await distillerWaits(),
  patienceMs: PATIENCE,
  figures,
};

console.log(JSON.stringify(result, null, 2));
if (only === "" && TURNS === USUAL) {
  const folder = join(import.meta.dirname, "results");
  mkdirSync(folder, { recursive: true });
  writeFileSync(RESULTS, `${JSON.stringify(result, null, 2)}\n`);
  draw(figures);
}
process.exit(0);
