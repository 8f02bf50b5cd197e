import { checkModels } from "../../dialect/models/capabilities.ts";
import { shown, refuse } from "../../model/errors.ts";
import { nearest } from "../../model/checks.ts";
import { isDict, isOneOf } from "../../base/guards.ts";
import { checkIdentity, isScope, SCOPE_KINDS } from "../../model/identity.ts";
import { ANCESTORS, rankingRule, STRATEGY_NAMES } from "../../memory/recalling/rank.ts";
import { marksOf } from "../../window/limits-and-marks.ts";
import type { Options } from "./types.ts";

interface Rule {
  readonly holds: (value: unknown) => boolean;
  /** Completes the sentence "option X must be …". */
  readonly want: string;
  /** What was given is not repeated. */
  readonly secret?: true;
  /** What an object may hold. */
  readonly inside?: Rules;
  /** What each member is, whatever its name. */
  readonly each?: Rule;
}
type Rules = Readonly<Record<string, Rule>>;

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
const isPath = (value: unknown): boolean => isText(value) && !value.includes("\0");
const isCallable = (value: unknown): boolean => typeof value === "function";
const oneOf = (...values: readonly unknown[]): Rule => ({
  holds: (value) => values.includes(value),
  want: values.map((value) => JSON.stringify(value)).join(" or "),
});
const object = (example: string, inside?: Rules): Rule => ({
  holds: isDict,
  want: `an object such as ${example}`,
  inside,
});
const callable: Rule = { holds: isCallable, want: "a function" };
const number: Rule = { holds: (value) => typeof value === "number", want: "a number" };
const text: Rule = { holds: isText, want: "a text that is not empty" };
const flag = oneOf(true, false);
const amount: Rule = {
  holds: (value) => typeof value === "number" && value >= 0,
  want: "a number from 0",
};
const tokens: Rule = {
  holds: (value) => typeof value === "number" && Number.isInteger(value) && value > 0,
  want: "a whole number of tokens above 0",
};
const AS = oneOf("context", "tools", "self-edit");

const IDENTITY: Rules = {
  agent: text,
  team: text,
  project: text,
  user: text,
  org: text,
  role: oneOf("worker", "lead", "human"),
};
const WINDOW: Rules = Object.fromEntries(
  "tokens reserve cap flushAt compactAt brimAt keepLast patience"
    .split(" ")
    .map((name) => [name, number]),
);
const DISTIL: Rules = {
  model: text,
  instructions: { holds: (value) => typeof value === "string", want: "a text" },
  complete: callable,
  idleAfter: {
    holds: (value) => value === false || amount.holds(value),
    want: "milliseconds from 0, or false for never",
  },
  atClose: oneOf("later", "model", "extractive"),
};
const RECALL: Rules = {
  tokens,
  minScore: {
    holds: (value) => typeof value === "number" && value >= 0 && value <= 1,
    want: "a number from 0 to 1",
  },
};
const HISTORY: Rules = {
  keep: oneOf("verbatim", "masked"),
  share: {
    holds: (value) =>
      value === "project" ||
      (isDict(value) && value.users === "all" && Object.keys(value).length === 1),
    want: '"project" or { users: "all" }',
  },
};
const days: Rule = {
  holds: (value) => typeof value === "number" && value > 0,
  want: "a number of days above 0, or Infinity for ever",
};
const byName: Rule = { holds: isDict, want: "an object of days by name", each: days };
const LIFETIMES: Rules = { categories: byName, kinds: byName, sources: byName, default: days };
const LIFETIMES_OF_SCOPES: Rule = {
  holds: (value) =>
    isDict(value) &&
    Object.keys(value).every((name) => isScope(name) || isOneOf(SCOPE_KINDS, name)),
  want: `an object of rules by scope, such as "agent:scout", or by kind of scope (${SCOPE_KINDS.join(", ")})`,
  each: object("{ default: 30 }", LIFETIMES),
};
const ADVANCED: Rules = {
  budget: {
    holds: (value) => value === false || isDict(value),
    want: "{ tokensPerHour, tokensPerSession }, or false for none",
    inside: { tokensPerHour: amount, tokensPerSession: amount },
  },
  lifetimes: object("{ categories: { incident: 90 }, default: 365 }", {
    ...LIFETIMES,
    scopes: LIFETIMES_OF_SCOPES,
  }),
  models: object('{ "claude-opus-5-5": { window: 400_000 } }'),
  ranking: oneOf(...STRATEGY_NAMES, ...Object.keys(ANCESTORS)),
  promotion: oneOf("proposal", "free"),
  thinking: oneOf("auto", "leave-out", "drop-block"),
  timer: callable,
};
const OPTIONS: Rules = {
  workspace: {
    holds: (value) => value === false || isPath(value),
    want: "a folder's path, or false for none",
  },
  identity: object("{ agent, user }", IDENTITY),
  // The ports in it are looked at where they are opened.
  store: { holds: () => true, want: "an object { memories, turns, vectors?, history }" },
  distil: {
    holds: (value) => isCallable(value) || value === "extractive" || isDict(value),
    want: '"extractive", a function or { model, instructions, complete, idleAfter, atClose }',
    inside: DISTIL,
  },
  window: object("{ tokens }", WINDOW),
  inject: {
    holds: (value) => isDict(value) || AS.holds(value) || value === false,
    want: `${AS.want}, false or an object such as { tokens: 600 }`,
    inside: { tokens },
  },
  embed: {
    holds: (value) => value === false || (isDict(value) && isCallable(value.embed)),
    want: "an embedder such as { dimensions, embed: async (texts) => vectors }, or false for words only",
  },
  recall: {
    holds: (value) => value === false || isDict(value),
    want: "false, or an object such as { tokens: 600 }",
    inside: RECALL,
  },
  cache: flag,
  mode: oneOf("on", "observe"),
  archive: flag,
  history: object('{ keep: "masked" }', HISTORY),
  procedures: object('{ model: "claude-opus-5-5" }', {
    model: text,
    skills: { holds: isPath, want: "a folder's path" },
  }),
  sessions: object('{ model: "claude-haiku-4-5" }', { model: text }),
  listen: {
    holds: (value) => isCallable(value) || value === "console" || value === false,
    want: 'a function, "console" or false',
  },
  now: callable,
  advanced: object('{ thinking: "leave-out" }', ADVANCED),
};

