import { type WeightedTerm } from "../model/store.ts";
import { type Stretch, type TurnFrequencies, type TurnKey, type TurnRow } from "../model/turns.ts";
import { type Connection } from "./database.ts";
import { TRAIT, unpacked } from "./turn-index-write.ts";

interface Row {
  id: string;
  session: string;
  position: number;
  role: string;
  name: string | null;
  text: string;
  at: number;
  ref: string | null;
}

/**
 * Rows of the index one question reads before it stops taking in commoner words: 10,000 take 4 ms. Words beyond are looked
 * up only in the stretches that the rarer ones chose.
 */
const MOST_ROWS = 10_000;

/** A page a tool has dumped is as rare as its beginning. */
const WORDS_READ = 100;

const toTurn = (row: Row, root: string): TurnRow => ({
  id: row.id,
  session: row.session,
  root,
  position: row.position,
  role: row.role,
  ...(row.name === null ? {} : { name: row.name }),
  text: row.text,
  at: row.at,
  ...(row.ref === null ? {} : { ref: row.ref }),
});

const bits = (places: number): number => ones(places % 0x1000000) + ones(Math.floor(places / 0x1000000));
function ones(value: number): number {
  let count = 0;
  for (let rest = value; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

export function turnReader(database: Connection) {
  const prepare = (sql: string) => database.prepare(sql);
  const findRoot = prepare("select number, turns, words, stretches from root where name = ?");
  const findWord = prepare("select number, turns from turn_word where root = ? and term = ?");
  const placesOf = prepare("select stretch, places from turn_place where word = ?").raw();
  const placesIn = prepare("select places from turn_place where word = ? and stretch = ?").pluck();
  const stretchOf = prepare("select at, traits from stretch where number = ?");
  const columns = "t.id, s.session, t.position, t.role, t.name, t.text, t.at, t.ref";
  const turnAt = prepare(`select ${columns} from turn t join stretch s on s.number = t.stretch where t.stretch = ? and t.place = ? and t.root = ?`);
  const wordsAt = prepare("select words from turn where stretch = ? and place = ? and root = ?").pluck();
  const counts = prepare("select number, turns from turn_word where number in (select value from json_each(?)) and term not like '@%'").raw();
  const holding = prepare(
    `select ${columns} from stretch s join turn t on t.stretch = s.number where s.root = ? and t.text like ? escape '\\' order by t.at, t.stretch, t.place limit ?`,
  );
  const rootOf = (name: string) => findRoot.get(name) as { number: number; turns: number; words: number; stretches: number } | undefined;

  return {
    frequencies(name: string, asked: readonly string[]): TurnFrequencies {
      const root = rootOf(name);
      if (root === undefined) return { documents: 0, holding: asked.map(() => 0), words: 0, stretches: 0 };
      const held = asked.map((term) => (findWord.get(root.number, term) as { turns: number } | undefined)?.turns ?? 0);
      return { documents: root.turns, holding: held, words: root.words, stretches: root.stretches };
    },

    stretches({ root: name, terms, limit }: { root: string; terms: readonly WeightedTerm[]; limit: number }): Stretch[] {
      const root = rootOf(name);
      if (root === undefined) return [];
      const words = terms
        .map(({ term, weight }, at) => ({ ...(findWord.get(root.number, term) as { number: number; turns: number } | undefined), at, weight }))
        .flatMap(({ number, turns, at, weight }) => (number === undefined || turns === undefined ? [] : [{ number, turns, at, weight }]))
        .sort((one, other) => one.turns - other.turns);
      const found = new Map<number, { weight: number; places: number[] }>();
      const left: typeof words = [];
      let read = 0;
      for (const word of words) {
        if (word.weight <= 0 || (read > 0 && read + Math.min(word.turns, root.stretches) > MOST_ROWS)) {
          left.push(word);
          continue;
        }
        for (const [stretch, places] of placesOf.all(word.number) as [number, number][]) {
          read += 1;
          let entry = found.get(stretch);
          if (entry === undefined) found.set(stretch, (entry = { weight: 0, places: terms.map(() => 0) }));
          entry.places[word.at] = places;
          const times = bits(places);
          entry.weight += (word.weight * 2 * times) / (times + 1);
        }
      }
      const best = [...found].sort(([a, one], [b, other]) => other.weight - one.weight || a - b).slice(0, limit);
      return best.map(([number, { places }]) => {
        for (const word of left) places[word.at] = (placesIn.get(word.number, number) as number | undefined) ?? 0;
        const { at, traits } = stretchOf.get(number) as { at: number; traits: Buffer };
        const turns = traits.length / TRAIT;
        const lengths = Uint16Array.from({ length: turns }, (_, place) => traits.readUInt16LE(TRAIT * place));
        const cues = Uint8Array.from({ length: turns }, (_, place) => traits.readUInt8(TRAIT * place + 2));
        return { number, at, lengths, cues, places };
      });
    },

    wordsOf(name: string, keys: readonly TurnKey[]): number[][] {
      const root = rootOf(name);
      if (root === undefined) return keys.map(() => []);
      const words = keys.map(({ stretch, place }) => {
        const blob = wordsAt.get(stretch, place, root.number) as Buffer | undefined;
        return blob === undefined ? [] : unpacked(blob.subarray(0, 4 * WORDS_READ));
      });
      const held = new Map(counts.all(JSON.stringify([...new Set(words.flat())])) as [number, number][]);
      return words.map((numbers) => numbers.flatMap((number) => held.get(number) ?? []));
    },

    turns(name: string, keys: readonly TurnKey[]): TurnRow[] {
      const root = rootOf(name);
      if (root === undefined) return [];
      return keys.flatMap(({ stretch, place }) => {
        const row = turnAt.get(stretch, place, root.number) as Row | undefined;
        return row === undefined ? [] : [toTurn(row, name)];
      });
    },

    containing({ root: name, text, limit }: { root: string; text: string; limit: number }): TurnRow[] {
      const root = rootOf(name);
      if (root === undefined) return [];
      const pattern = `%${text.replace(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
      return (holding.all(root.number, pattern, limit) as Row[]).map((row) => toTurn(row, name));
    },
  };
}
