// What an agent with tools says of its work: outcomes, causes, failures.
import { called, hash, id, lower, mark, must, number, type Form } from "./form.ts";
import { answers, asks, call } from "./scene.ts";

export const OF_AGENTS: readonly Form[] = [
  {
    form: "an agent's closing report",
    kind: "work",
    of31: 4,
    ends: true,
    scene: ({ work, part, file, check, tools }, dice, say) => {
      const task = `${work.split(" ")[0]}-${lower(mark(dice, 3))}`;
      const form = dice.below(4);
      if (form === 0) {
        return {
          messages: [
            asks(`create tickets for the ${work}`),
            ...called(dice, "", "Bash", [
              { command: `tk create "${work}"` },
              `Created ticket ${task}\nCreated ticket ${task}.1\nCreated ticket ${task}.2`,
            ]),
            answers(
              `## Tickets created\n\nTicket \`${task}\`: ${work} (${tools.join(", ")})\n\n| Ticket | Task | After |\n|---|---|---|\n| ${task}.1 | Set up ${tools[0]} | — |\n| ${task}.2 | Set up ${tools[1]} | ${task}.1 |\n\n\`tk list\` shows them.`,
            ),
          ],
          facts: [
            must(`Ticket ${task} for the ${work} was created.`, "outcome", 3, [
              [task],
              [lower(work), lower(tools[0])],
            ]),
          ],
        };
      }
      if (form === 1) {
        return {
          messages: [
            asks(`there's a rounding bug in ${file}, please fix`),
            ...called(dice, "The sum is cut off here. Let's change that line.", "Edit", [
              { file_path: file, old: "int(x / y)", new: "int(ceil(x / y))" },
              `The file ${file} has been edited. ${check}: no findings.`,
            ]),
            ...called(
              dice,
              `The code of the ${part} takes \`ceil\` now, so the rounding in ${file} ought to be right. Nothing else was touched. Before I hand it in, I run the example again.`,
              "Bash",
              [{ command: "./example" }, "17"],
            ),
            answers("It prints 17, as it should. I hand it in."),
          ],
          facts: [
            must(`Rounding in ${file} is fixed with ceil.`, "outcome", 3, [
              [file, part, "rounding"],
              ["ceil", "round"],
              ["fix", "right", "takes", "now", "changed"],
            ]),
          ],
        };
      }
      return {
        messages: [
          asks(say(`Implement ${task}`, [`please carry out ticket ${task} next`])),
          ...called(dice, "Now I commit it.", "Bash", [
            { command: `git commit -am "${task}: ${work}"` },
            `[main ${hash(dice)}] ${task}: ${work}\n 4 files changed`,
          ]),
          ...called(dice, "", "Bash", [
            { command: "git push" },
            `To git.example.org:me/app.git\n   main -> main`,
          ]),
          answers(
            say(
              `All done. The **${task}** work (${work}) is fully implemented and pushed. Here's a summary of what was completed:\n\n**${task}.1 — reading**\n- ${part} reads both formats\n- 3 new tests\n\n**${task}.2 — ${check}**\n- no findings left`,
              [
                `Everything is in. **${task}** (${work}) is finished and pushed. This is what was done:\n\n**${task}.1 — reading**\n- ${part} reads both formats\n- 3 new tests\n\n**${task}.2 — ${check}**\n- no findings left`,
                `That's it. Here is what I did for **${task}**, now closed:\n\n**${work}**\n\nAll 2 parts are complete:\n\n1. **${task}.1** — the ${part} reads both formats\n   - 3 new tests\n2. **${task}.2** — ${check} without findings`,
              ],
            ),
          ),
        ],
        facts: [
          must(`${task} (${work}) is finished and pushed.`, "outcome", 5, [
            [task],
            ["complete", "done", "finish", "closed"],
            [lower(work), "push", "all 2", "both"],
          ]),
        ],
      };
    },
  },
  {
    form: "a cause found on the way, before the next call",
    kind: "work",
    of31: 2,
    scene: ({ trap: [made, holds, who], file }, dice, say) => ({
      messages: [
        asks("go on"),
        ...called(dice, "", "Read", [
          { file_path: file },
          `1→// ${made}\n2→// made by a generator\n3→`,
        ]),
        ...called(
          dice,
          say(
            `The generated ${made} uses ${holds}, which ${who} doesn't support. I need to rewrite it in two safe steps.`,
            [
              `The generated ${made} uses ${holds}, which ${who} can't read. I have to write it by hand in two steps.`,
              `The ${made} holds ${holds} and ${who} doesn't know them. I need to rewrite that part.`,
              `So ${who} runs in its own process and cannot see the ${holds} of the ${made}. I'll share them.`,
            ],
          ),
          "Write",
          [{ file_path: file }, "The file has been written."],
        ),
        answers("Next, the tests."),
      ],
      facts: [
        must(
          `The generated ${made} holds ${holds}, which ${who} cannot read.`,
          "codebase-knowledge",
          3,
          [
            [lower(made), lower(holds)],
            [lower(who)],
            ["can't", "cannot", "doesn't", "does not", "own process", "by hand", "rewrit"],
          ],
        ),
      ],
    }),
  },
  {
    form: "what a tool answered when it refused",
    kind: "work",
    of31: 1,
    scene: ({ check, file, work, tools }, dice) => ({
      messages: [
        asks("commit please"),
        ...call(
          "",
          "Bash",
          { command: `git commit -m "${work}"` },
          {
            answer: `Pre-commit checks failed:\n\n[FORMAT] 2 files differ.\nRun '${lower(tools[0])} format'.\n\n[${check.toUpperCase()}]\nReading 114 files ...\n┃ [W] ${file}:${number(dice)} name is not used\n┃ [W] ${file}:${number(dice)} too many branches\n`,
            id: id(dice),
            failed: true,
          },
        ),
        ...called(dice, "Let me format those first.", "Bash", [
          { command: `${lower(tools[0])} format` },
          "2 files changed",
        ]),
        answers("I look at the other findings next."),
      ],
      facts: [
        must(`The pre-commit hook runs ${check} over all files.`, "rule", 2, [
          ["pre-commit", "precommit", "commit hook"],
          [check, lower(tools[0])],
        ]),
      ],
    }),
  },
  {
    form: "a failure left at the end; a cause thought aloud",
    kind: "work",
    of31: 2,
    ends: true,
    facts: 2,
    scene: ({ part, work, trap, tools }, dice, say) => {
      const version = `${1 + dice.below(8)}.${dice.below(20)}.0`;
      const module = `${part.replaceAll(" ", "-")}-core`;
      const failing = `> publish\n> build && upload\n\nsrc/main(4,10): error: ${module} has no exported member '${trap[0].split(" ")[0]}Options'.\nerror: upload of ${version} stopped\n\nCommand exited with code 1`;
      return {
        messages: [
          asks("yes, do the whole release"),
          ...called(dice, "", "Bash", [
            { command: `git tag v${version} && git push --tags` },
            `* [new tag] v${version} -> v${version}`,
          ]),
          ...call(
            "Good! Then I publish it:",
            "Bash",
            { command: "npm publish" },
            {
              answer: failing,
              id: id(dice),
              failed: true,
            },
          ),
          ...call(
            `Oh. The build for the ${work} seems to take an old ${module}. I build that one again:`,
            "Bash",
            { command: `cd ${module} && ${lower(tools[2])}` },
            { answer: failing, id: id(dice), failed: true },
          ),
          answers(
            say(
              `Oh wait, these errors look like the ${module} does not match what the build expects! It must be an old one. Let me check - did we`,
              [
                `Hm, so the ${module} that the build sees does not match what it expects. Perhaps it comes from a stale cache. Did we ever commit`,
              ],
            ),
          ),
        ],
        facts: [
          must(`Release ${version} is half done: publishing failed.`, "open-request", 4, [
            ["publish"],
            [version],
            ["fail", "not published", "not yet", "broke", "error", "open", "stopped", "half"],
          ]),
          must(`Publishing fails: the build takes an old ${module}.`, "failed-approach", 7, [
            [module],
            ["no exported member", "not match", "old ", "stale", "cache"],
            ["build", "publish"],
          ]),
        ],
      };
    },
  },
];
