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
  /** How many places its rule names that hold the word for a password alone. */
  readonly words: number;
  /** Why a case of this name counts neither as a secret nor as a look-alike. */
  readonly leftOut?: string;
}

interface Output {
  readonly messages: readonly {
    readonly ruleId: string;
    readonly messageId?: string;
    readonly range: readonly [number, number];
    readonly data?: Readonly<Record<string, unknown>>;
  }[];
  readonly sourceContent?: string;
}

/** The number or name of an account opens nothing. */
const NO_CREDENTIAL = /^(?:AWSAccountID|Azure(?:ClientId|TenantId|SubscriptionId))$/;

/** What a case is not measured for, and why. */
function reasonFor(folder: string, text: string, { messages }: Output): string | undefined {
  if (messages.length > 0 && messages.every(({ messageId = "" }) => NO_CREDENTIAL.test(messageId)))
    return "the number of an account, no credential";
  if (/\0/.test(text)) return "binary";
  if (messages.length > 0) return undefined;
  if (
    existsSync(join(folder, ".secretlintrc.json")) ||
    existsSync(join(folder, "options.ts")) ||
    /allow|enable/i.test(basename(folder))
  )
    return "real secrets, let through by an option";
  if (/database-urls-not-detected$/.test(folder))
    return "left by its rule to the rule for databases";
  if (/ok\.AWS Secret Access Key$/.test(folder))
    return "an encrypted secret under the name of a secret";
  return undefined;
}

const nameOf = (id: string): string => id.replace(/^.*secretlint-rule-/, "");

/** Cases with one text count once, with all that any of their rules, of any age, names in it. */
export function fixturesIn(root: string): Fixture[] {
  const byText = new Map<string, Fixture>();
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).sort();
  const cases = files
    .filter((file) => basename(file) === "output.json")
    .flatMap((file) => caseIn(root, file) ?? []);
  const keys = files.filter((file) => file.endsWith(".pem")).map((file) => keyFileIn(root, file));
  for (const found of [...cases, ...keys]) {
    const known = byText.get(found.text);
    byText.set(
      found.text,
      known === undefined
        ? found
        : {
            ...known,
            secrets: onePlaceEach([...known.secrets, ...found.secrets]),
            words: Math.max(known.words, found.words),
          },
    );
  }
  return [...byText.values()];
}

function caseIn(root: string, file: string): Fixture | undefined {
  const folder = join(root, dirname(file));
  const output = JSON.parse(readFileSync(join(root, file), "utf8")) as Output;
  const input = readdirSync(folder).find((name) => /^input(?:\.|$)/.test(name));
  const text =
    output.sourceContent ??
    (input === undefined ? undefined : readFileSync(join(folder, input), "utf8"));
  if (text === undefined) return undefined;
  const leftOut = reasonFor(folder, text, output);
  const named = output.messages.map(({ ruleId, messageId, range, data = {} }) => ({
    kind: `${nameOf(ruleId)} ${messageId ?? ""}`.trim(),
    ...placeOf(text, range, data),
  }));
  const all = onePlaceEach([
    ...named,
    ...(basename(folder).startsWith("ng.") ? addressesIn(text) : []),
  ]);
  const secrets = all.filter(({ start, end }) => !WORD_FOR_IT.test(text.slice(start, end)));
  return {
    path: dirname(file),
    text,
    secrets,
    words: all.length - secrets.length,
    ...(leftOut === undefined ? {} : { leftOut }),
  };
}

/** A key beside a case, as a file of its own. */
function keyFileIn(root: string, path: string): Fixture {
  const text = readFileSync(join(root, path), "utf8");
  const place = innerOf(text);
  return {
    path,
    text,
    words: 0,
    secrets:
      place === undefined
        ? []
        : [{ kind: "privatekey PrivateKey", start: place[0], end: place[1] }],
  };
}

/** "secret" or "your_password" where a password would stand: early rules named it, later ones let it be, and so does a reader. */
const WORD_FOR_IT = /^(?:(?:my|your)?_?password|secret)$/i;

/** What is the secret in the words a rule names: of a key file the key, of an address the password, of a manifest or a setting the value. */
const INNER = [
  /-----BEGIN [^-]*-----([\s\S]*)-----END/d,
  /:\/\/([^\s:/@]+)(?=:x-oauth-basic@)/d,
  /:\/\/[^\s:/@]*:([^/"'\n]+)@/d,
  /(?:password|pwd)=([^\s;,)]+)/di,
  /^kind: Secret$[\s\S]*^ *password: (\S+)$/dm,
  /^[A-Za-z][\w-]+ ?= ?([^\s=]\S*)$/d,
];
function innerOf(words: string): readonly [number, number] | undefined {
  for (const inner of INNER) {
    const place = inner.exec(words)?.indices?.[1];
    if (place !== undefined) return place;
  }
  return undefined;
}

/** Some ranges are wrong in the package: its words win. */
function placeOf(
  text: string,
  [start, end]: readonly [number, number],
  data: Readonly<Record<string, unknown>>,
): { start: number; end: number } {
  const values = Object.values(data).filter(
    (value): value is string => typeof value === "string" && text.includes(value),
  );
  const said = values.sort((a, b) => b.length - a.length)[0];
  const from =
    said === undefined || text.slice(start, end) === said
      ? start
      : text.indexOf(said, Math.max(0, start - said.length));
  const whole = said === undefined ? text.slice(start, end) : said;
  const [first, last] = innerOf(whole) ?? [0, whole.length];
  return { start: from + first, end: from + last };
}

/** Passwords of addresses: in a case that must be caught each is one, also where its rule overlooks it. */
function addressesIn(text: string): Named[] {
  return Array.from(
    text.matchAll(/:\/\/[^\s:/@]*:([^\s/"'<>]+)@/dg),
    ({ 1: password, indices }) => ({ kind: "basicauth BasicAuth", password, place: indices?.[1] }),
  )
    .filter(({ password, place }) => place !== undefined && password !== "x-oauth-basic")
    .map(({ kind, place = [0, 0] }) => ({ kind, start: place[0], end: place[1] }));
}

/** What lies in another place, or is the same, is said twice. */
function onePlaceEach(named: readonly Named[]): Named[] {
  return named.filter(
    ({ start, end }, index) =>
      !named.some(
        (other, at) =>
          at !== index &&
          other.start <= start &&
          other.end >= end &&
          (at < index || other.end - other.start > end - start),
      ),
  );
}
