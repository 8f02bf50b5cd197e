import { shown, TidemarkError } from "../../model/errors.ts";
import { isDict } from "../../base/guards.ts";
import { SCOPE_KINDS } from "../../model/identity.ts";
import { nearest } from "../../model/spelling.ts";

type Names = readonly string[];
const NARROWED: Names = ["limit", "category", "kind", "scope"];

/** What objects given to our methods may hold, by the argument's place. A provider's request is none of them: it holds what it likes. */
const KNOWN: Readonly<Record<string, readonly (Names | undefined)[]>> = {
  begin: [undefined, ["conversation", "format", "signal"]],
  fold: [["conversation", "request"], ["signal"]],
  pin: [["message"], ["conversation"]],
  pins: [["conversation"]],
  as: [[...SCOPE_KINDS, "role", "conversation"]],
  tools: [["only", "tokens"]],
  "memory.save": [
    ["content", "key", "category", "kind", "scope", "importance", "source", "tags", "at"],
  ],
  "memory.recall": [undefined, [...NARROWED, "tokens", "asOf"]],
  "memory.search": [undefined, ["limit", "in"]],
  "memory.list": [[...NARROWED, "after"]],
  "memory.update": [undefined, ["content", "category", "kind", "importance", "tags"], ["version"]],
  "memory.forget": [["key", "source"]],
  "history.import": [["id", "messages"]],
  "history.read": [["fold", "conversation"]],
  "history.forget": [["conversation", "before"]],
  "history.folds": [["conversation"]],
  "workspace.search": [undefined, ["scopes", "limit"]],
  "workspace.learn": [["kind", "tool", "text", "asked", "cure", "reply", "at"]],
};
/** Methods whose first argument may be a text in place of an object; each says itself what it takes. */
const TEXT_TOO: ReadonlySet<string> = new Set(["pin", "memory.save", "memory.forget"]);
const IMPORTED: Names = ["role", "name", "text", "at", "ref"];

/** Throws "config" for a name that nothing reads: it would be passed over in silence, and with it what was meant. */
export function checkKeys(method: string, given: readonly unknown[]): void {
  KNOWN[method]?.forEach((names, at) => {
    if (names !== undefined && !(at === 0 && TEXT_TOO.has(method) && !isDict(given[at])))
      check(method, given[at], names);
  });
  const [first] = given;
  if (method === "history.import" && isDict(first) && Array.isArray(first.messages))
    for (const message of first.messages) check("history.import: a message", message, IMPORTED);
}

function check(place: string, value: unknown, names: Names): void {
  if (value === undefined) return;
  if (!isDict(value))
    throw new TidemarkError(
      "config",
      `${place} takes an object with ${names.join(", ")}, got ${shown(value)}.`,
    );
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const meant = nearest(unknown, names);
  const instead = meant === undefined ? `it knows ${names.join(", ")}` : `did you mean "${meant}"?`;
  throw new TidemarkError(
    "config",
    `${place} knows no "${unknown}"; ${instead}${meant === undefined ? "." : ""}`,
  );
}
