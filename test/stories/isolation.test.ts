import fc from "fast-check";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { play, SECRET, step, type Step } from "../support/isolation.ts";
import { freshFolder } from "../support/workspace.ts";
import { runs } from "../support/runs.ts";

const withoutTheQuestion = (text: string): string =>
  text.replaceAll(new RegExp(`about [\\\\]*"${SECRET}[\\\\]*"`, "g"), "");

/** Short names of memories are made of their ids, which are chance. */
const withoutMarks = (text: string): string =>
  text
    .replaceAll(/<!-- (?:page )?[0-9a-z]{4,8} -->/g, "<!-- mark -->")
    .replaceAll(/<!-- ~..(.{8})[\w.-]*/g, "<!-- ~$1")
    .replaceAll(/(![\w-]{4})\^[\w-]{4}| \/[\w-]{15}(?= )| &[od][\w.-]+/g, "$1");

/** The id of a fold takes a token more or less, whatever it is. */
const withoutSizes = (text: string): string =>
  text
    .replaceAll(/(?<=→ +[\d.k]+) tokens +[0-9a-f]{7} /g, " FOLD ")
    .replaceAll(/(?<=\d+ messages +[\d.k]+ → )[\d.k]+/g, "")
    .replaceAll(/"(?:after|used|level|tokens)":[\d.e-]+/g, "")
    .replaceAll(/(?<=\\"saved\\": \{\s+\\"tokens\\": )-?\d+/g, "");

async function compare(steps: readonly Step[], meaning = false): Promise<void> {
  const folder = freshFolder();
  const among = await play(steps, { root: join(folder, "among"), alone: false, meaning });
  const alone = await play(steps, { root: join(folder, "alone"), alone: true, meaning });
  for (const [at, said] of among.said.entries()) {
    const [text, other] = [said, alone.said[at] ?? ""].map(withoutMarks).map(withoutSizes) as [
      string,
      string,
    ];
    let same = 0;
    while (same < text.length && text[same] === other[same]) same += 1;
    if (text !== other)
      expect(text.slice(Math.max(0, same - 300), same + 200), `answer ${at}`).toBe(
        other.slice(Math.max(0, same - 300), same + 200),
      );
  }
  expect(among.said).toHaveLength(alone.said.length);
  for (const text of among.said) expect(withoutTheQuestion(text)).not.toContain(SECRET);
}

/** Another identity asks for tools before the observer talks: what is in the observer's sight must not depend on it. */
const TOOLS_BEFORE: Step[] = [
  { by: 1, do: "tools", word: 0, which: 0, keyed: false },
  { by: 0, do: "talk", word: 1, which: 0, keyed: true },
  { by: 0, do: "talk", word: 0, which: 0, keyed: true },
  { by: 0, do: "tools", word: 0, which: 0, keyed: false },
];

it("every answer is the same, byte for byte, in a world where the others never acted", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 24 }), (steps) => compare(steps)),
    { numRuns: runs(3), endOnFailure: true, examples: [[TOOLS_BEFORE]] },
  );
});

it("so it is where memories are found by what they mean", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 20 }), (steps) =>
      compare(steps, true),
    ),
    { numRuns: runs(1), endOnFailure: true },
  );
});

it("how busy the others are, and how much of theirs has expired, is not told", async () => {
  let now = Date.UTC(2026, 0, 5);
  const house = await openTidemark({
    workspace: false,
    embed: false,
    distil: "extractive",
    now: () => now,
  });
  const [ada, bob] = [
    house.as({ agent: "one", user: "ada" }),
    house.as({ agent: "two", user: "bob" }),
  ];
  const turn = await bob.begin({
    model: "m",
    max_tokens: 10,
    messages: [{ role: "user", content: "Hello" }],
  });
  await turn.end({
    role: "assistant",
    content: "Hi",
    usage: { input_tokens: 700, output_tokens: 3 },
  });
  expect((await ada.stats()).calls.turn.calls).toBe(0);
  expect((await bob.stats()).calls.turn).toMatchObject({ calls: 1, input: 700, output: 3 });
  for (const content of ["one", "two", "three"])
    await bob.memory.save({ content: `Task ${content} is done`, source: "task_completion" });
  const { id } = await ada.memory.save({ content: "Task four is done", source: "task_completion" });
  now += 30 * 86_400_000;
  expect(await ada.tidy()).toMatchObject({ expired: 1 });
  expect(await ada.memory.get(id)).toBeUndefined();
  expect(await bob.memory.list()).toEqual([]);
  await house.close();
});