/**
 * Options are a program's, so a wrong or unknown one is refused at once, by name. By hand: a schema library would cost
 * 18 MB of memory and half of the start-up for this one table.
 */
export function checkOptions(options: Options): void {
  if (!isDict(options)) refuse("openTidemark takes an object of options, or nothing.");
  const { window, identity, advanced }: Options = options;
  check(options, OPTIONS, "");
  checkIdentity(identity ?? {});
  marksOf(window);
  rankingRule(advanced?.ranking, process.env);
  checkModels(advanced?.models);
}

function check(given: object, rules: Rules, prefix: string): void {
  for (const [name, value] of Object.entries(given)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (!rule) {
      const meant =
        prefix === "" && name in ADVANCED ? `advanced.${name}` : nearest(name, Object.keys(rules));
      refuse(
        `openTidemark knows no option "${prefix}${name}"; ${meant === undefined ? "" : `did you mean "${prefix}${meant}"? `}it knows ${Object.keys(rules).join(", ")}.`,
      );
    }
    if (value !== undefined && !rule.holds(value))
      refuse(
        `openTidemark: option "${prefix}${name}" must be ${rule.want}${rule.secret ? "" : `, got ${shown(value)}`}.`,
      );
    if (!isDict(value)) continue;
    const { each } = rule;
    const inside = each
      ? Object.fromEntries(Object.keys(value).map((member) => [member, each]))
      : rule.inside;
    if (inside) check(value, inside, `${prefix}${name}.`);
  }
}

const NARROWED = "limit category kind scope";

/** What objects given to our methods may hold, by the argument's place; names are kept apart by spaces. A provider's request is none of them: it holds what it likes. */
const KNOWN: Readonly<Record<string, string>> = {
  "begin 1": "conversation format signal",
  "fold 0": "conversation request",
  "fold 1": "signal",
  "pin 0": "message",
  "pin 1": "conversation",
  "pins 0": "conversation",
  "brief 1": "tokens format",
  "task 0": "description id notes repeat tokens",
  "as 0": `${SCOPE_KINDS.join(" ")} role conversation`,
  "tools 0": "only tokens names guidance",
  "memory.save 0": "content key category kind scope importance source tags at until",
  "memory.recall 1": `${NARROWED} tokens asOf`,
  "memory.search 1": "limit in",
  "memory.list 0": `${NARROWED} after`,
  "memory.update 1": "content category kind importance tags until",
  "memory.update 2": "version",
  "memory.get 1": "use",
  "memory.promote 1": "to",
  "memory.inject 0": "to content category",
  "memory.forget 0": "key source",
  "history.import 0": "id messages",
  "history.read 0": "fold conversation",
  "history.forget 0": "conversation before",
  "history.folds 0": "conversation",
  "records.add 0": "content category name aliases keywords source until scope",
  "records.update 1": "content aliases keywords source until",
  "records.list 0": "category archived scope limit",
  "notes.write 2": "scope",
  "notes.read 1": "scope",
  "notes.list 0": "scope",
  "notes.remove 1": "scope",
  "notes.promote 1": "to scope",
  "workspace.search 1": "scopes limit",
  "workspace.learn 0": "kind tool text asked cure reply at",
};
/** Methods whose first argument may be a text in place of an object; each says itself what it takes. */
const TEXT_TOO: ReadonlySet<string> = new Set(["pin", "memory.save", "memory.forget"]);
const IMPORTED = "role name text at ref";

/** Throws "config" for a name that nothing reads: it would be passed over in silence, and with it what was meant. */
export function checkKeys(method: string, given: readonly unknown[]): void {
  for (const [at, value] of given.entries()) {
    const names = KNOWN[`${method} ${at}`];
    const isText = at === 0 && TEXT_TOO.has(method) && !isDict(value);
    if (names && !isText) checkNames(method, value, names);
  }
  const [first] = given;
  if (method === "history.import" && isDict(first) && Array.isArray(first.messages))
    for (const message of first.messages)
      checkNames("history.import: a message", message, IMPORTED);
}

function checkNames(place: string, value: unknown, known: string): void {
  if (value === undefined) return;
  const names = known.split(" ");
  if (!isDict(value))
    refuse(`${place} takes an object with ${names.join(", ")}, got ${shown(value)}.`);
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const meant = nearest(unknown, names);
  refuse(
    `${place} knows no "${unknown}"; ${meant === undefined ? `it knows ${names.join(", ")}.` : `did you mean "${meant}"?`}`,
  );
}
