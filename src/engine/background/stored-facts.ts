import { lru } from "../../base/cache.ts";
import { type Fact } from "../../distil/task/distiller.ts";

/** What a session's distilling has stored of late, by its words: a later summary need not say it again. */
export function createHeard() {
  const bySession = lru<string, readonly string[]>(SESSIONS);
  const of = (session: string): readonly string[] => bySession.get(session) ?? [];
  return {
    of,
    add: (session: string, facts: readonly Fact[]): void =>
      bySession.set(
        session,
        [...of(session), ...facts.map(({ content }) => content)].slice(-FACTS),
      ),
  };
}

/** Beyond these a thing may be saved a second time in other words, which costs a line. */
const FACTS = 300;
const SESSIONS = 256;
