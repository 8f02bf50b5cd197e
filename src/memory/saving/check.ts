import { defined } from "../../core/base.ts";
import { refuse, shown, TidemarkError } from "../../core/errors-and-events.ts";
import {
  type Act,
  CORE_POLICY,
  isCorePolicy,
  isOfGroup,
  isRestricted,
  isScope,
  POLICIES,
  type Rights,
  type Scope,
  SCOPE_KINDS,
} from "../../core/identity.ts";
import { KINDS, MEMORY_TYPES } from "../../core/memory-kinds.ts";
import { authorOf, typed } from "../../core/memory-types.ts";
import {
  type Change,
  LEAD_SOURCE,
  lessTrusted,
  type Memory,
  type MemoryPatch,
  moment,
  type Moment,
  momentOf,
  type Origin,
  type SaveInput,
} from "../../core/memory.ts";
import {
  anything,
  check,
  line,
  list,
  oneOf,
  options,
  share,
  textOf,
  where,
} from "../../core/schema.ts";
import { clip } from "../../core/text/cut.ts";
import type { Storage } from "../../storage/port.ts";
import { type Draft, MOST_TAGS, type Patch } from "./draft.ts";

/** A memory is read whole and injected; what is longer is a file. */
export const LONGEST_CONTENT = 100_000;

const LINE = line(200);
const TRAITS = {
  content: textOf(LONGEST_CONTENT),
  category: LINE,
  kind: oneOf(...KINDS),
  importance: share,
  tags: list(`a list of at most ${MOST_TAGS} texts on one line`, LINE, MOST_TAGS),
  until: moment,
};
const PATCH = options<MemoryPatch>(TRAITS);
const SAVE = where(
  options<SaveInput>({
    ...TRAITS,
    ...{ key: LINE, source: LINE, at: moment, type: oneOf(...MEMORY_TYPES), about: line(100) },
    edges: list("a list of subject, relation and object", line(60), 3),
    scope: anything,
  }),
  "a text or an object with content",
  ({ content }) => content !== undefined,
);

/** An identity's scopes and rights. */
interface Reach {
  readonly scopes: readonly Scope[];
  readonly rights: Rights;
}

/**
 * The scope that is named, if the identity may do this there. One out of sight and one that is not
 * there are told alike.
 */
export function checkScope(
  value: unknown,
  { scopes, rights }: Reach,
  { act = "add", category }: { act?: Act; category?: string | undefined } = {},
): Scope {
  // A kind alone names no owner.
  if (!isScope(value) || value.indexOf(":") === value.length - 1)
    refuse(
      `scope must be one of ${SCOPE_KINDS.map((kind) => `${kind}:<id>`).join(", ")}, got ` +
        `${shown(value)}.`,
    );
  if (rights.may(act, value, category)) return value;
  if (scopes.includes(value)) throw denied(act, { scope: value, category }, rights);
  const where = rights.where(act);
  const instead = where.length === 0 ? "" : `; it may do so in ${where.join(" and ")}`;
  throw new TidemarkError(
    "scope-denied",
    `This identity may not ${ACTS[act]} the scope ${shown(value)}${instead}.`,
  );
}

const ACTS: Readonly<Record<Act, string>> = {
  add: "save to",
  change: "change",
  forget: "forget from",
  promote: "promote to",
  propose: "propose for",
  inject: "inject into",
  decide: "decide for",
};

/** Visible to the identity, and not its to change. */
export function denied(
  act: Act,
  { scope, category }: { readonly scope: Scope; readonly category?: string | undefined },
  rights: Rights,
): TidemarkError {
  if (rights.isBound && isOfGroup(scope))
    return new TidemarkError(
      "scope-denied",
      `This identity reads ${scope} and may not ${ACTS[act]} it: by the option levels nothing of ` +
        'it outlives the process. Give its scopes the level "project" or "persistent".',
    );
  const writers = rights.writersOf(scope, category);
  if (writers !== undefined)
    return new TidemarkError(
      "scope-denied",
      `Only ${writers.join(", ") || "nobody"} may write ${category} of ${scope}; the role of ` +
        `this identity is "${rights.role}". Open Tidemark with such an identity.role, or name ` +
        "it in the option writers.",
    );
  const where = rights.where(act);
  const instead = where.length === 0 ? "" : `, or save to ${where.join(" or ")} instead`;
  const [role, one] =
    act === "inject" ? ['role "lead"', "it"] : ['role "human" or "lead"', "one of them"];
  return new TidemarkError(
    "scope-denied",
    `This identity reads ${scope} but may not ${ACTS[act]} it: that takes the ${role}. Open ` +
      `Tidemark with identity.role set to ${one}${instead}.`,
  );
}

/**
 * As it is kept: half a surrogate pair (a cut emoji) cannot be written as UTF-8, and no tag stands
 * twice.
 */
const traitsOf = <Given extends MemoryPatch>({
  content,
  category,
  kind,
  importance,
  tags,
}: Given) => ({
  content: content?.toWellFormed(),
  ...{ category, kind, importance },
  tags: tags && [...new Set(tags)],
});

