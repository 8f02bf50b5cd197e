// A developer to an agent with tools: rules, corrections, answers.
import { called, lower, must, number, type Form } from "./form.ts";
import { answers, asks, talk } from "./scene.ts";

const QUESTION = "AskUserQuestion";
const answered = (asked: readonly (readonly [string, string])[]): string =>
  `User has answered your questions: ${asked.map(([q, a]) => `"${q}"="${a}"`).join(", ")}. You can now continue with the user's answers in mind.`;

export const OF_DEVELOPERS: readonly Form[] = [
  {
    form: "a rule in anger, lower case, with slips",
    kind: "work",
    of31: 2,
    scene: ({ part, units: [right, wrong] }, dice, say) =>
      dice.below(2) === 0
        ? {
            messages: talk(
              `the ${part} still shows rubbish`,
              `I see. It mixes ${right} and ${wrong}. This is a known issue of such programs; there are three ways to go on.`,
              say(`omg use bloody ${right} in the ${part}, no ${wrong}!`, [
                `ffs just use ${right} in the ${part}, no ${wrong}!`,
                `jeez, ${right} everwhere in the ${part} pls, no bloody ${wrong}`,
                `argh no ${wrong}!! the ${part} takes ${right}`,
              ]),
              `You're right. I'll turn all of it into ${right}.`,
            ),
            facts: [
              must(`The ${part} uses ${right}, never ${wrong}.`, "rule", 2, [
                [right],
                [wrong],
                ["no ", "only", "never", "not ", "must"],
              ]),
            ],
          }
        : {
            messages: talk(
              "and what happens on bad input now?",
              `The ${part} prints a warning and goes on.`,
              say(
                `no prnit statements! the ${part} should return an error that the caller can show however they want`,
                [
                  `no prnit statements! the ${part} shoud hand back an error, whoever calls it can show it as they like`,
                  `dont print stuff in there! ${part} gives back an erorr and the caller decides`,
                  `print is not ok in the ${part}, it must retrun the error to the caller`,
                ],
              ),
              "Understood, it returns the error now.",
            ),
            facts: [
              must(`The ${part} never prints; it returns errors.`, "rule", 2, [
                ["print", "prnit"],
                ["no ", "never", "not ", "don't", "dont", "without"],
                [part, "caller", "calls it"],
              ]),
            ],
          },
  },
  {
    form: "a rule in a complaint, with pasted output",
    kind: "work",
    of31: 1,
    scene: ({ part, file, input, check }, dice, say) => ({
      messages: talk(
        `${say(
          `my friend, this crashed when i restarted it. a broken ${input} must NEVER crash the ${part}`,
          [
            `man, that thing died when i started it again. a broken ${input} must NEVER crash the ${part}`,
            `seriously? it crashed once more on start. broken ${input}s should never ever crash it`,
            `oh come on, it blew up after the restart. i dont want a bad ${input} to crash the ${part}, EVER`,
          ],
        )}\n\n$ ${check} --start\nError: cannot read line ${number(dice)}\n    at parse (/home/me/${file}:${number(dice)})\n    at load (/home/me/${file}:88:3)\n    at main (/home/me/${file}:12:1)\n`,
        "That must not happen, I agree. Let me look at how it is loaded.",
      ),
      facts: [
        must(`A broken ${input} never crashes the ${part}.`, "rule", 0, [
          [lower(input)],
          ["never", "must not", "not crash", "no crash", "won't crash", "ever"],
          ["crash"],
        ]),
      ],
    }),
  },
  {
    form: "a correction of what was just done",
    kind: "work",
    of31: 1,
    scene: ({ part, file }, _dice, say) => ({
      messages: talk(
        `port ${file} to the new api as well`,
        `Done! I've moved the ${part} over. What changed:\n\n1. **One class instead of three**\n2. **Shorter names**\n3. **The loop is a map now**`,
        say(
          `you broke the ${part} REALLY badly. i undid your changes, try again. raed the full file`,
          [
            `you wrecked the ${part} compeltely. i rolled it back, do it again and raed the whole file first`,
            `nope, that broke the ${part} in ten places. reverted it all. again, and this time only what i asked for`,
            `what did you do to the ${part}?? i undid everything, start over, look at teh entire file`,
          ],
        ),
        "I'm sorry. I will read it in full and change only the calls.",
      ),
      facts: [
        must(
          `The first port of the ${part} was undone by the user: read it all first.`,
          "correction",
          2,
          [
            [part, file],
            ["rolled", "revert", "undid", "undo", "rewrote"],
          ],
        ),
      ],
    }),
  },
  {
    form: "a yes to what the assistant proposed",
    kind: "work",
    of31: 1,
    scene: ({ part, program: [name, setting, value] }, _dice, say) => ({
      messages: talk(
        `in ${name} it still looks wrong`,
        `Run it once more in ${name}. If the three lines look alike again, it is ${name} and not our ${part}.\n\nHave a look at the settings of ${name}, too:\n1. Open Settings\n2. Search for "${setting}"\n3. Set it to \`${value}\`\n\nThen start it again.`,
        say(
          "haha that's it, now they look the same. ok, let's change the third line, it's too long",
          [
            "haha thats it, now it's the same on both. ok, next, the third line is too long",
            "wow ok that was it. right, then let's make the lines a bit thinner",
            "yess, works now. on to the next one then",
          ],
        ),
        "Great! I'll go on with that.",
      ),
      facts: [
        must(`${name} shows it wrong until ${setting} is ${value}.`, "failed-approach", 2, [
          [lower(setting)],
          [lower(name)],
          [value],
        ]),
      ],
    }),
  },
  {
    form: "few words that answer an agent's form",
    kind: "work",
    of31: 2,
    scene: ({ check, file, tools: [one, two, three] }, dice, say) => {
      const choice = dice.below(2) === 0;
      const reply = choice
        ? `${one} + ${two}`
        : say("yesterday it was green; repair the findings", [
            "it was green yesterday; repair it",
            "no skipping, repair them",
            "repair those too",
          ]);
      const asked: [string, string] = choice
        ? ["Which of the checkers do you want?", reply]
        : [`${check} stops at old findings in ${file} (not ours). What shall I do?`, reply];
      return {
        messages: [
          asks(choice ? "what could we use to check the code?" : "ok, commit it"),
          ...called(
            dice,
            choice
              ? `There are three: ${one}, ${two} and ${three}.`
              : `The ${check} findings are not from my changes. I could skip it or repair them.`,
            QUESTION,
            [{ questions: [{ question: asked[0] }] }, answered([asked])],
          ),
          answers(choice ? "I'll set those up." : "Then I'll look at the findings."),
        ],
        facts: [
          choice
            ? must(`The user chose ${one} and ${two}.`, "decision", 2, [
                [lower(one)],
                [lower(two)],
                ["user", "chose", "chosen", "selected", "which"],
              ])
            : must(`Old findings of ${check} are repaired, never skipped.`, "correction", 2, [
                [check, "old findings", "skip"],
                ["repair"],
                ["user", "asked", "answer", "chose", "never", "don't", "no skipping", reply],
              ]),
        ],
      };
    },
  },
];
