import { agentScope, checkIdentity, identityKey, isRestricted, learningScope, scopesOf, writableScopes, type Identity, type Scope } from "../model/identity.ts";
import { createMemories, type MemoryRoom } from "../memory/memories.ts";
import { lru } from "../memory/lru.ts";
import { rankingRule } from "../memory/rank-options.ts";
import { type JournalEvent } from "../memory/commit.ts";
import { lineOf } from "../memory/replay.ts";
import { remembering } from "../text/remembering.ts";
import { estimateTokens } from "../tokens/estimate.ts";
import { type ReceiptLine } from "../workspace/receipt-line.ts";
import { type Workspace } from "../workspace/workspace.ts";
import { type Core, type Who } from "./core.ts";
import { tellWordsOnly } from "./recall/embedding.ts";
import { createReconciler } from "./keep/reconcile.ts";

/** Identities kept, some kilobytes each; to make one again is to look for its files, which takes longer than to answer it. */
const IDENTITIES = 2_048;

/** An identity, and how to have its memory know what others wrote to its files since: only who reads memory waits for that. */
export interface Found {
  readonly who: Who;
  /** Was there anything? */
  readonly fresh: () => Promise<boolean>;
}

/** An identity with its memory; the same object for the same identity, so that its files are made once. */
export function createDirectory(core: Core) {
  const ranking = rankingRule(core.options.ranking, process.env);
  const listen = tellWordsOnly(core);
  const reconcile = createReconciler(core);
  // The facts of one fold are mostly those of the last.
  const countTokens = remembering(estimateTokens);
  const known = lru<string, { who: Who; ready: Promise<void> }>(IDENTITIES);
  const atOnce = async (identity: Identity, label?: string): Promise<Found> => {
    const root = identityKey(checkIdentity(identity));
    // A promotion keeps the conversations, not the rights of before.
    const name = JSON.stringify([root, identity.role ?? null]);
    let entry = known.get(name);
    if (!entry) {
      const scopes = scopesOf(identity);
      const room: MemoryRoom = {
        store: core.store,
        scopes,
        writes: writableScopes(identity),
        home: agentScope(identity),
        now: core.now,
        newId: core.newId,
        journal: (events, receipt) => journal(core.workspace, events, { author: authorOf(identity), ...(receipt === undefined ? {} : { receipt }) }),
        alone: (work) => core.workspace.alone(work),
        listen,
        countTokens,
        ranking,
        mask: core.mask,
        ...(core.embedding === undefined ? {} : { meaning: core.embedding.meaning }),
        ...(core.options.lifetimes === undefined ? {} : { lifetimes: core.options.lifetimes }),
      };
      entry = { who: { identity, root, scopes, learns: learningScope(identity), memories: createMemories(room), byAgent: createMemories({ ...room, origin: "agent" }) }, ready: core.off ? Promise.resolve() : core.workspace.scaffold(scopes) };
      known.set(name, entry);
    }
    const { who, ready } = entry;
    await ready;
    return { who: label === undefined ? who : { ...who, label }, fresh: () => reconcile(who.scopes) };
  };
  const whole = async (identity: Identity, label?: string): Promise<Who> => {
    const { who, fresh } = await atOnce(identity, label);
    await fresh();
    return who;
  };
  return Object.assign(whole, { atOnce });
}

export type Directory = ReturnType<typeof createDirectory>;

const authorOf = (identity: Identity): string => [identity.role ?? "worker", ...scopesOf(identity)].join("+");

/** Events into the daily log of their scope, and out of MEMORY.md what no longer holds. */
export async function journal(workspace: Workspace, events: readonly JournalEvent[], { author, receipt }: { author: string; receipt?: ReceiptLine }): Promise<void> {
  const scopes = new Set([...events.map(({ memory }) => memory.scope), ...(receipt === undefined ? [] : [receipt.scope])]);
  for (const scope of scopes) {
    const mine = events.filter(({ memory }) => memory.scope === scope);
    await workspace.log(mine.map((event) => ({ ...lineOf(event), ...(isRestricted(scope) ? { author } : {}) })), scope, receipt?.scope === scope ? receipt : undefined);
    const gone = mine.filter(({ event, unborn }) => event === "forgotten" && unborn !== true).map(({ memory }) => memory.id);
    if (gone.length > 0) await workspace.forget(gone, scope);
    const unborn = mine.filter((event) => event.unborn === true).map(({ memory }) => memory.id);
    if (unborn.length > 0) await workspace.forget(unborn, scope, { sayings: false });
    const stale = mine.filter(({ event }) => event === "updated" || event === "superseded").map(({ memory }) => memory.id);
    if (stale.length > 0) await workspace.retire(stale, scope as Scope);
  }
}
