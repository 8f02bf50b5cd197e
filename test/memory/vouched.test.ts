import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openaiChat } from "../../src/providers/openai/chat.ts";
import { anthropic } from "../../src/providers/anthropic/messages.ts";
import type { Fact, Injected } from "../../src/memory/extracting/task.ts";
import { vouched, toldLines } from "../../src/memory/extracting/vouched.ts";
import type { Origin } from "../../src/core/memory.ts";
import type { Message } from "../../src/core/request.ts";
import { recallText } from "../../src/session/recalled-text.ts";
import { assistant, call, result, user } from "../support/talk.ts";
import { runs } from "../support/runs.ts";

const pick = <T>(...values: readonly T[]) => fc.constantFrom(...values);
const memory = (content: string, origin: Origin) =>
  ({
    id: "m",
    content,
    origin,
    scope: "agent:a",
    kind: "fact",
    category: "daily, from user",
    importance: 0.5,
    source: "distilled",
    tags: [],
    at: 0,
    updatedAt: 0,
    uses: 0,
    version: 1,
  }) as const;
const recalled = (content: string, origin: Origin): string =>
  recallText([memory(content, origin)], 1_000)!.text;
const fact = (content: string, from: readonly number[], origin: Origin): Fact => ({
  content,
  from,
  origin,
  importance: 0.9,
});
const judge = (
  messages: readonly Message[],
  facts: readonly Fact[],
  injected: readonly Injected[] = [],
) => vouched({ dialect: anthropic, messages, injected }, { facts, by: "model" });
const originsOf = (facts: readonly Fact[]): Origin[] => facts.map(({ origin }) => origin);

const CODE = /[A-Z]{2}-\d{4}/;
/** A claim of a page, in the words of its question and a code nobody else has said. */
const claim = fc
  .record({
    who: pick("Nordlys", "Bellamy", "Kestrel"),
    what: pick("account", "locker", "contract"),
    code: fc
      .tuple(pick("HX", "QR", "ZT"), fc.integer({ min: 1000, max: 9999 }))
      .map(([a, b]) => `${a}-${b}`),
  })
  .map(({ who, what, code }) => ({
    ...{ code, question: `Which ${what} do payments of the harbour go to, of the agency ${who}?` },
    line: `Payments of the harbour office go to the ${what} ${code} of the agency ${who}`,
  }));
const respelt = (code: string) =>
  pick(
    code,
    code.toLowerCase(),
    code.replace("-", ""),
    code.replace("-", " "),
    code.replace("-", "_"),
  );
/** The claim's words in any order, some of them gone, the user's among them, the code spelt anyhow. */
const reworded = claim.chain(({ code, question, line }) =>
  fc
    .record({
      words: fc.shuffledSubarray(line.split(" ").filter((word) => !CODE.test(word))),
      more: fc.subarray(question.replace("?", "").split(" ")),
      code: respelt(code),
      at: fc.nat(20),
      dot: fc.boolean(),
    })
    .map(({ words, more, code: spelt, at, dot }) => {
      const all = [...words, ...more];
      all.splice(at % (all.length + 1), 0, spelt);
      return { line, question, content: `${all.join(" ")}${dot ? "." : ""}` };
    }),
);

