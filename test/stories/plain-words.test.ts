import { describe, expect, it } from "vitest";
import { type Canary, type Kind, KINDS } from "../../bench/support/trial/canary.ts";
import { Dice } from "../../bench/support/trial/dice.ts";
import { fillerOf, type Style } from "../../bench/support/trial/filler.ts";
import { throughTidemark } from "../../bench/support/trial/trial.ts";
import { scriptedModel } from "../../bench/support/trial/scripted.ts";
import type { Message } from "../../src/core/request.ts";

/** By the user, the assistant, or a call with its input and its answer. */
type Plain = readonly [
  by: "user" | "agent" | readonly [input: Readonly<Record<string, unknown>>, answer: string],
  text: string,
  needs: string,
  question: string,
];

const WORDINGS: Readonly<Record<Kind, readonly Plain[]>> = {
  name: [
    [
      "user",
      "The landlady's name is Henrike Vosskuhle.",
      "Vosskuhle",
      "What is the landlady's name?",
    ],
    [
      "user",
      "ask for tobias lindqvist at reception",
      "lindqvist",
      "For whom should one ask at reception?",
    ],
    [
      "agent",
      "The clinic is run by a certain Dr. Pilar Etxeberria.",
      "Etxeberria",
      "Who runs the clinic?",
    ],
    [
      "agent",
      "Their engineer on call was Nadezhda Orlova.",
      "Orlova",
      "Who was the engineer on call?",
    ],
  ],
  number: [
    ["user", "Rent goes up to 1,480 in March.", "1,480", "What will the rent be in March?"],
    ["user", "alarm pin 7731", "7731", "What is the alarm pin?"],
    [
      "agent",
      "Altogether that makes 6,317 rows after the dedupe.",
      "6,317",
      "How many rows are left after the dedupe?",
    ],
    ["agent", "See PLAT-3391 for the background.", "PLAT-3391", "Which ticket has the background?"],
    [
      [
        { command: "git commit -qm 'Trim the gauge' && git log --oneline -1" },
        "7c9e12d Trim the gauge",
      ],
      "Committed.",
      "7c9e12d",
      "Which commit trimmed the gauge?",
    ],
  ],
  path: [
    [
      "user",
      "secrets template sits at ops/tmpl/env.sample",
      "ops/tmpl/env.sample",
      "Where is the secrets template?",
    ],
    [
      "agent",
      "Dropped the export in /mnt/share/q2/heron_export.parquet.",
      "heron_export.parquet",
      "Where is the export?",
    ],
    [
      "agent",
      "Check lib/queue/backoff.rb:77.",
      "lib/queue/backoff.rb",
      "Which file should be checked?",
    ],
    [
      [{ command: "cp notes.md /srv/wiki/tern-notes.md" }, ""],
      "Copied.",
      "/srv/wiki/tern-notes.md",
      "Where were the notes copied?",
    ],
    [
      [{ command: "mkdir -p build/egret && ./render --fast > build/egret/out.svg" }, ""],
      "Rendered.",
      "build/egret",
      "Where was the picture rendered?",
    ],
  ],
  decision: [
    [
      "user",
      "Right, Hetzner then. Forget AWS.",
      "Hetzner",
      "Which host was chosen instead of AWS?",
    ],
    [
      "user",
      "The board wants the blue logo, so blue it is.",
      "blue logo",
      "Which logo does the board want?",
    ],
    [
      "agent",
      "So we stay on Vue 3 and skip the rewrite in Svelte.",
      "Vue 3",
      "What do we stay on instead of the rewrite in Svelte?",
    ],
    [
      "agent",
      "As discussed, billing runs monthly and not weekly.",
      "monthly",
      "How often does billing run?",
    ],
  ],
  correction: [
    ["user", "hm, that's off by one: gate 18, I had said 17", "gate 18", "Which gate is it?"],
    ["user", "My mistake, the train leaves at 7:52.", "7:52", "When does the train leave?"],
    [
      "user",
      "That's the old address, write to Kaigata 9.",
      "Kaigata 9",
      "To which address should one write?",
    ],
    [
      "user",
      "no wait, the deposit is due on the 21st, I mixed it up",
      "21st",
      "When is the deposit due?",
    ],
  ],
  "open request": [
    [
      "user",
      "Can you put together a packing list for the Lofoten trip?",
      "packing list",
      "What should be put together for the Lofoten trip?",
    ],
    ["user", "Please cancel the gym membership.", "gym membership", "What should be cancelled?"],
    ["user", "have a look why the newsletter bounces", "newsletter", "What should be looked at?"],
    [
      "user",
      "We also need alt texts for the gallery pictures.",
      "alt texts",
      "What do the gallery pictures need?",
    ],
    [
      "user",
      "Bitte übersetze noch das Datenblatt der Pumpe.",
      "Datenblatt",
      "Was soll übersetzt werden?",
    ],
    ["user", "请把会议纪要翻译成英文。", "请把会议纪要", "要翻译什么？"],
  ],
  "failed approach": [
    ["agent", "Raising the ulimit made no difference.", "ulimit", "Did raising the ulimit help?"],
    ["agent", "Tested it with Bun: still segfaults.", "Bun", "What happened with Bun?"],
    [
      "agent",
      "Reverted the lazy-loading patch, it made startup slower.",
      "lazy-loading",
      "Why was the lazy-loading patch reverted?",
    ],
    [
      "user",
      "we gave vinegar a try on the stains, no luck",
      "vinegar",
      "Did vinegar work on the stains?",
    ],
  ],
  rule: [
    ["user", "No meetings before ten, please.", "before ten", "When may no meetings be?"],
    ["user", "Quotes go in German typographic marks.", "typographic", "How are quotes set?"],
    [
      "user",
      "you are not allowed to force-push to release branches",
      "force-push",
      "What is not allowed on release branches?",
    ],
    [
      "user",
      "Keep every commit message in the imperative.",
      "imperative",
      "How are commit messages written?",
    ],
  ],
};
const NODS = ["Noted.", "Okay.", "Understood, thanks.", "Got it."];
const PROMISES = [
  "Sure, I'll see to it.",
  "Will do.",
  "On it.",
  "I can't do that right now, I'll try again tomorrow.",
  "Working on it, I'll report back.",
  "Klar, mache ich morgen.",
  "好的，我稍后处理。",
];
const ASKED = ["And?", "What did you find?", "Anything new?"];

