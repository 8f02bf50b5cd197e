import { breaths } from "../core/base.ts";
import { clip } from "../core/text/cut.ts";
import { contentTerms, termSet } from "../core/text/terms.ts";
import { excerpt } from "../memory/recalling/excerpt.ts";
import type { MemoryPast } from "../session/options/tidemark-api.ts";
import type { Kept, Who } from "../session/ports.ts";
import { readTurn } from "./history-api.ts";

/** Messages of a conversation that are looked into, the latest, and those that are shown of all. */
const [LOOKED, QUOTED] = [1_000, 5];
/** Characters of a message. */
const SHOWN = 300;

/** Where a memory came from; undefined where the identity does not see it. */
export async function pastOf(
  { store }: Pick<Kept, "store">,
  { memories, root }: Who,
  id: string,
): Promise<MemoryPast | undefined> {
  const values = await memories.past(id);
  if (values.length === 0) return undefined;
  const terms = new Set(values.flatMap(({ memory }) => contentTerms(memory.content).terms));
  const pause = breaths();
  const found = [];
  for (const { session = "", first, last } of await store.learnt({ root, memory: id })) {
    const from = Math.max(first, last - LOOKED);
    for (const [offset, { body, ...row }] of (await store.bodies(session, from, last)).entries()) {
      const { speaker: role = row.role, text } = readTurn(body);
      const shared = termSet(text).intersection(terms).size;
      const place = { conversation: session, position: from + offset, at: row.at };
      found.push({ shared, text, said: { ...place, role } });
      await pause();
    }
  }
  const most = Math.max(1, ...found.map(({ shared }) => shared));
  const telling = found.filter(({ shared }) => shared > most / 2);
  // A branch holds the messages of the conversation it began with: the earlier one is named.
  const once = new Map(telling.map((one) => [`${one.said.at} ${one.text}`, one]));
  const said = [...once.values()]
    .sort((one, other) => other.shared - one.shared || one.said.at - other.said.at)
    .slice(0, QUOTED)
    .map(({ text, said }) => ({ ...said, text: clip(excerpt(text, terms, SHOWN), SHOWN) }));
  const turns = (await store.ended?.({ root, memory: id, order: "latest", limit: 100 })) ?? [];
  return { values, said, turns };
}
