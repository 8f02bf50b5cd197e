import { defined } from "../core/base.ts";
import { refuse, shown } from "../core/errors-and-events.ts";
import { dayIn, lessTrusted, type Memory, type Moment, momentOf } from "../core/memory.ts";
import { normalForm } from "../core/text/cut.ts";
import { withoutSpeaker } from "../core/text/sentences.ts";
import { contentTerms } from "../core/text/terms.ts";
import { outdates } from "../memory/recalling/outdated.ts";
import type { EntityChange, EntityFact } from "../session/options/entity-api.ts";
import type { Who } from "../session/ports.ts";
import type { KeptValue } from "../storage/port.ts";

/** Says a sentence why it is so? From here to its end. */
const BECAUSE = /\b(?:because|since it|since the|due to|so that)\b[^.;]*/i;

const SYNTAX = /[.*+?^${}()|[\]\\/]/g;

/** How a name may stand in a text: as whole words, or as one's own. */
function naming(entity: string): (memory: Memory) => boolean {
  const name = normalForm(entity);
  // "It" and "the user" are whatever was spoken of last.
  if (contentTerms(entity).terms.length === 0)
    refuse(`An entity is a name, such as "billing service"; ${shown(entity)} names nothing.`);
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}])${name.replace(SYNTAX, "\\$&")}(?:['’]?s)?(?![\\p{L}\\p{N}])`,
    "u",
  );
  return ({ content, key = "" }) =>
    pattern.test(normalForm(content)) || pattern.test(normalForm(key.replace(/[/_-]/g, " ")));
}

const holdsAt = ({ stored, until = Infinity }: KeptValue, at: number): boolean => {
  const { validFrom, memory } = stored;
  return validFrom <= at && until > at && (memory.expiresAt ?? Infinity) > at;
};

const knownOf = ({ stored: { memory, validFrom: since }, until }: KeptValue): EntityFact => ({
  memory,
  since,
  ...defined({ until }),
});

/** All that holds of a name at a moment, the longest first. */
export async function aboutEntity(
  { memories }: Who,
  entity: string,
  at: number,
): Promise<EntityFact[]> {
  const names = naming(entity);
  const values = (await memories.values()).filter((value) => holdsAt(value, at));
  return values
    .filter(({ stored }) => names(stored.memory))
    .map(knownOf)
    .sort((one, other) => one.since - other.since);
}

/** Values of a name that ended, and their successors, the earliest first. */
export async function changesOf(
  { memories }: Who,
  entity: string,
  { since, zone }: { since?: Moment | undefined; zone?: string | undefined },
): Promise<EntityChange[]> {
  const names = naming(entity);
  const from = since === undefined ? -Infinity : momentOf(since, "since");
  const values = await memories.values();
  const met = values.filter(({ stored }) => names(stored.memory));
  const starts = Map.groupBy(values, ({ stored }) => stored.validFrom);
  return met
    .flatMap((old): EntityChange[] => {
      const { until, stored } = old;
      if (until === undefined || until < from) return [];
      const next = successorOf(old, starts.get(until) ?? []);
      const was = said(stored.memory);
      const now = next && said(next.stored.memory);
      if (was === now) return [];
      const because = now === undefined ? undefined : BECAUSE.exec(now)?.[0];
      const day = dayIn(until, zone);
      const text =
        now === undefined ? `Until ${day}: ${was}` : `Until ${day}: ${was} Since then: ${now}`;
      return [{ at: until, id: stored.memory.id, was, text, ...defined({ now, because }) }];
    })
    .sort((one, other) => one.at - other.at);
}

const said = ({ content }: Memory): string => withoutSpeaker(content).trim();

/** Its own next value, or one that began when it ended and makes it untrue. */
function successorOf(
  { stored: { memory } }: KeptValue,
  begun: readonly KeptValue[],
): KeptValue | undefined {
  const isNext = ({ stored: { memory: next } }: KeptValue): boolean =>
    next.id === memory.id
      ? next.version > memory.version
      : next.scope === memory.scope &&
        !lessTrusted(next.origin, memory.origin) &&
        outdates(next.content, memory.content);
  return begun.find(isNext);
}
