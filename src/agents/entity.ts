import { defined } from "../core/base.ts";
import { refuse, shown } from "../core/errors-and-events.ts";
import {
  dayIn,
  isTrusted,
  lessTrusted,
  type Memory,
  type Moment,
  momentOf,
} from "../core/memory.ts";
import { edgesOf, isName } from "../core/memory-types.ts";
import { normalForm } from "../core/text/cut.ts";
import { withoutSpeaker } from "../core/text/sentences.ts";
import { outdates } from "../memory/recalling/outdated.ts";
import { byMemory } from "../memory/saving/commit.ts";
import type { EntityChange, EntityFact } from "../session/options/entity-api.ts";
import type { Who } from "../session/ports.ts";
import type { KeptValue } from "../storage/port.ts";

/** Says a sentence why it is so? From here to its end. */
const BECAUSE = /\b(?:because|since it|since the|due to|so that)\b[^.;]*/i;

const SYNTAX = /[.*+?^${}()|[\]\\/]/g;

/** How a name may stand in a text: as whole words, or as one's own. */
function naming(entity: string): (memory: Memory) => boolean {
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}])${normalForm(entity).replace(SYNTAX, "\\$&")}(?:['’]?s)?(?![\\p{L}\\p{N}])`,
    "u",
  );
  return ({ content, key = "" }) =>
    pattern.test(normalForm(content)) || pattern.test(normalForm(key.replace(/[/_-]/g, " ")));
}

const NAME = String.raw`\p{Lu}[\p{L}\p{N}'’-]*(?: \p{Lu}[\p{L}\p{N}'’-]*){0,3}`;
const ALIAS = new RegExp(
  String.raw`(${NAME})(?:,| is|,? who is)? (?:also (?:called|known as)|short for) (${NAME})`,
  "u",
);

/** Two names of one, where a trusted word tells them. */
function aliasesIn({ stored: { memory }, until }: KeptValue): readonly string[] {
  if (until !== undefined || !isTrusted(memory.origin)) return [];
  const [one = "", relation, other = ""] = edgesOf(memory) ?? [];
  return relation === "alias" ? [one, other] : (ALIAS.exec(memory.content)?.slice(1) ?? []);
}

/** Values of one memory as they followed each other, in whichever order they were told. */
function inTurn(values: readonly KeptValue[]): KeptValue[] {
  const sorted = values.toSorted((one, other) => one.stored.validFrom - other.stored.validFrom);
  return sorted.flatMap(({ stored, until = Infinity }, at) => {
    const end = Math.min(until, sorted[at + 1]?.stored.validFrom ?? Infinity);
    return end > stored.validFrom ? [{ stored, ...(end < Infinity && { until: end }) }] : [];
  });
}

/** All that names an entity, by whichever of its names, and past values of the same. */
async function told({ memories }: Who, entity: string) {
  if (!isName(entity))
    refuse(`An entity is a name, such as "billing service"; ${shown(entity)} names nothing.`);
  const values = new Map<string, KeptValue>();
  const names = new Map<string, ReturnType<typeof naming>>();
  const open = [entity];
  // A circle of names comes back to one that is known.
  for (const name of open) {
    if (names.has(normalForm(name))) continue;
    names.set(normalForm(name), naming(name));
    for (const value of await memories.named(name)) {
      const { id, version } = value.stored.memory;
      values.set(`${id} ${version}`, value);
      const aliases = aliasesIn(value);
      if (aliases.some((one) => normalForm(one) === normalForm(name))) open.push(...aliases);
    }
  }
  const all = [...byMemory([...values.values()]).values()].flatMap(inTurn);
  return { all, met: all.filter(({ stored }) => names.values().some((one) => one(stored.memory))) };
}

const holdsAt = ({ stored, until = Infinity }: KeptValue, at: number): boolean => {
  const { validFrom, memory } = stored;
  return validFrom <= at && until > at && (memory.expiresAt ?? Infinity) > at;
};

const knownOf = ({ stored: { memory, validFrom: since }, until }: KeptValue): EntityFact => ({
  memory,
  since,
  known: memory.updatedAt,
  ...defined({ until, edges: edgesOf(memory) }),
});

/** All that holds of a name at a moment, the longest first. */
export async function aboutEntity(who: Who, entity: string, at: number): Promise<EntityFact[]> {
  const { met } = await told(who, entity);
  return met
    .filter((value) => holdsAt(value, at))
    .map(knownOf)
    .sort((one, other) => one.since - other.since);
}

/** Values of a name that ended, and their successors, the earliest first. */
export async function changesOf(
  who: Who,
  entity: string,
  { since, zone }: { since?: Moment | undefined; zone?: string | undefined },
): Promise<EntityChange[]> {
  const from = since === undefined ? -Infinity : momentOf(since, "since");
  const { all, met } = await told(who, entity);
  const starts = Map.groupBy(all, ({ stored }) => stored.validFrom);
  return met
    .flatMap((old): EntityChange[] => {
      const { until, stored } = old;
      if (until === undefined || until < from) return [];
      const next = successorOf(old, starts.get(until) ?? []);
      const was = said(stored.memory);
      const now = next && said(next);
      if (was === now) return [];
      const because = BECAUSE.exec(now ?? "")?.[0];
      const after = now === undefined ? "" : ` Since then: ${now}`;
      const text = `Until ${dayIn(until, zone)}: ${was}${after}`;
      return [{ at: until, id: stored.memory.id, was, text, ...defined({ now, because }) }];
    })
    .sort((one, other) => one.at - other.at);
}

const said = ({ content }: Memory): string => withoutSpeaker(content).trim();

/** The subject and relation of its edge. */
const edgeOf = (memory: Memory): string | undefined => edgesOf(memory)?.slice(0, 2).join("|");

/** Its own next value, or one that began when it ended and makes it untrue. */
function successorOf({ stored: { memory } }: KeptValue, begun: readonly KeptValue[]) {
  const { id, scope, origin, content } = memory;
  return begun
    .map(({ stored }) => stored.memory)
    .find(
      (next) =>
        next.id === id ||
        (next.scope === scope &&
          !lessTrusted(next.origin, origin) &&
          (outdates(next.content, content) || (edgeOf(next) ?? "") === edgeOf(memory))),
    );
}
