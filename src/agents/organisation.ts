import { defined } from "../core/base.ts";
import { refuse, retrieving } from "../core/errors-and-events.ts";
import { CORE_POLICY, saidOf, type Scope, tagged } from "../core/identity.ts";
import { momentOf } from "../core/memory.ts";
import { outdates } from "../memory/recalling/outdated.ts";
import { corePolicies } from "../memory/saving/check.ts";
import type { AuditLine, OrgApi } from "../session/options/organisation-api.ts";
import type { Ports, Who } from "../session/ports.ts";
import { atBorder } from "./public-calls.ts";

/** A decision that is written down matters more than most of what was picked up. */
const IMPORTANCE = 0.9;

/** The organisation's words are memories of its scope, with who wrote them in their tags. */
export function orgApi(core: Ports, open: () => Promise<Who>): OrgApi {
  const { emit } = core;
  const opened = async (): Promise<{ who: Who; scope: Scope }> => {
    const who = await open();
    const { org } = who.identity;
    if (org === undefined)
      refuse("This identity has no organisation: open Tidemark with identity.org, or as({ org }).");
    return { who, scope: `org:${org}` };
  };

  return atBorder<OrgApi>(core, "org.", {
    async policies() {
      const { scope } = await opened();
      return retrieving(corePolicies(core, [scope]));
    },
    async write({ content, category, author, reason, key }) {
      const { who, scope } = await opened();
      const { role = "worker" } = who.identity;
      const isCore = category === CORE_POLICY;
      const saved = await who.memories.save({
        ...defined({ key }),
        ...{ content, category, scope, importance: isCore ? 1 : IMPORTANCE },
        tags: tagged({ author, role, reason }),
      });
      if (isCore)
        for (const other of await corePolicies(core, [scope]))
          if (other.id !== saved.id && outdates(other.content, saved.content))
            emit({
              type: "notice",
              about: "policies-differ",
              text:
                `Two core policies of ${scope} may say different things, and both are told: ` +
                `${other.id} and ${saved.id}.`,
            });
      return saved;
    },
    async query(text, { max = 5 } = {}) {
      const { who, scope } = await opened();
      return who.memories.recall(text, { scope, limit: max });
    },
    async retract(id, { author, reason } = {}) {
      const { who, scope } = await opened();
      return who.memories.retract(id, [scope], tagged({ "ended-by": author, "ended-for": reason }));
    },
    async audit({ scope: named, since, by } = {}) {
      const { who, scope } =
        named === undefined ? await opened() : { who: await open(), scope: named };
      const from = since === undefined ? -Infinity : momentOf(since, "since");
      const values = await retrieving(who.memories.values(scope));
      const last = new Map(values.map((value) => [value.stored.memory.id, value]));
      return values
        .flatMap((value): AuditLine[] => {
          const { until } = value;
          const { memory, validFrom: at } = value.stored;
          const { id, version, category, content, tags } = memory;
          const { author, role, reason, "ended-by": endedBy, "ended-for": why } = saidOf(tags);
          const of = { id, version, category, content };
          const did = version === 1 ? ("wrote" as const) : ("changed" as const);
          const made = { at, did, ...of, ...defined({ author, role, reason }) };
          if (until === undefined || last.get(id) !== value) return [made];
          const ended = { at: until, did: "retracted" as const, ...of };
          return [made, { ...ended, ...defined({ author: endedBy, reason: why }) }];
        })
        .filter(({ at, author }) => at >= from && (by === undefined || author === by))
        .sort((one, other) => one.at - other.at);
    },
  });
}