const user = (content: unknown): Message => ({ role: "user", content });
const agent = (content: unknown): Message => ({ role: "assistant", content });

/** Every second wording of each kind. */
function planted(dice: Dice, half: number): Canary[] {
  const all = KINDS.flatMap((kind) =>
    WORDINGS[kind].map(([by, text, needs, question], wording): Canary => {
      const said =
        by === "user"
          ? [user(text), agent(dice.of(kind === "open request" ? PROMISES : NODS))]
          : [user(dice.of(ASKED)), agent(text)];
      const id = `call_${kind.replace(" ", "_")}_${wording}`;
      const called =
        typeof by === "string"
          ? said
          : [
              user(dice.of(ASKED)),
              agent([{ type: "tool_use", id, name: "bash", input: by[0] }]),
              user([
                {
                  type: "tool_result",
                  tool_use_id: id,
                  content: by[1] === "" ? "(no output)" : by[1],
                },
              ]),
              agent(text),
            ];
      return { kind, wording, messages: called, question, needs: [needs] };
    }),
  );
  return dice.shuffled(all.filter(({ wording }) => wording % 2 === half));
}

describe("what was said once, in plain words and behind an ordinary nod or promise", () => {
  it("is answerable after ten folds, in 95 of 100 cases, with a distiller that drops a third", async () => {
    const runs: readonly (readonly [style: Style, seed: number, half: number])[] = [
      ["chat", 1, 0],
      ["support", 2, 1],
      ["agent", 3, 0],
      ["agent", 4, 1],
    ];
    const lost: string[] = [];
    let all = 0;
    for (const [style, seed, half] of runs) {
      const dice = new Dice(seed * 17);
      const canaries = planted(dice, half);
      const { inPrompt, inSearch, folds, invalid } = await throughTidemark(
        { canaries, filler: fillerOf(style, dice), folds: 10, window: 8_000 },
        scriptedModel({ seed, blind: 1 / 3 }),
      );
      expect([folds, invalid]).toEqual([10, 0]);
      all += canaries.length;
      canaries.forEach(({ kind, wording }, at) => {
        if (inPrompt[at] !== true && inSearch[at] !== true)
          lost.push(`${style}: ${kind}, ${WORDINGS[kind][wording]?.[1] ?? ""}`);
      });
    }
    expect(lost.length, lost.join("\n")).toBeLessThanOrEqual(all * 0.05);
  });
});
