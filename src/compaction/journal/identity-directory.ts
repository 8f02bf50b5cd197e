import { lru, remembering } from "../../core/base.ts";
import { degraded } from "../../core/errors-and-events.ts";
import {
  agentScope,
  checkIdentity,
  homeOf,
  type Identity,
  identityKey,
  type Rights,
  type RightsAsked,
  rightsOf,
  scopesOf,
  writesThrough,
} from "../../core/identity.ts";
import { estimateTokens } from "../../core/tokens/estimate.ts";
import { createMemories } from "../../memory/memories.ts";
import { strategyOf } from "../../memory/recalling/rank.ts";
import type { MemoryRoom } from "../../memory/saving/commit.ts";
import {
  createDoings,
  type Doings,
  type Embedded,
  type Ports,
  type Who,
} from "../../session/ports.ts";
import { owedFor } from "./log-and-conversation-pages.ts";
import type { Viewed } from "./views.ts";
import { emptyQueue } from "./queue.ts";

/** An agent as it was used in this workspace. Whom it talked to is not noted. */
interface Seen {
  readonly agent: string;
  readonly team?: string;
  readonly project?: string;
}

/**
 * Kept, the latest: a program that makes an agent for each task must not have them all read for
 * ever.
 */
const MOST_AGENTS = 5_000;

type Fleet = ReturnType<typeof createFleet>;

/** The agents seen in a workspace, by every process that has used it. */
function createFleet({ workspace, emit, off }: Ports) {
  const noted = new Set<string>();
  const seen = async (): Promise<Seen[]> => listed(await workspace.kept("agents"));
  return {
    seen,
    /**
     * Notes an agent with its team and project; once is enough. Trouble is told, and no reason to
     * lose a turn.
     */
    async note({ agent = "default", team, project }: Identity): Promise<void> {
      const one: Seen = { agent, team, project };
      const name = JSON.stringify(one);
      // An agent in neither keeps all to itself.
      if (off || noted.has(name) || (team ?? project) === undefined) return;
      noted.add(name);
      const isOther = (other: Seen): boolean => JSON.stringify(other) !== name;
      try {
        if (!(await seen()).every(isOther)) return;
        await workspace.keep("agents", (text) =>
          JSON.stringify([...listed(text).filter(isOther), one].slice(-MOST_AGENTS)),
        );
      } catch (thrown) {
        noted.delete(name);
        emit(degraded("agents seen", thrown));
      }
    },
  };
}

const listed = (text = "[]"): Seen[] => JSON.parse(text) as Seen[];

/**
 * Identities kept, some kilobytes each; to make one again is to look for its files, which takes
 * longer than to answer it.
 */
const IDENTITIES = 2_048;

type DirectoryCore = Ports & Embedded & Viewed;

/**
 * An identity with its memory; the same object for the same identity, so that its files are made
 * once.
 */
export function createDirectory(core: DirectoryCore) {
  const { store, now, newId, views } = core;
  const { ranking: rule, lifetimes = {} } = core.options.advanced ?? {};
  const ranking = strategyOf(rule);
  const isBound = !writesThrough(core.level);
  const fleet = createFleet(core);
  const fresh = freshener(core);
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
      const home = homeOf(identity);
      const author = [identity.role ?? "worker", ...scopes].join("+");
      const rights: Who["rights"] = (asked) =>
        rightsIn(fleet, identity, { ...asked, isBound, writers: core.options.writers });
      const room: MemoryRoom = {
        ...{ store, scopes, rights, now, newId, countTokens, ranking, lifetimes },
        listen: core.emit,
        home,
        owed: (events) => owedFor(core, events, { author, own: scopes }),
        late: views.paySoon,
        pay: views.pay,
        meaning: core.embedding?.meaning,
        origin: "host",
      };
      const who: Who = {
        identity: isBound ? { ...identity, project: undefined } : identity,
        root,
        scopes,
        rights,
        home,
        memories: createMemories(room),
        byHost: createMemories({ ...room, home: agentScope(identity) }),
        byAgent: createMemories({
          ...{ ...room, origin: "agent" },
          rights: () => rights({ byTools: true }),
        }),
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
      // A disk that was full may have room again.
      entry.ready.catch(() => known.delete(name));
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

/** Has memory know what people wrote to the files of an identity. */
function freshener(core: DirectoryCore) {
  /** For how many endings by hand an identity's queue was emptied. */
  const emptied = lru<string, number>(IDENTITIES);
  return async (who: Who): Promise<void> => {
    const { scopes, home, root } = who;
    await Promise.all(scopes.map(core.views.look));
    const times = core.views.endings(home);
    if (times > (emptied.get(root) ?? 0)) {
      emptied.set(root, times);
      await emptyQueue(core, who);
    }
  };
}

/** Only a lead's reach beyond its own scopes, so only its team is looked up. */
async function rightsIn(fleet: Fleet, identity: Identity, asked: RightsAsked): Promise<Rights> {
  const { role, team } = identity;
  if (role !== "lead" || team === undefined) return rightsOf(identity, asked);
  const seen = (await fleet.seen()).filter((one) => one.team === team);
  return rightsOf(identity, { ...asked, seen: seen.map(({ agent }) => agent) });
}
