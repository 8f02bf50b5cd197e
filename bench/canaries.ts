// What is still answerable after ten folds of things said once before the first: from the request as sent, or by recall.
//   npm run bench -- canaries [--seeds 2] [--only drops]
// Transcripts lie outside the repository; TIDEMARK_DATA names another folder of them.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Canary, KINDS, type Survived } from "./support/trial/canary.ts";
import { Dice } from "./support/trial/dice.ts";
import { type Filler, fillerOf, STYLES } from "./support/trial/filler.ts";
import { throughTidemark } from "./support/trial/trial.ts";
import { plant } from "./support/trial/planting.ts";
import { scriptedModel } from "./support/trial/scripted.ts";
import { failingModel, junkModel } from "../test/support/broken-models.ts";
import { exchangesOf, fillerFrom } from "./support/filler-from.ts";
import type { Complete, Message } from "../src/core/request.ts";

const option = (name: string): string | undefined => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? undefined : process.argv[at + 1];
};
const SEEDS = Number(option("seeds") ?? 2);
const only = option("only");
const FOLDS = 10;
const EACH = 4;
/** Characters of one exchange of a transcript: longer ones are left out, shorter windows could not hold two. */
const EXCHANGE_MOST = 16_000;

const folder = process.env["TIDEMARK_DATA"] ?? "../shared/data/agents";
const transcripts = existsSync(folder)
  ? readdirSync(folder)
      .filter((file) => file.endsWith(".anthropic.json"))
      .sort()
  : [];

/** Exchanges of several transcripts in a row, begun at another file with each seed. */
function spoken(seed: number): Filler {
  const turned = transcripts.map(
    (_, at) => transcripts[(at + seed * 5) % transcripts.length] ?? "",
  );
  return fillerFrom(
    turned.flatMap((file, at) => {
      const read = JSON.parse(readFileSync(join(folder, file), "utf8")) as
        { messages?: Message[] } | Message[];
      const messages = (Array.isArray(read) ? read : (read.messages ?? [])).map(
        ({ role, content }) => ({ role, content: withoutThinking(content) }),
      );
      return exchangesOf(messages)
        .filter((exchange) => JSON.stringify(exchange).length <= EXCHANGE_MOST)
        .flatMap(
          (exchange) =>
            JSON.parse(
              JSON.stringify(exchange).replace(/"(id|tool_use_id)":"([^"]+)"/g, `"$1":"$2_${at}"`),
            ) as Message[],
        );
    }),
  );
}
const withoutThinking = (content: unknown): unknown =>
  Array.isArray(content)
    ? content.filter(
        (block: { type?: string }) =>
          block.type !== "thinking" && block.type !== "redacted_thinking",
      )
    : content;

const DISTILLERS: Readonly<Record<string, (seed: number) => "extractive" | Complete>> = {
  "drops a third": (seed) => scriptedModel({ seed, blind: 1 / 3 }),
  whole: (seed) => scriptedModel({ seed, blind: 0 }),
  junk: () => junkModel,
  failing: () => failingModel,
  none: () => "extractive",
};

interface Row {
  distiller: string;
  window: number;
  filler: string;
  canary: Canary;
  prompt: boolean;
  asked: boolean;
  recall: boolean;
}
const rows: Row[] = [];
const runs: (Survived & { distiller: string; window: number; filler: string })[] = [];
const fillers = [...STYLES, ...(transcripts.length > 0 ? (["transcripts"] as const) : [])];
for (const [distiller, make] of Object.entries(DISTILLERS)) {
  if (only !== undefined && !distiller.startsWith(only)) continue;
  const main = distiller === "drops a third";
  for (const window of main ? [8_000, 16_000, 32_000] : [16_000])
    for (const style of fillers)
      for (let seed = 1; seed <= (main ? SEEDS : Math.ceil(SEEDS / 2)); seed += 1) {
        const canaries = plant(seed * 1_000 + window / 100 + style.length, EACH);
        const filler = style === "transcripts" ? spoken(seed) : fillerOf(style, new Dice(seed));
        const survived = await throughTidemark(
          { canaries, filler, folds: FOLDS, window },
          make(seed),
        );
        runs.push({ ...survived, distiller, window, filler: style });
        canaries.forEach((canary, at) =>
          rows.push({
            distiller,
            window,
            filler: style,
            canary,
            prompt: survived.inPrompt[at] === true,
            asked: survived.inAsked[at] === true,
            recall: survived.inSearch[at] === true,
          }),
        );
      }
  console.log(distiller, share(rows.filter((row) => row.distiller === distiller)));
}

function share(chosen: readonly Row[]) {
  const of = (test: (row: Row) => boolean) =>
    Math.round((1_000 * chosen.filter(test).length) / Math.max(1, chosen.length)) / 1_000;
  return {
    canaries: chosen.length,
    answerable: of(({ prompt, recall }) => prompt || recall),
    prompt: of(({ prompt }) => prompt),
    promptWithRecall: of(({ prompt, asked }) => prompt || asked),
    search: of(({ recall }) => recall),
  };
}
const by = <K extends string | number>(
  values: readonly K[],
  test: (row: Row, value: K) => boolean,
  from: readonly Row[],
) =>
  Object.fromEntries(values.map((value) => [value, share(from.filter((row) => test(row, value)))]));
const results = Object.fromEntries(
  Object.keys(DISTILLERS).map((distiller) => {
    const own = rows.filter((row) => row.distiller === distiller);
    const ran = runs.filter((run) => run.distiller === distiller);
    return [
      distiller,
      {
        runs: ran.length,
        leastFolds: Math.min(...ran.map(({ folds }) => folds)),
        invalidRequests: ran.reduce((sum, { invalid }) => sum + invalid, 0),
        ...share(own),
        wordingsNotTunedTo: share(own.filter(({ canary }) => canary.wording % 2 === 1)),
        kinds: by(KINDS, ({ canary }, kind) => canary.kind === kind, own),
        fillers: by(fillers, ({ filler }, style) => filler === style, own),
        windows: by([8_000, 16_000, 32_000], ({ window }, size) => window === size, own),
      },
    ];
  }),
);
for (const [distiller, { kinds }] of Object.entries(results)) {
  console.log(distiller);
  console.table(kinds);
}
if (only === undefined && transcripts.length > 0 && process.env["TIDEMARK_DATA"] === undefined)
  writeFileSync(
    "bench/results/canaries.json",
    `${JSON.stringify(
      {
        command: `npm run bench -- canaries${SEEDS === 2 ? "" : ` --seeds ${SEEDS}`}`,
        data: `${EACH} canaries of each of ${KINDS.length} kinds a run, planted before fold 1 in generated wordings, looked for after fold ${FOLDS}; filler generated in three styles, and exchanges of ../shared/data/agents`,
        answerable:
          "all that answers the canary's question stands within 400 characters in the request as sent (prompt), in it or in the one that asks with recall: {} (promptWithRecall), in one of the ten hits of memory.search(question) over facts, files and history (search), or in the request as sent or by that search (answerable)",
        distillers:
          "'drops a third': a script that is blind for a third of all sentences of every call, anew with each; 'whole': for none; 'junk' answers with talk; 'failing' throws; 'none': extractive. No real model is asked",
        wordingsNotTunedTo:
          "every second wording of each kind was not looked at while the checks were made; they are by the same author",
        results,
      },
      null,
      2,
    )}\n`,
  );
