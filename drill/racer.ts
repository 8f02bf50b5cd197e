// One of several processes on one workspace: a conversation of its own, one that all of them are in, and memory between.
import { openTidemark } from "../src/index.ts";
import { distillerFor, messageOf, replyOf, requestOf } from "./host.ts";

export interface RaceOrders {
  readonly workspace: string;
  readonly name: string;
  readonly number: number;
  /** ms since epoch. */
  readonly start: number;
  readonly end: number;
}

export interface RaceReport {
  readonly name: string;
  rounds: number;
  calls: number;
  folds: number;
  /** Of each shared conversation, the last message `begin` has resolved for. */
  readonly shared: Record<string, number>;
  /** The last of its own. */
  own: number;
  readonly failures: string[];
}

export const sayingOf = (name: string, round: number): string =>
  `Racer ${name} was here in round ${round}.`;
export const lineOf = (name: string, round: number): string =>
  `- Racer ${name} wrote this by hand in round ${round}.`;
/** Rounds between two lines by hand. */
export const BY_HAND = 10;
/** All say the next words of the shared conversation at once, so often, ms; so many times in one conversation. */
const PERIOD = 700;
const TURNS = 30;
/** Rounds of a machine so slow that it is late for its own end. */
const LEAST = 5;
const SPAN = 6_000;
export const firstOf = (conversation: number): number => conversation * SPAN;
export const SHARED = 100;

export const messagesOf = (conversation: number, last: number) =>
  Array.from({ length: last + 1 }, (_, at) => messageOf(firstOf(conversation) + at));

async function race({ workspace, name, number, start, end }: RaceOrders): Promise<RaceReport> {
  const report: RaceReport = {
    name,
    rounds: 0,
    calls: 0,
    folds: 0,
    shared: {},
    own: -1,
    failures: [],
  };
  const fail = (what: string): void =>
    void (report.failures.length < 20 && report.failures.push(what));
  const tidemark = await openTidemark({
    workspace,
    // Each has words of its own for the same.
    distil: distillerFor(() => number + 1),
    cache: false,
    recall: false,
    window: { tokens: 5_000, patience: 15 },
    listen: (event) => {
      if (event.type === "folded") report.folds += 1;
      if (event.type === "degraded" || event.type === "distil-failed") fail(JSON.stringify(event));
    },
  });
  async function call(conversation: number, last: number): Promise<void> {
    const turn = await tidemark.begin(requestOf(messagesOf(conversation, last)), {
      conversation: `race-${conversation}`,
    });
    report.calls += 1;
    await turn.end(
      replyOf(messageOf(firstOf(conversation) + last + 1), Math.ceil(turn.window.used)),
    );
  }
  let said = -1;
  for (; Date.now() < end || report.rounds < LEAST; report.rounds += 1) {
    const round = report.rounds;
    try {
      const tick = Math.max(0, Math.floor((Date.now() - start) / PERIOD));
      if (tick > said) {
        said = tick;
        const conversation = SHARED + Math.floor(tick / TURNS);
        await call(conversation, (tick % TURNS) * 2);
        report.shared[conversation] = (tick % TURNS) * 2;
      }
      if (round % 4 === 0) {
        await call(number, report.own + 1);
        report.own += 2;
      }
      await tidemark.memory.save(sayingOf(name, round));
      await tidemark.memory.save({
        content: `The counter stands at ${name} ${round}.`,
        key: "counter",
      });
      await tidemark.memory.save("All of them say this.");
      const gone = await tidemark.memory.save(`Forget ${name} ${round} Quisquilia.`);
      await tidemark.memory.forget(gone.id);
      if (round % BY_HAND === 0)
        await tidemark.workspace.edit(
          "MEMORY.md",
          (text) => `${text.trimEnd()}\n${lineOf(name, round)}\n`,
          "agent:default",
        );
      await tidemark.memory.recall("who was here?");
    } catch (thrown) {
      fail(String(thrown));
    }
  }
  await tidemark.close();
  return report;
}

if (process.argv[1] === import.meta.filename)
  console.log(JSON.stringify(await race(JSON.parse(process.argv[2] ?? "{}") as RaceOrders)));
