import {
  agentScope,
  checkIdentity,
  identityKey,
  learningScope,
  scopesOf,
  type Identity,
} from "../../model/identity.ts";
import { createMemories } from "../../memory/memories.ts";
import type { MemoryRoom } from "../../memory/saving/room.ts";
import { lru, remembering } from "../../base/cache.ts";
import { rankingRule } from "../../memory/recalling/rank.ts";
import { estimateTokens } from "../../tokens/estimate.ts";
import { type Embedded, createDoings, type Doings, type Who, type Ports } from "../session/core.ts";
import { tellWordsOnly } from "../session/embedding.ts";
import type { Viewed } from "./journal.ts";
import { owedFor } from "./log-events.ts";
import { emptyQueue } from "./watermark.ts";
import { createFleet, type Fleet } from "./fleet.ts";
import { rightsOf, type Rights } from "../../model/rights.ts";

/**
 * Identities kept, some kilobytes each; to make one again is to look for its files, which takes
 * longer than to answer it.
 */
const IDENTITIES = 2_048;

type DirectoryCore = Ports & Embedded & Viewed;

/** How often a person took out of a scope's files what was remembered. */
type EndedByHand = ReadonlyMap<string, number>;

/**
 * An identity with its memory; the same object for the same identity, so that its files are made
 * once.
 */
export function createDirectory(core: DirectoryCore, endedByHand: EndedByHand) {
  const { store, now, newId, views } = core;
  const { ranking: rule, lifetimes = {} } = core.options.advanced ?? {};
  const ranking = rankingRule(rule);
  const listen = tellWordsOnly(core.emit, core.options.embed);
  const fleet = createFleet(core);
  const fresh = freshener(core, endedByHand);
  const seenOf = sightings();
  // The facts of one fold are mostly those of the last.
  const countTokens = remembering(estimateTokens);
  const known = lru<string, { who: Who; ready: Promise<void> }>(IDENTITIES);
  const atOnce = async (identity: Identity, label?: string): Promise<Who> => {
    const root = identityKey(checkIdentity(identity));
    // A promotion keeps the conversations, not the rights of before.
    const name = JSON.stringify([root, identity.role ?? null]);
    let entry = known.get(name);
    if (!entry) {
      const scopes = scopesOf(identity);
      const author = [identity.role ?? "worker", ...scopes].join("+");
      const rights: Who["rights"] = (voice) =>
        rightsIn(fleet, voice === "agent" ? ofAgent(identity) : identity);
      const room: MemoryRoom = {
        ...{ store, scopes, rights, now, newId, listen, countTokens, ranking, lifetimes },
        home: agentScope(identity),
        owed: (events) => owedFor(core, events, { author, own: scopes }),
        late: views.paySoon,
        pay: views.pay,
        meaning: core.embedding?.meaning,
        origin: "host",
      };
      const who: Who = {
        identity,
        root,
        scopes,
        rights,
        learns: learningScope(identity),
        memories: createMemories(room),
        byAgent: createMemories({ ...room, origin: "agent" }),
        byTool: createMemories({ ...room, origin: "tool" }),
        fresh: () => fresh(who),
        seen: seenOf(root),
      };
      entry = {
        who,
        ready: core.off
          ? Promise.resolve()
          : core.workspace.scaffold(scopes).then(() => fleet.note(identity)),
      };
      known.set(name, entry);
    }
    const { who, ready } = entry;
    await ready;
    return label === undefined ? who : { ...who, label };
  };
  /** `pages: false`: for a caller that is about to write, and then shows it on the pages. */
  const whole = async (
    identity: Identity,
    label?: string,
    { pages = true }: { pages?: boolean } = {},
  ): Promise<Who> => {
    const who = await atOnce(identity, label);
    if (pages) await who.fresh();
    return who;
  };
  return Object.assign(whole, {
    atOnce,
    seen: (of: Identity) => seenOf(identityKey(of)),
    /** Those that had a turn in this process. */
    spoken: () => known.values().flatMap(({ who }) => (who.seen.ended ? [who] : [])),
  });
}

function sightings() {
  const seen = lru<string, Doings>(IDENTITIES);
  return (root: string): Doings => {
    const found = seen.get(root) ?? createDoings();
    seen.set(root, found);
    return found;
  };
}

export type Directory = ReturnType<typeof createDirectory>;

/** Has memory know what others wrote to the files of an identity. Was there anything? */
function freshener(core: DirectoryCore, endedByHand: EndedByHand) {
  /** For how many endings by hand an identity's queue was emptied. */
  const emptied = lru<string, number>(IDENTITIES);
  return async (who: Who): Promise<boolean> => {
    const { scopes, learns, root } = who;
    const looks = await Promise.all(scopes.map((scope) => core.views.look(scope)));
    const times = endedByHand.get(learns) ?? 0;
    if (times > (emptied.get(root) ?? 0)) {
      emptied.set(root, times);
      await emptyQueue(core, who);
    }
    return looks.includes(true);
  };
}

/** Only a lead's reach beyond its own scopes, so only its team is looked up. */
async function rightsIn(fleet: Fleet, identity: Identity): Promise<Rights> {
  const { role, team } = identity;
  if (role !== "lead" || team === undefined) return rightsOf(identity);
  const seen = (await fleet.seen()).filter((one) => one.team === team);
  return rightsOf(
    identity,
    seen.map(({ agent }) => agent),
  );
}

/** A person's agent is no person. */
const ofAgent = (identity: Identity): Identity =>
  identity.role === "human" ? { ...identity, role: "worker" } : identity;
