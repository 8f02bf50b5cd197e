import { type Secret } from "./forms.ts";

type Rules = readonly ((text: string) => Secret[])[];
let loading: Promise<Rules> | undefined;

/**
 * The rules of secretlint's recommended preset, run one by one. Its own runner keeps a mark of every text it ever saw, and is
 * a hundred times slower; the rule that lets a comment in the text switch the others off is left out.
 */
export function packageRules(): Promise<Rules> {
  loading ??= load();
  return loading;
}

/** What of a rule is used here: the package's own types need a package of types. */
interface Rule {
  readonly meta: { readonly id: string };
  create(context: object, options: object): { file?(source: object): unknown };
}

async function load(): Promise<Rules> {
  await breath();
  const { creator } = (await import("@secretlint/secretlint-rule-preset-recommend")) as unknown as {
    creator: { rules: readonly Rule[] };
  };
  await breath();
  const rules = creator.rules
    .filter(({ meta }) => !meta.id.endsWith("filter-comments"))
    .map(readerOf);
  await readOnce(rules);
  return rules;
}

function readerOf(rule: Rule): (text: string) => Secret[] {
  const kind = rule.meta.id.replace(/^.*secretlint-rule-/, "").replaceAll("-", " ");
  let found: Secret[] = [];
  const handlers = rule.create(
    {
      sharedOptions: {},
      createTranslator: () => (messageId: string) => ({ message: kind, messageId }),
      report: ({ range: [start, end] }: { range: readonly [number, number] }) =>
        found.push({ start, end, kind }),
      ignore: () => undefined,
    },
    {},
  );
  return (text) => {
    found = [];
    handlers.file?.({ content: text, filePath: "text", ext: ".txt", contentType: "text" });
    return found.map((secret) => toWordEnd(secret, text));
  };
}

/** Some rules report the right length at the wrong place: what begins inside a run of characters ends with it. */
function toWordEnd({ start, end, kind }: Secret, text: string): Secret {
  let last = end;
  while (last < text.length && !/[\s"'`<>,;)\]}]/.test(text[last] ?? "")) last += 1;
  return { start, end: last, kind };
}

/** Has a bit of what rules look for, and is no secret. */
const SAMPLE =
  "Her first words at https://user:none@example.org/path?a=b were key=abcdefghijklmnopqrstuvwx, token: 0123456789 and -----BEGIN";

/** Others have their turn. */
const breath = (): Promise<void> => new Promise((go) => setImmediate(go));

/**
 * Lets each rule read a text, with a breath after it. An expression is compiled when it first reads, and again when it reads on: all of
 * them at once, with the first text, would hold up everything else for tens of ms.
 */
export async function readOnce(
  rules: readonly ((text: string) => readonly Secret[])[],
): Promise<void> {
  for (const rule of rules) {
    for (let time = 0; time < 2; time += 1) {
      await breath();
      rule(SAMPLE);
    }
  }
}