/** Checks the host's input to `save`. */
export function checkSave(
  input: unknown,
  rule: Reach & { home: Scope; origin: Origin; now: number },
): Omit<Draft, "same"> {
  const given = typeof input === "string" ? { content: input } : input;
  check(SAVE, given, "memory.save");
  const named = typed(given, rule.now);
  const { content, scope, key, source = "manual", at, until } = named;
  if (source === LEAD_SOURCE)
    refuse(`source "${LEAD_SOURCE}" marks a lead's word: only memory.inject gives it.`);
  if (authorOf({ ...defined({ key }) }) !== undefined)
    refuse('A key that begins with "published/" is given by memory.publish alone.');
  const place =
    scope === undefined ? rule.home : checkScope(scope, rule, { category: named.category });
  const isCore = isCorePolicy({ scope: place, category: named.category ?? "" });
  return {
    ...traitsOf(named),
    ...(isCore && { kind: "policy" as const }),
    content: content.toWellFormed(),
    scope: place,
    ...{ key, source },
    origin: rule.origin,
    at: at === undefined ? rule.now : momentOf(at),
    until: endOf(until, rule.now),
  };
}

/** An ended memory is found nowhere: a save that is over at once would be lost silently. */
function endOf(given: Moment | undefined, now: number): number | undefined {
  const until = given === undefined ? undefined : momentOf(given);
  if (until !== undefined && until <= now)
    refuse(
      `until must be in the future, got ${new Date(until).toISOString()}: forget what no ` +
        "longer holds, or give a later end.",
    );
  return until;
}

/** The fields of a patch that are given, checked. */
export function checkPatch(patch: unknown, now: number): Patch {
  check(PATCH, patch, "memory.update");
  return defined({ ...traitsOf(patch), until: endOf(patch.until, now) });
}

/** Words that were published are their author's, a lead's and a person's to change. */
export const mayTouch = (act: Act, memory: Memory, rights: Rights): boolean => {
  const { scope, category } = memory;
  const isHis = (authorOf(memory) ?? rights.agent) === rights.agent;
  return rights.may(act, scope, category) && (isHis || rights.may("decide", scope));
};

/** May this memory be changed so? */
export function checkChange(
  old: Memory,
  {
    rights,
    origin,
    content,
    version,
  }: Pick<Draft, "origin"> &
    Pick<Patch, "content"> & { rights: Rights; version: number | undefined },
): void {
  if (!mayTouch("change", old, rights)) throw denied("change", old, rights);
  if (content !== undefined && lessTrusted(origin, old.origin))
    throw new TidemarkError(
      "scope-denied",
      `Memory ${old.id} is the word of the ${old.origin}, which words of origin "${origin}" ` +
        "may not overwrite: save them as a memory of their own.",
    );
  checkVersion(old, version);
}

export function checkVersion(old: Memory, version: number | undefined): void {
  if (version !== undefined && version !== old.version)
    throw new TidemarkError(
      "conflict",
      `Memory ${old.id} is at version ${old.version}, not ${version}: read it again and ` +
        "repeat the change on what it says now.",
    );
}

interface OrganisationRoom {
  readonly store: Storage;
  readonly now: () => number;
  readonly rights: () => Promise<Rights>;
}

/**
 * By whichever door a change comes, what stands in a category of the organisation's is changed by
 * its writers alone, and core policies stay few and short. Rejects with "scope-denied" or "config".
 */
export async function checkOrganisation(
  room: OrganisationRoom,
  steps: readonly { readonly change: Change }[],
): Promise<void> {
  // Another's word costs nothing here: who moves one out of an organisation is checked before.
  const written = steps.flatMap(({ change }) =>
    change.do !== "end" && isRestricted(change.row.memory.scope) ? [change] : [],
  );
  if (written.length === 0) return;
  const rights = await room.rights();
  for (const change of written) {
    const { memory: next } = change.row;
    const which = { scopes: [next.scope], id: next.id };
    const held = change.do === "insert" ? [] : await room.store.find(which);
    for (const memory of [...held.map((row) => row.memory), next])
      if (
        rights.writersOf(memory.scope, memory.category) !== undefined &&
        !rights.may("change", memory.scope, memory.category)
      )
        throw denied("change", memory, rights);
    if (isCorePolicy(next)) await checkPolicy(room, next);
  }
}

/** The core policies of the scopes as they are now, the oldest first. */
export async function corePolicies(
  { store, now }: Pick<OrganisationRoom, "store" | "now">,
  scopes: readonly Scope[],
): Promise<Memory[]> {
  const which = { category: CORE_POLICY, order: "stated", limit: 2 * POLICIES.most } as const;
  const found = await store.find({ ...which, scopes: scopes.filter(isRestricted), now: now() });
  return found.map(({ memory }) => memory).sort((one, other) => one.at - other.at);
}

async function checkPolicy(room: OrganisationRoom, { id, scope, content }: Memory): Promise<void> {
  const { most, characters } = POLICIES;
  if (content.length > characters)
    refuse(
      `A core policy has ${characters} characters at most, got ${content.length}: say it ` +
        "shorter, or write it as a standard.",
    );
  const others = (await corePolicies(room, [scope])).filter((one) => one.id !== id);
  if (others.length >= most)
    refuse(
      `${scope} has ${most} core policies, which is the most. Retract one first:\n` +
        others.map((one) => `${one.id}  ${clip(one.content, 80)}`).join("\n"),
    );
}
