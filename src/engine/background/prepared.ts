import { lru } from "../../base/cache.ts";
import { type Fact } from "../../distil/task/distiller.ts";
import { persist, type Receipt } from "../journal/receipt.ts";
import { foldIn, type Sight } from "../session/outgoing.ts";

/** A summary that is ready to take the place of the entries before `upTo`, with the proof that it may. */
export interface Prepared {
  /** Of the fold to come: it stands in its text, which is measured beforehand. */
  readonly id: string;
  readonly upTo: number;
  /** The chain at `upTo - 1`: the summary holds only for exactly this beginning. */
  readonly chain: string;
  /** The fold it was made on: after another one it says twice what that one says. */
  readonly fold: string | undefined;
  /** Of the session, when it was looked at for this: an earlier look cannot tell whether it still holds. */
  readonly revision: number;
  readonly summary: string;
  readonly receipt: Receipt;
}

/** Summaries that no turn came back for are made again when one does. */
const SUMMARIES = 256;

/** The summaries at hand, one a session, each kept until a fold takes it. */
export function createPrepared() {
  const bySession = lru<string, Prepared>(SUMMARIES);

  /** The session's summary, if the session still begins as it did. */
  function of({ placed }: Sight): Prepared | undefined {
    const found = bySession.get(placed.session.id);
    if (!found) return undefined;
    if (placed.entries[found.upTo - 1]?.chain === found.chain && foldIn(placed)?.id === found.fold)
      return found;
    if (placed.session.revision >= found.revision) bySession.delete(placed.session.id);
    return undefined;
  }

  /** A branch goes on with the summary that was made of what it shares with the conversation it left, up to `most`. */
  async function adopt({ call, placed }: Sight, most: number): Promise<void> {
    const session = placed.session.id;
    if (bySession.get(session)) return;
    const shared = ({ upTo, chain, fold }: Prepared): boolean =>
      upTo <= most && placed.entries[upTo - 1]?.chain === chain && foldIn(placed)?.id === fold;
    const found = bySession.values().findLast(shared);
    const receipt =
      found &&
      (await persist(call.core, call.who, {
        of: { session, first: 0, last: found.upTo, chain: found.chain },
        facts: [],
        injected: "",
      }));
    if (receipt)
      bySession.set(session, {
        ...found,
        id: call.core.newId(),
        revision: placed.session.revision,
        receipt,
      });
  }

  return {
    of,
    adopt,
    keep: (session: string, one: Prepared): void => bySession.set(session, one),
    /** Only this fold stands now: a summary made on another is dropped. */
    standsOn: (session: string, fold: string | undefined): void => {
      if (bySession.get(session)?.fold !== fold) bySession.delete(session);
    },
  };
}

/** Beyond these a thing may be saved a second time in other words, which costs a line. */
const FACTS = 300;
const SESSIONS = 256;

/** What a session's distilling has stored of late, by its words: a later summary need not say it again. */
export function createStoredFacts() {
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
export type StoredFacts = ReturnType<typeof createStoredFacts>;
