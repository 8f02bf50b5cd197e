import { type Fact } from "../../distil/distiller.ts";

/** What a session's distilling has stored of late, by its words: a later summary need not say it again. */
export function createHeard() {
  const bySession = new Map<string, readonly string[]>();
  return {
    of: (session: string): readonly string[] => bySession.get(session) ?? [],
    add: (session: string, facts: readonly Fact[]): void => {
      const all = [...(bySession.get(session) ?? []), ...facts.map(({ content }) => content)];
      bySession.delete(session);
      bySession.set(session, all.slice(-FACTS));
      const oldest = bySession.size > SESSIONS ? bySession.keys().next().value : undefined;
      if (oldest !== undefined) bySession.delete(oldest);
    },
  };
}

/** Beyond these a thing may be saved a second time in other words, which costs a line. */
const FACTS = 300;
const SESSIONS = 256;