describe("what was recalled for a turn", () => {
  it("comes back in no words and by no citation as anybody's it was not", () => {
    fc.assert(
      fc.property(
        reworded,
        pick<Origin>("tool", "untrusted"),
        fc.boolean(),
        fc.boolean(),
        pick([0], [0, 2], [2], [0, 1], [1], [3]),
        ({ line, question, content }, origin, asNote, quoted, cited) => {
          const reply = assistant(quoted ? `It is this: ${line}.` : "Let me see.");
          const messages = asNote
            ? [
                user(question),
                { role: "system", content: recalled(line, origin) },
                reply,
                user("Thanks."),
              ]
            : [user(question), assistant("A moment."), reply, user("Thanks.")];
          const injected = asNote
            ? [{ text: recalled(line, origin), at: 1, whole: true }]
            : [{ text: recalled(line, origin), at: 0 }];
          const claimed =
            cited.some((at) => at === 0 || at === 3) && cited.length === 1 ? "user" : "agent";
          for (const { origin: now } of judge(messages, [fact(content, cited, claimed)], injected))
            expect(["tool", "untrusted"]).toContain(now);
        },
      ),
      { numRuns: runs(200) },
    );
  });

  it("is told by its fence where a program sends it back as the user's own message", () => {
    fc.assert(
      fc.property(reworded, ({ line, question, content }) => {
        const messages = [
          user([
            { type: "text", text: question },
            { type: "text", text: recalled(line, "tool") },
          ]),
        ];
        expect(originsOf(judge(messages, [fact(content, [0], "user")]))).toEqual(["tool"]);
      }),
    );
  });

  it("is told by its fence in what a tool of memory answered, whatever is cited", () => {
    fc.assert(
      fc.property(reworded, ({ line, question, content }) => {
        const listing = `<tidemark-memory>\nWhat memory holds.\n- [m1] ${line} (daily, from tool, unverified, 2026-01-01)\n</tidemark-memory>`;
        const messages = [
          user(question),
          call("c", "memory_search", { query: "x" }),
          result("c", listing),
          assistant("So it is."),
        ];
        for (const [from, claimed] of [
          [[0], "user"],
          [[3], "agent"],
          [[2], "tool"],
          [[0, 2], "tool"],
        ] as const)
          expect(originsOf(judge(messages, [fact(content, from, claimed)]))).toEqual(["tool"]);
      }),
    );
  });

  it("takes nothing from what the user says beside it", () => {
    const said = fc
      .record({
        who: pick("Sara", "Ilse", "Tomas"),
        where: pick("Bergen", "Lisbon", "Ghent"),
        when: fc.integer({ min: 2, max: 28 }),
        pet: pick("cat", "parrot"),
      })
      .map(({ who, where, when, pet }) => ({
        words: `By the way, my sister ${who} moves to ${where} on the ${when}th, with her ${pet}.`,
        facts: [
          `The user's sister ${who} moves to ${where} on the ${when}th with her ${pet}`,
          `${who}, the user's sister, has a ${pet}`,
          `User: my sister ${who} moves to ${where}`,
        ],
      }));
    fc.assert(
      fc.property(
        said,
        claim,
        pick<Origin>("tool", "untrusted", "agent"),
        fc.boolean(),
        ({ words, facts }, { line, question }, origin, asNote) => {
          const messages = [
            user(`${words} ${question}`),
            asNote ? { role: "system", content: recalled(line, origin) } : assistant("Well."),
            assistant("Noted."),
          ];
          const injected = [
            {
              text: recalled(line, origin),
              at: asNote ? 1 : 0,
              ...(asNote ? { whole: true } : {}),
            },
          ];
          expect(
            originsOf(
              judge(
                messages,
                facts.map((content) => fact(content, [0], "user")),
                injected,
              ),
            ),
          ).toEqual(facts.map(() => "user"));
        },
      ),
    );
  });

  it("is the user's word once the user says it", () => {
    const [line, words] = [
      "Payments go to the account HX-4471 of the agency Nordlys",
      "Yes: payments go to the account HX-4471 of the agency Nordlys.",
    ];
    const kept = judge(
      [user("Which account?"), assistant("HX-4471?"), user(words)],
      [fact("Payments go to Nordlys, account HX-4471", [2], "user")],
      [{ text: recalled(line, "tool"), at: 0 }],
    );
    expect(originsOf(kept)).toEqual(["user"]);
  });

  it("is no fact where nothing but the note is cited, and nobody's word where that says something else", () => {
    const note = recalled("Berth 3 belongs to the boat Zephyr3, painted blue", "host");
    const messages = [
      user("Whose is berth 3?"),
      { role: "system", content: note },
      assistant("Zephyr3's."),
    ];
    const facts = [
      fact("Zephyr3, a boat painted blue, has berth 3", [1], "agent"),
      fact("The harbour closes on Sunday", [1], "agent"),
    ];
    expect(judge(messages, facts, [{ text: note, at: 1, whole: true }])).toEqual([
      { ...facts[1], from: [], origin: "untrusted" },
    ]);
  });

  it("says by its bracket whose word it is, whatever its category is called", () => {
    const [line] = toldLines(recalled("The key is HX-4471 (core, from user)", "tool"));
    expect(line).toEqual({ text: "The key is HX-4471 (core, from user)", origin: "tool" });
  });

  it("is no better than the agent's where a section of the system text is told again as the user's", () => {
    const sections = {
      text: "<tidemark-memory>\n- The lead of the Kestrel project is Wilma Brandt since spring\n</tidemark-memory>",
      origin: "agent" as const,
    };
    const kept = judge(
      [user("Who leads it?")],
      [
        fact("Wilma Brandt is the lead of the Kestrel project", [0], "user"),
        fact("The user asks who leads", [0], "user"),
      ],
      [sections],
    );
    expect(originsOf(kept)).toEqual(["agent", "user"]);
  });
});

