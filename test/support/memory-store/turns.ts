import {
  LATER,
  PAUSE,
  STRETCH,
  type Stretch,
  type TurnIndex,
  type TurnRow,
} from "../../../src/model/turns.ts";
import { cuesOf } from "../../../src/text/cues.ts";
import { turnTerms } from "../../../src/store/turns/packed-terms.ts";

interface Turn {
  readonly row: TurnRow;
  readonly found: readonly string[];
  readonly length: number;
}
interface Held {
  readonly number: number;
  readonly root: string;
  readonly session: string;
  readonly at: number;
  readonly opens: boolean;
  until: number;
  readonly turns: Turn[];
}

const WORDS_READ = 100;

type Ask = <T>(work: () => T) => Promise<T>;
const lower = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Searchable turns of a store in memory: every question walks through the root's turns. */
export function memoryTurns(ask: Ask): TurnIndex {
  let stretches: Held[] = [];
  let [last, read] = [0, 0];
  const ofRoot = (root: string): Held[] => stretches.filter((held) => held.root === root);
  const turnsOf = (root: string): Turn[] => ofRoot(root).flatMap(({ turns }) => turns);
  const counts = (root: string, besides?: string): Map<string, number> => {
    const held = new Map<string, number>();
    for (const { row, found } of turnsOf(root))
      for (const term of row.session === besides ? [] : found)
        held.set(term, (held.get(term) ?? 0) + 1);
    return held;
  };

  function add(row: TurnRow): void {
    const turn: Turn = { row, ...turnTerms(row) };
    const own = ofRoot(row.root);
    for (const { turns } of own) {
      const at = turns.findIndex((known) => known.row.id === row.id);
      if (at >= 0) return void (turns[at] = turn);
    }
    const open = own.filter(({ session }) => session === row.session).at(-1);
    const goesOn = open !== undefined && row.at - open.until < PAUSE;
    if (goesOn && open.turns.length < STRETCH) {
      open.turns.push(turn);
      open.until = Math.max(open.until, row.at);
    } else
      stretches.push({
        number: (last += 1),
        root: row.root,
        session: row.session,
        at: row.at,
        opens: !goesOn,
        until: row.at,
        turns: [turn],
      });
  }

  const shown = (
    { number, root, at, opens, turns }: Held,
    terms: readonly { readonly term: string }[],
  ): Stretch => ({
    number,
    at,
    opens,
    later: Math.min(LATER, ofRoot(root).filter((held) => held.at > at).length),
    lengths: Uint16Array.from(turns, ({ length }) => length),
    cues: Uint16Array.from(turns, ({ row }) => cuesOf(row.text, row.role)),
    places: terms.map(({ term }) =>
      turns.reduce(
        (places, { found }, place) => places + (found.includes(term) ? 2 ** place : 0),
        0,
      ),
    ),
  });

  const find = (
    root: string,
    { stretch, place }: { stretch: number; place: number },
  ): Turn | undefined => ofRoot(root).find(({ number }) => number === stretch)?.turns[place];

  return {
    add: (rows, cursor) =>
      ask(() => {
        rows.forEach(add);
        if (cursor !== undefined) read = cursor;
      }),
    frequencies: (root, terms, besides) =>
      ask(() => {
        const held = counts(root, besides);
        const turns = turnsOf(root);
        return {
          documents: turns.length,
          holding: terms.map((term) => held.get(term) ?? 0),
          words: turns.reduce((sum, { length }) => sum + length, 0),
          stretches: ofRoot(root).length,
        };
      }),
    beginning: ({ root, start, limit }) =>
      ask(() =>
        [...counts(root)]
          .filter(([term]) => term.startsWith(start))
          .map(([term, holding]) => ({ term, holding }))
          .sort((one, other) => other.holding - one.holding || (one.term < other.term ? -1 : 1))
          .slice(0, limit),
      ),
    stretches: ({ root, terms, limit, besides }) =>
      ask(() =>
        ofRoot(root)
          .filter(({ session }) => session !== besides)
          .map((held) => {
            const times = terms.map(
              ({ term }) => held.turns.filter(({ found }) => found.includes(term)).length,
            );
            return {
              held,
              weight: terms.reduce(
                (sum, { weight }, at) =>
                  sum + (Math.max(0, weight) * 2 * (times[at] ?? 0)) / ((times[at] ?? 0) + 1),
                0,
              ),
            };
          })
          .filter(({ weight }) => weight > 0)
          .sort((one, other) => other.weight - one.weight || one.held.number - other.held.number)
          .slice(0, limit)
          .map(({ held }) => shown(held, terms)),
      ),
    wordsOf: (root, keys) =>
      ask(() => {
        const held = counts(root);
        const all = turnsOf(root);
        return keys.map((key) =>
          (find(root, key)?.found ?? [])
            .slice(0, WORDS_READ)
            .filter((term) => !term.startsWith("@"))
            .map((term) => ({
              term,
              holding: held.get(term) ?? 0,
              first: all.find(({ found }) => found.includes(term)) === find(root, key),
            })),
        );
      }),
    turns: (root, keys) => ask(() => keys.flatMap((key) => find(root, key)?.row ?? [])),
    containing: ({ root, text, limit }) =>
      ask(() =>
        turnsOf(root)
          .filter(({ row }) => lower(row.text).includes(lower(text)))
          .sort((one, other) => one.row.at - other.row.at)
          .slice(0, limit)
          .map(({ row }) => row),
      ),
    remove: (sessions) =>
      ask(() => {
        const gone = stretches.filter(({ session }) => sessions.includes(session));
        stretches = stretches.filter((held) => !gone.includes(held));
        return gone.reduce((sum, { turns }) => sum + turns.length, 0);
      }),
    roots: () =>
      ask(() => [
        ...new Set(stretches.toSorted((one, other) => other.at - one.at).map(({ root }) => root)),
      ]),
    cursor: () => ask(() => read),
  };
}
