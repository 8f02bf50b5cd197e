import { remembering, slices } from "../core/base.ts";
import type { ListedSession } from "../storage/port.ts";
import { dayIn, momentOf } from "../core/memory.ts";
import type { TurnInfo } from "../core/turns.ts";
import type { Kept, Settings } from "../session/ports.ts";
import type { StatsOptions, TurnSums } from "../session/options/history-api.ts";
import { TURNS } from "../storage/history-port.ts";

/** Conversations whose turns are read at once. */
const TOGETHER = 4;
/** No day begins within one, in whichever zone. */
const QUARTER = 900_000;

/** Sums of the turns of these conversations. */
export async function turnSums(
  { store, options: { zone } }: Kept & Settings,
  sessions: readonly ListedSession[],
  { since = 0, by = "day" }: StatsOptions,
): Promise<TurnSums[]> {
  const from = momentOf(since, "since");
  const ids = sessions.filter(({ updatedAt }) => updatedAt >= from).map(({ id }) => id);
  const dayOf = remembering((quarter) => dayIn(Number(quarter) * QUARTER, zone), { most: 10_000 });
  const name = {
    day: ({ at }: TurnInfo) => dayOf(String(Math.floor(at / QUARTER))),
    model: ({ model = "" }: TurnInfo) => model,
    conversation: ({ conversation }: TurnInfo) => conversation,
  }[by];
  const sums = new Map<string, Summing>();
  for await (const slice of slices(0, ids.length, { size: TOGETHER, often: 1 })) {
    const asked = { since: from, order: "latest", limit: 2 * TURNS.kept, bare: true } as const;
    const found = ids
      .slice(slice.from, slice.to)
      .map((conversation) => store.ended?.({ ...asked, conversation }));
    for (const turns of await Promise.all(found))
      for (const turn of turns ?? []) {
        const key = name(turn);
        const sum = sums.get(key) ?? none(key);
        sums.set(key, sum);
        sum.turns += 1;
        sum.folds += turn.fold === undefined ? 0 : 1;
        for (const what of ["read", "cached", "written"] as const) sum[what] += turn[what];
        sum.dollars += turn.dollars ?? 0;
        sum.all.push(turn.ms);
      }
  }
  return [...sums.values()]
    .map(({ all, ...sum }) => ({ ...sum, ms: all.sort((a, b) => a - b)[all.length >> 1] ?? 0 }))
    .sort((a, b) => (by === "day" ? b.name.localeCompare(a.name) : b.read - a.read));
}

type Summing = { -readonly [Name in keyof TurnSums]: TurnSums[Name] } & { readonly all: number[] };

const none = (name: string): Summing => ({
  name,
  turns: 0,
  read: 0,
  cached: 0,
  written: 0,
  dollars: 0,
  folds: 0,
  ms: 0,
  all: [],
});
