import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anthropic } from "../src/dialect/anthropic.ts";
import { rowsOf } from "../src/distil/extract/rows.ts";
import { type Fact } from "../src/distil/distiller.ts";
import { foundIn, lasting } from "../src/distil/lasting.ts";
import { type Message } from "../src/model/request.ts";

const user = (content: string): Message => ({ role: "user", content });
const agent = (content: string): Message => ({ role: "assistant", content });
const keeps = (said: string): readonly string[] => foundIn({ dialect: anthropic, messages: [user(said), agent("I see."), user("Go on."), agent("Fine.")] }).map(({ text }) => text);

describe("what a user sets out in rows", () => {
  it("is kept row by row with the heads of the table", () => {
    const kept = keeps("| post | holder |\n|---|---|\n| treasurer | Ottilie Wankmüller |\n| archivist | Benedikt Sørli |\n\nThat is our board.");
    expect(kept).toContain("User: post: treasurer, holder: Ottilie Wankmüller");
    expect(kept).toContain("User: post: archivist, holder: Benedikt Sørli");
  });

  it("is kept however many rows of one shape there are, up to a listing", () => {
    const table = (rows: number): string => ["Rents:", "| room | m2 | rent |", "|:--|--:|--:|", ...Array.from({ length: rows }, (_, at) => `| room ${at} | ${40 + at} | ${1_100 + at} |`)].join("\n");
    expect(rowsOf(table(8))).toEqual(Array.from({ length: 8 }, (_, at) => `Rents: room: room ${at}, m2: ${40 + at}, rent: ${1_100 + at}`));
    expect(rowsOf(table(40))).toEqual([]);
  });

  it("is kept with the line a list stands under, beyond the sixth item, too", () => {
    const names = ["Ingvild", "Matteo", "Zsófia", "Pelle", "Noor", "Eoghan", "Tuuli", "Ama"];
    const kept = keeps(`Crew list for Saturday:\n${names.map((name, at) => `- berth ${at}: ${name} Rantanen`).join("\n")}`).join("\n");
    for (const [at, name] of names.entries()) expect(kept).toContain(`Crew list for Saturday: berth ${at}: ${name} Rantanen`);
  });

  it("is kept of a form as a whole, in code or not, and of a talk not at all", () => {
    const form = "Name: Oskar Blom\nCustomer no.: 774-20-19\nModel: Nordlys 40\nBought: 3 May 2024\nProblem: leaks at the lid\nPhone: +47 911 22 334\nPlace: Tromsø\nContact: Siri Moen";
    expect(rowsOf(form)).toEqual([form.replaceAll("\n", ", ")]);
    expect(keeps(form).join("\n")).toMatch(/Oskar Blom.*Siri Moen/);
    expect(keeps('Our gateway:\n```json\n{\n  "host": "db7.fjell.example",\n  "port": 6432,\n  "pool": 18\n}\n```')).toContain("User: Our gateway: host: db7.fjell.example, port: 6432, pool: 18");
    expect(keeps("```yaml\nretry: 7\nbackoff: 250ms\nqueue: tide-main\n```")).toContain("User: retry: 7, backoff: 250ms, queue: tide-main");
    expect(rowsOf("Ana: hello there\nBo: I hold the key\nAna: which key is it")).toEqual([]);
    expect(rowsOf("Note: the key is with Bo.\nThanks")).toEqual([]);
    expect(rowsOf(Array.from({ length: 40 }, (_, at) => `name ${String.fromCharCode(97 + (at % 26))}${at}: value ${at}`).join("\n"))).toEqual([]);
  });

  it("is not kept under a line that announces secrets", () => {
    for (const lead of ["Passwords:", "Our door PINs:", "密码："]) expect(rowsOf(`${lead}\n- ole: Sommer2026!\n- siri: Vinter2027!\n- ana: Herbst2028!`)).toEqual([]);
  });

  it("is no errand: a list of what is asked for stays with the requests", () => {
    expect(rowsOf("Please do this:\n- fix the header\n- write the letter to Ana Boer")).toEqual([]);
    expect(rowsOf("Open points:\n- Could you call Ana Boer?\n- the roof is leaking since May")).toEqual(["Open points: the roof is leaking since May"]);
  });

  it("is kept of code where it is prose: its comments", () => {
    const said = "```ts\n// the fixtures of the parser live in test/fixtures/odd_commas.txt\nexport const x = 4711;\n# never above 37 bar on the pump\n```\nso you know";
    expect(rowsOf(said)).toEqual(["the fixtures of the parser live in test/fixtures/odd_commas.txt", "never above 37 bar on the pump"]);
    expect(foundIn({ dialect: anthropic, messages: [user(said), agent("I see."), user("Go on.")] }).find(({ text }) => text.includes("37 bar"))?.kind).toBe("rule");
  });

  it("stands in the facts when neither summary nor facts of the model say it", async () => {
    const messages = [user("| post | holder |\n|---|---|\n| treasurer | Ottilie Wankmüller |"), agent("I see."), user("Go on."), agent("Fine.")];
    const { facts } = await lasting({ dialect: anthropic, messages, previous: "", factsFrom: 0, summaryTokens: 300, signal: new AbortController().signal }, { facts: [], summary: "Es wurde über Ämter gesprochen.", by: "model" });
    expect(facts.map(({ content, origin, from }: Fact) => [content, origin, from])).toContainEqual(["User: post: treasurer, holder: Ottilie Wankmüller", "user", [0]]);
  });

  it("is none of a document, and read in time that grows with its length only", () => {
    expect(rowsOf(`${"Long words about little. ".repeat(80)}\n| a | b |\n|---|---|\n| key | value of it |`)).toEqual([]);
    fc.assert(fc.property(fc.array(fc.constantFrom("| a b | c d |", "|---|---|", "- item of rope", "Crew:", "```", "// a note on rope", "", "words", "Berth: 14", "Owner: Hege Strand", "Depth = 3.5", "{"), { maxLength: 60 }), (lines) => rowsOf(lines.join("\n")).every((row) => row.trim() !== "" && row.length <= 240)));
  });
});
