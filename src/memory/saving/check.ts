import { defined } from "../../base/guards.ts";
import { shown, TidemarkError } from "../../model/errors.ts";
import { isScope, SCOPE_KINDS, type Scope } from "../../model/identity.ts";
import type { Act, Rights } from "../../model/rights.ts";
import {
  type InjectInput,
  KINDS,
  LEAD_CATEGORIES,
  LEAD_SOURCE,
  lessTrusted,
  type Memory,
  type MemoryKind,
  type MemoryPatch,
  type Moment,
  type SaveInput,
  type Origin,
} from "../../model/memory.ts";
import { momentOf } from "../../model/moment.ts";
import { wholeCharacters } from "../../model/checks.ts";
import { type Draft, MOST_TAGS, type Patch } from "./draft.ts";

/** A memory is read whole and injected; what is longer is a file. */
export const LONGEST_CONTENT = 100_000;

const refuse = (sentence: string): never => {
  throw new TidemarkError("config", sentence);
};

function checkContent(content: unknown): string {
  if (typeof content !== "string" || content.trim() === "")
    return refuse(
      `A memory needs content of at least one visible character, got ${shown(content)}.`,
    );
  if (content.length > LONGEST_CONTENT)
    return refuse(
      `A memory holds at most ${LONGEST_CONTENT} characters, this one has ${content.length}; save its parts, or keep it as a file of the workspace.`,
    );
  // Half a surrogate pair (a cut emoji) cannot be written as UTF-8.
  return content.toWellFormed();
}

function checkLine(value: unknown, name: string): string {
  if (
    typeof value !== "string" ||
    value.trim() === "" ||
    value.length > 200 ||
    /\p{Cc}/u.test(value)
  )
    return refuse(
      `${name} must be a string of 1 to 200 characters on one line, got ${shown(value)}.`,
    );
  return wholeCharacters(value, name);
}

function checkImportance(value: unknown): number {
  if (typeof value !== "number" || !(value >= 0 && value <= 1))
    return refuse(`importance must be a number from 0 to 1, got ${shown(value)}.`);
  return value;
}

function checkKind(value: unknown): MemoryKind {
  return (
    KINDS.find((kind) => kind === value) ??
    refuse(`kind must be one of ${KINDS.join(", ")}, got ${shown(value)}.`)
  );
}

function checkTags(value: unknown): string[] {
  if (!Array.isArray(value)) return refuse(`tags must be a list of strings, got ${shown(value)}.`);
  if (value.length > MOST_TAGS)
    return refuse(
      `A memory has at most ${MOST_TAGS} tags, this one has ${value.length}; keep those it is looked for by.`,
    );
  return [...new Set(value.map((tag) => checkLine(tag, "Each tag")))];
}

/** What an identity reads, and what it may do where. */
interface Reach {
  readonly scopes: readonly Scope[];
  readonly rights: Rights;
}

/** The scope that is named, if the identity may do this there. One out of sight and one that is not there are told alike. */
export function checkScope(value: unknown, { scopes, rights }: Reach, act: Act = "add"): Scope {
  // A kind alone names no owner.
  if (!isScope(value) || value.indexOf(":") === value.length - 1)
    return refuse(
      `scope must be one of ${SCOPE_KINDS.map((kind) => `${kind}:<id>`).join(", ")}, got ${shown(value)}.`,
    );
  if (rights.may(act, value)) return value;
  if (scopes.includes(value)) throw denied(act, value, rights);
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
export function denied(act: Act, scope: Scope, rights: Rights): TidemarkError {
  const where = rights.where(act);
  const instead = where.length === 0 ? "" : `, or save to ${where.join(" or ")} instead`;
  const [role, one] =
    act === "inject" ? ['role "lead"', "it"] : ['role "human" or "lead"', "one of them"];
  return new TidemarkError(
    "scope-denied",
    `This identity reads ${scope} but may not ${ACTS[act]} it: that takes the ${role}. Open Tidemark with identity.role set to ${one}${instead}.`,
  );
}

const given = <T>(value: unknown, check: (value: unknown) => T): T | undefined =>
  value === undefined ? undefined : check(value);

/** What both take, checked. */
const checkTraits = ({ category, kind, importance, tags }: MemoryPatch) => ({
  category: given(category, (value) => checkLine(value, "category")),
  kind: given(kind, checkKind),
  importance: given(importance, checkImportance),
  tags: given(tags, checkTags),
});

/** What a host hands to `save`, checked. */
export function checkSave(
  input: unknown,
  rule: Reach & { home: Scope; origin: Origin; now: number },
): Omit<Draft, "same"> {
  const named = typeof input === "string" ? { content: input } : input;
  if (typeof named !== "object" || named === null)
    return refuse(`save takes a text or an object with content, got ${shown(input)}.`);
  const { content, key, scope, source, at, until } = named as Partial<SaveInput>;
  return {
    content: checkContent(content),
    scope: given(scope, (value) => checkScope(value, rule)) ?? rule.home,
    key: given(key, (value) => checkLine(value, "key")),
    ...checkTraits(named as Partial<SaveInput>),
    source: given(source, checkSource) ?? "manual",
    origin: rule.origin,
    at: at === undefined ? rule.now : momentOf(at),
    until: given(until, (value) => checkEnd(value, rule.now)),
  };
}

/** What a lead hands to `inject`. Its target and texts are looked at where they are saved. */
export function checkInjection(input: unknown): Partial<InjectInput> {
  if (typeof input !== "object" || input === null)
    return refuse(`inject takes an object { to, content, category }, got ${shown(input)}.`);
  const { category }: { category?: unknown } = input;
  if (category !== undefined && !LEAD_CATEGORIES.some((known) => known === category))
    return refuse(
      `inject takes one of the categories ${LEAD_CATEGORIES.join(", ")}, got ${shown(category)}.`,
    );
  return input;
}

function checkSource(value: unknown): string {
  const source = checkLine(value, "source");
  if (source === LEAD_SOURCE)
    return refuse(`source "${LEAD_SOURCE}" marks a lead's word: only memory.inject gives it.`);
  return source;
}

/** What has ended is found nowhere: a save that is over at once would be lost without a word. */
function checkEnd(value: unknown, now: number): number {
  const until = momentOf(value as Moment, "until");
  if (until <= now)
    return refuse(
      `until must be in the future, got ${new Date(until).toISOString()}: forget what no longer holds, or give a later end.`,
    );
  return until;
}

/** The fields of a patch that are given, checked. */
export function checkPatch(patch: unknown, now: number): Patch {
  if (typeof patch !== "object" || patch === null)
    return refuse(`update takes an object with the fields to change, got ${shown(patch)}.`);
  const { content, until } = patch as MemoryPatch;
  return defined({
    content: given(content, checkContent),
    ...checkTraits(patch as MemoryPatch),
    until: given(until, (value) => checkEnd(value, now)),
  });
}

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
  if (!rights.may("change", old.scope)) throw denied("change", old.scope, rights);
  if (content !== undefined && lessTrusted(origin, old.origin))
    throw new TidemarkError(
      "scope-denied",
      `Memory ${old.id} is the word of the ${old.origin}, which words of origin "${origin}" may not overwrite: save them as a memory of their own.`,
    );
  if (version !== undefined && version !== old.version)
    throw new TidemarkError(
      "conflict",
      `Memory ${old.id} is at version ${old.version}, not ${version}: read it again and repeat the change on what it says now.`,
    );
}
