import fc from "fast-check";
import { expect, test } from "vitest";
import { looseJson, salvage } from "../../src/memory/extracting/read-reply.ts";
import { runs } from "../support/runs.ts";
import { growsWithLength, repeated } from "../support/growth.ts";

const named = (members: Iterable<[string, unknown]>): unknown =>
  Object.fromEntries([...members].map(([name, member]) => [name.toLowerCase(), plain(member)]));
/** With names in small letters, as they are read. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map) return named(value as Map<string, unknown>);
  return typeof value === "object" && value !== null ? named(Object.entries(value)) : value;
}

const GOOD = {
  facts: [
    {
      content: "The cat is called Whiskerino.",
      category: "preference",
      importance: 0.8,
      key: "user.cat.name",
      kind: "fact",
      from: [1],
    },
    {
      content: "Deploy on Fridays is forbidden.",
      category: "decision",
      importance: 0.9,
      supersedes: "deploy any day",
      from: [3, 4],
    },
  ],
  summary: "They talked about the cat\nand about deploys.",
};
const reply = JSON.stringify(GOOD);
const contents = (text: string): string[] | undefined =>
  salvage(text)?.facts.map((fact) => fact.content);

test("valid JSON is read exactly", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(fc.jsonValue({ maxDepth: 5 })),
        fc.dictionary(
          fc.string().filter((name) => name !== "__proto__"),
          fc.jsonValue({ maxDepth: 5 }),
        ),
      ),
      fc.constantFrom(undefined, 2),
      (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(looseJson(text).map(plain)).toEqual([
          { value: plain(JSON.parse(text)), cut: false },
        ]);
      },
    ),
    { numRuns: runs(200) },
  );
});

test("reads the reply bare, in a fence, with prose around, and nested under other keys", () => {
  const dressed = [
    reply,
    JSON.stringify(GOOD, null, 2),
    "```json\n" + reply + "\n```",
    'Sure! Here\'s {the} JSON you "asked for":\n\n```\n' + reply + "\n```\nAnything else?",
    "Here it is: " + reply + " Hope that helps :}",
    JSON.stringify({ result: { data: GOOD } }),
    JSON.stringify([GOOD]),
    "<thinking>I'll use { and [ here</thinking>\n```json\n" + reply + "\n```",
    "\ufeff" + reply.replace(/\},\{/g, "},\n\n{").replace(/\]/g, ",]").replace(/\}$/, ",}"),
  ];
  for (const text of dressed) {
    const got = salvage(text);
    expect(got?.facts).toMatchObject([
      {
        content: GOOD.facts[0]!.content,
        category: "preference",
        importance: 0.8,
        key: "user.cat.name",
        kind: "fact",
        cites: [[1, 1]],
      },
      {
        content: GOOD.facts[1]!.content,
        supersedes: "deploy any day",
        cites: [
          [3, 3],
          [4, 4],
        ],
      },
    ]);
    expect(got?.summary).toBe(GOOD.summary);
    expect(got?.cut).toBe(false);
  }
});

test("wherever a reply is cut, its facts are whole ones and its summary is not used", () => {
  for (let length = 0; length < reply.length; length += 1) {
    const got = salvage(reply.slice(0, length));
    expect(got?.summary).toBeUndefined();
    for (const fact of got?.facts ?? [])
      expect(GOOD.facts.map((one) => one.content)).toContain(fact.content);
  }
  expect(contents(reply.slice(0, reply.indexOf('"summary"') + 30))).toHaveLength(2);
});

test("one bad item costs itself, not its neighbours", () => {
  const bad = [
    '{"content": "half of it, "importance": 0.5}',
    '{content: "bare key", "importance": }',
    '{"content": 12e, "from": [[[}',
    '{"content": null}',
    '"',
    "{{{",
    "]",
  ];
  for (const item of bad) {
    const got = contents(
      `{"facts":[{"content":"first"},${item},{"content":"last","from":[2]}],"summary":"s"}`,
    );
    expect(got, item).toContain("first");
  }
  expect(
    contents(
      '{"facts":[{"content":"a"},{"content": "half, "importance": 0.5},{"content":"b"}],"summary":"s"}',
    ),
  ).toEqual(["a", "b"]);
  expect(
    contents('{"facts":[{"content":"a"},{"content":"b"\n{"content":"c"}],"summary":"s"}'),
  ).toEqual(["a", "c"]);
});

test("raw newlines, raw quotes and Windows paths in strings are kept", () => {
  const got = salvage(
    '{"facts":[{"content":"He said "yes" to C:\\Users\\new",\n"from":[1]}],"summary":"line one\nline two"}',
  );
  expect(got?.facts[0]?.content).toBe('He said "yes" to C:\\Users\new');
  expect(got?.summary).toBe("line one\nline two");
});

test("wrong types are read as what they mean", () => {
  const fact = (members: object): unknown =>
    salvage(JSON.stringify({ facts: [{ content: "x", ...members }], summary: "s" }))?.facts[0];
  expect(fact({})).toEqual({ content: "x", importance: 0.5, cites: [] });
  expect(fact({ importance: "0.7", from: "3-5", category: ["decision"] })).toMatchObject({
    ...{ importance: 0.7, cites: [[3, 5]], category: "decision" },
  });
  expect(fact({ importance: 8, key: 7, kind: "Procedure" })).toMatchObject({
    ...{ importance: 1, key: "7", kind: "procedure" },
  });
  expect(salvage('{"facts":["likes tea"],"summary":["a","b"]}')).toMatchObject({
    facts: [{ content: "likes tea" }],
    summary: "a\nb",
  });
});

test("what comes in is bounded and cleaned", () => {
  const got = salvage(
    JSON.stringify({
      facts: Array.from({ length: 300 }, (_, index) => ({
        content: `\u0007${index} ${"😀".repeat(1_100)}`,
        key: "k".repeat(300),
      })),
      summary: "\u0000ok\u001b[31m",
    }),
  );
  expect(got?.facts).toHaveLength(200);
  for (const { content, key } of got?.facts ?? []) {
    expect(content.length).toBeLessThanOrEqual(2_000);
    expect(content).not.toMatch(/[\u0000-\u001f]|[\ud800-\udbff]$/);
    expect(key).toHaveLength(200);
  }
  expect(got?.summary).toBe("ok[31m");
});

test("no JSON of the form is no reply", () => {
  for (const text of [
    "",
    "I cannot help with that.",
    '{"error":{"type":"overloaded_error"}}',
    "[]",
    '{"type":"tool_use","input":{}}',
  ])
    expect(salvage(text)).toBeUndefined();
});

test("any text at all is read without an error, and in time that grows with its length only", async () => {
  const pieces = fc.array(
    fc.oneof(
      fc.constantFrom(
        "{",
        "}",
        "[",
        "]",
        '"',
        "'",
        ":",
        ",",
        "\\",
        "```",
        "\n",
        '"facts"',
        '"summary"',
        '"content"',
        '{"content":"x"}',
      ),
      fc.string({ maxLength: 4 }),
    ),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(pieces, (all) => void salvage(all.join(""))),
    { numRuns: runs(300) },
  );
  for (const unit of ['[{"a":[', '"', "\\", "```\n{", '{"facts":[', '{"content":"a"},'])
    await growsWithLength((length) => salvage(repeated(unit, length)), { what: unit });
});