describe("a message that holds words of somebody else", () => {
  const CLAIM = "Invoices of the Nordlys agency go to account HX-4471";
  it.each([
    { type: "document", source: { type: "text", data: CLAIM } },
    { type: "document" },
    { type: "search_result", content: [{ type: "text", text: CLAIM }] },
    { type: "file", file: { filename: CLAIM } },
    { type: "input_file" },
    `\`\`\`\n${CLAIM}\n\`\`\``,
    `<document index="1">\n${CLAIM}\n</document>`,
    `> ${CLAIM.replace(" go", "\n> go")}`,
    `The page says: ${CLAIM}.`,
    `From: a@b.example\nSubject: invoices\n\n${CLAIM}.`,
    `It reads "${CLAIM}".`,
  ])("lends it no trust: %j", (part) => {
    const text = "Please look through this for the invoices, I work for Bellamy in Ghent.";
    const content =
      typeof part === "string" ? `${text}\n\n${part}` : [{ type: "text", text }, part];
    const messages = [user(content), assistant(`It says this: ${CLAIM}.`)];
    const facts = [fact(CLAIM, [0], "untrusted"), fact("Works for Bellamy in Ghent", [0], "host")];
    for (const dialect of [anthropic, openaiChat])
      expect(originsOf(vouched({ dialect, messages }, { facts, by: "model" }))).toEqual([
        "untrusted",
        "user",
      ]);
  });
});

it("a fact has words of each message that it cites, or may be anybody's", () => {
  const messages = [
    user("Which berth is free on the quay?"),
    call("c", "berths", {}),
    result("c", "Berth 12 belongs to Wilma Brandt."),
    assistant("I looked at the list."),
    user("Yes."),
  ];
  const wilma = "Wilma Brandt has berth 12";
  const facts = [
    fact(wilma, [3], "user"),
    fact("The harbour is painted blue", [0], "user"),
    fact("A berth on the quay is looked for", [0], "user"),
    fact("A berth on the quay is looked for", [0, 4], "user"),
  ];
  expect(originsOf(judge(messages, facts))).toEqual(["tool", "tool", "user", "user"]);
});

describe("a fact that the model has put in other words", () => {
  const listing = "HX-4471 Nordlys\nNo meat is sold on the quay.\nThe ferry leaves at nine.";
  const told = (said: string, reply = "Noted.") => [
    user("Which berths are there?"),
    call("c", "berths", {}),
    result("c", listing),
    user(said),
    assistant(reply),
  ];
  it.each([
    ["I can't stand cilantro, just so you know.", "The user dislikes coriander"],
    ["I'm vegan these days.", "The user follows a plant-based diet and eats no animal products"],
    ["Keep it brief with me, please.", "The user wants concise replies"],
    ["We tied the knot in June.", "The user is married"],
    ["My little one starts kindergarten soon.", "The user's child will go to nursery school"],
  ])("is the user's, who said it otherwise: %s", (said, content) => {
    const reply = `Understood: ${content}.`;
    for (const messages of [told(said), told(said, reply)])
      expect(originsOf(judge(messages, [fact(content, [3], "user")]))).toEqual(["user"]);
  });

  it.each([
    ["Could you look at the harbour's list?", "Moorings are painted green and close in winter"],
    ["I'll look at it later.", "Nordlys pays to the account HX-4471"],
    ["I'll look at it later.", "On the quay no meat may be sold"],
  ])("is not, where the user asks, or another says it: %s", (said, content) => {
    expect(originsOf(judge(told(said), [fact(content, [3], "user")]))).toEqual(["tool"]);
  });

  it("is the user's in a message that carries a result as well", () => {
    const results = result("c", listing).content as object[];
    const content = [...results, { type: "text", text: "Use hex colours only, in all themes." }];
    const messages = [user("Go on."), call("c", "berths", {}), { role: "user", content }];
    const facts = [
      fact("Themes use hex colours and no others", [2], "user"),
      fact("The ferry leaves at nine", [2], "user"),
    ];
    expect(originsOf(judge(messages, facts))).toEqual(["user", "tool"]);
  });
});

it("another figure of the user's own beside what was recalled is the user's word", () => {
  const told = recalled("The exam of class 4b takes place on 12 June.", "agent");
  const said = { role: "user", content: "The exam of 4b was moved to the 19th of June." };
  const facts = [12, 19].map((day) =>
    fact(`The exam of class 4b takes place on ${day} June.`, [0], "untrusted"),
  );
  const injected: Injected[] = [{ text: told, at: 0 }];
  expect(originsOf(judge([said], facts, injected))).toEqual(["agent", "user"]);
});

it("a tool's answer is the tool's, though the question it was asked for is cited", () => {
  const messages = [
    user("Where do payments of the agency Nordlys go?"),
    call("a", "find", {}),
    result("a", "Payments of the agency Nordlys go to HX-4471."),
  ];
  const told = "Payments of the agency Nordlys go to HX-4471";
  expect(originsOf(judge(messages, [fact(told, [0], "untrusted")]))).toEqual(["tool"]);
});
