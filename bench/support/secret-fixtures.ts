// The fixtures of secretlint's own rules, as its repository keeps them: a folder a case, the text in `input.*`, what its rule finds in `output.json`.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** One secret a rule names: characters `start` up to `end` must not be readable. */
export interface Named {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}
export interface Fixture {
  readonly path: string;
  readonly text: string;
  readonly secrets: readonly Named[];
  /** Why a case of this name counts neither as a secret nor as a look-alike. */
  readonly leftOut?: string;
}

interface Output {
  readonly messages: readonly { readonly ruleId: string; readonly messageId?: string; readonly range: readonly [number, number]; readonly data?: Readonly<Record<string, unknown>> }[];
  readonly sourceContent?: string;
}

/** The number of an account opens nothing. */
const NO_CREDENTIAL = "AWSAccountID";

/** What a case is not measured for, and why. */
function reasonFor(folder: string, text: string, { messages }: Output): string | undefined {
  if (messages.length > 0 && messages.every(({ messageId }) => messageId === NO_CREDENTIAL)) return "the number of an account, no credential";
  if (ruleOf(folder, messages) === undefined) return "of a rule that the package leaves out";
  if (/\0/.test(text)) return "binary";
  if (messages.length > 0) return undefined;
  if (existsSync(join(folder, ".secretlintrc.json")) || existsSync(join(folder, "options.ts")) || /allow|enable/i.test(basename(folder))) return "real secrets, let through by an option";
  if (/database-urls-not-detected$/.test(folder)) return "left by its rule to the rule for databases";
  if (/ok\.AWS Secret Access Key$/.test(folder)) return "an encrypted secret under the name of a secret";
  return undefined;
}

/** The rules the installed package runs. */
const { creator } = (await import("@secretlint/secretlint-rule-preset-recommend")) as unknown as { creator: { rules: readonly { meta: { id: string } }[] } };
const nameOf = (id: string): string => id.replace(/^.*secretlint-rule-/, "");
const RULES = new Set(creator.rules.map(({ meta }) => nameOf(meta.id)).filter((name) => name !== "filter-comments"));
const ruleOf = (folder: string, messages: Output["messages"]): string | undefined =>
  [...messages.map(({ ruleId }) => ruleId), ...folder.split(/[\\/]/).reverse()].map(nameOf).find((name) => RULES.has(name));

/** A text that several rules and presets share counts once. */
export function fixturesIn(root: string): Fixture[] {
  const seen = new Set<string>();
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => basename(file) === "output.json")
    .sort()
    .flatMap((file) => {
      const folder = join(root, dirname(file));
      const output = JSON.parse(readFileSync(join(root, file), "utf8")) as Output;
      const input = readdirSync(folder).find((name) => /^input(?:\.|$)/.test(name));
      const text = output.sourceContent ?? (input === undefined ? undefined : readFileSync(join(folder, input), "utf8"));
      if (text === undefined || seen.has(text)) return [];
      seen.add(text);
      const leftOut = reasonFor(folder, text, output);
      const secrets = output.messages
        .map(({ ruleId, messageId, range, data = {} }) => ({ kind: `${nameOf(ruleId)} ${messageId ?? ""}`.trim(), ...placeOf(text, range, data) }));
      return [{ path: dirname(file), text, secrets, ...(leftOut === undefined ? {} : { leftOut }) }];
    });
}

/** Some ranges are wrong in the package: its words win. Of an address only the password is a secret, of a key file only the key. */
function placeOf(text: string, [start, end]: readonly [number, number], data: Readonly<Record<string, unknown>>): { start: number; end: number } {
  const values = Object.values(data).filter((value): value is string => typeof value === "string" && text.includes(value));
  const said = values.sort((a, b) => b.length - a.length)[0];
  const from = said === undefined || text.slice(start, end) === said ? start : text.indexOf(said, Math.max(0, start - said.length));
  const whole = said === undefined ? text.slice(start, end) : said;
  for (const inner of [/-----BEGIN [^-]*-----([\s\S]*)-----END/d, /:\/\/([^\s:/@]+)(?=:x-oauth-basic@)/d, /:\/\/[^\s:/@]*:([^\s/"']+)@/d]) {
    const place = inner.exec(whole)?.indices?.[1];
    if (place !== undefined) return { start: from + place[0], end: from + place[1] };
  }
  return { start: from, end: from + whole.length };
}
