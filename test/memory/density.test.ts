import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { chance } from "../../drill/host.ts";
import { estimateTokens } from "../../src/core/tokens/estimate.ts";
import { abstractOf, densityOf, isDense } from "../../src/memory/saving/archive.ts";
import { REPOSITORY } from "../support/packed.ts";

const random = chance(6);
const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
const figure = (most: number): number => Math.floor(random() * most);
const filesIn = (folder: string, end: string): string[] =>
  readdirSync(join(REPOSITORY, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(end) && !name.includes("node_modules"))
    .map((name) => readFileSync(join(REPOSITORY, folder, name), "utf8"));
const readmes = readdirSync(join(REPOSITORY, "node_modules"))
  .slice(0, 150)
  .flatMap((name) => {
    try {
      return [readFileSync(join(REPOSITORY, "node_modules", name, "README.md"), "utf8")];
    } catch {
      return [];
    }
  });

const sources = [
  ...filesIn("src", ".ts"),
  ...filesIn("scripts", ".mjs"),
  ...filesIn("page", ".css"),
];
const code = (): string => {
  const lines = pick(sources)
    .split("\n")
    .filter((line) => !/^\s*(?:\/?\*|\/\/)/.test(line));
  const from = figure(Math.max(1, lines.length - 20));
  return lines.slice(from, from + 20).join("\n");
};
const tables = [...filesIn("docs", ".md"), ...readmes].flatMap(
  (text) => text.match(/(?:^\|.*\|$\n?){4,}/gm) ?? [],
);
const table = (): string =>
  random() < 0.5
    ? pick(tables)
    : Array.from({ length: 12 }, () =>
        [figure(9_999), pick(["kiel", "gent", "oslo"]), figure(100) / 10, figure(9)].join(
          pick([",", ";"]),
        ),
      ).join("\n");
const stamp = (): string => new Date(1_790_000_000_000 + figure(1e9)).toISOString();
const LOGS: readonly (() => string)[] = [
  () =>
    `10.0.${figure(255)}.${figure(255)} - - [${stamp()}] "GET /api/v1/items/${figure(999)} HTTP/1.1" ${pick([200, 404, 500])} ${figure(9_999)}`,
  () =>
    `${stamp()} ${pick(["INFO", "WARN", "ERROR"])} [worker-${figure(9)}] job=${figure(9_999)} took=${figure(900)}ms queue=mail`,
  () =>
    `{"level":"${pick(["info", "error"])}","ts":${1_790_000_000 + figure(1e6)},"msg":"request done","path":"/v1/users/${figure(99)}","ms":${figure(500)}}`,
  () =>
    `Nov 30 0${figure(9)}:1${figure(9)}:2${figure(9)} host-${figure(9)} sshd[${figure(9_999)}]: Failed password for root from 10.1.2.${figure(255)} port ${figure(65_000)} ssh2`,
];
const log = (): string => {
  const line = pick(LOGS);
  return Array.from({ length: 10 }, line).join("\n");
};
const paragraphs = [...filesIn("docs", ".md"), ...readmes].flatMap((text) =>
  text
    .replace(/```[^]*?```/g, "")
    .split(/\n{2,}/)
    .filter(
      (part) =>
        /^[A-Z][^|<>[\]{}]{250,1500}\.$/.test(part.trim()) && !/^\s*(?:[-*#>|]|\d+\.)/m.test(part),
    ),
);
const prose = (): string => pick(paragraphs);
const SAID = [
  "Did you get round to the thing with the boats yesterday?",
  "Yeah, it went fine in the end, though we waited for ages.",
  "I was thinking we could have lunch by the water if it stays dry.",
  "Sounds lovely, but my mother is in town and she hates wind.",
  "Then let us go to that small place where they bake their own bread!",
  "Oh, I love that one. Will you ask whether they have a table at 2?",
  "Sure, I will call them when I am done here, around noon I guess.",
  "By the way, your sister wrote, she has found the keys at last.",
  "That is such a relief, I had turned the whole flat upside down.",
];
const chat = (): string =>
  Array.from(
    { length: 6 },
    (_, at) => `${at % 2 === 0 ? "Ada" : "Jo"}: ${pick(SAID)} ${pick(SAID)}`,
  ).join("\n");

const DRAWN = {
  code: [code, true],
  logs: [log, true],
  tables: [table, true],
  prose: [prose, false],
  chat: [chat, false],
} as const;

describe("density", () => {
  it("of 150 drawn blocks of code, logs, tables, prose and chat ≥ 95 % are known as dense or sparse, and a tie is sparse", () => {
    const wrong = Object.entries(DRAWN).flatMap(([name, [draw, dense]]) =>
      Array.from({ length: 30 }, draw).flatMap((text) =>
        densityOf(text) >= 0.5 === dense ? [] : [`${name}: ${text}`],
      ),
    );
    expect(wrong.length / 150).toBeLessThanOrEqual(0.05);
    expect(isDense([prose(), log()])).toBe(false);
    expect(isDense([prose(), log(), log()])).toBe(true);
  });

  it("leaves of a sparse text at most 200 tokens of its own sentences", () => {
    for (const text of Array.from(
      { length: 20 },
      () => `${prose()} ${prose()} ${prose()} ${prose()}`,
    )) {
      const abstract = abstractOf(text);
      expect(estimateTokens(abstract)).toBeLessThanOrEqual(200);
      expect(text.replace(/\s+/g, " ")).toContain(abstract.slice(0, 80).replace(/\s+/g, " "));
    }
  });

  it("leaves of a dense one at most 20 facts word for word, and start, middle and end of 150 characters", () => {
    const dense = Array.from({ length: 25 }, () => `${log()}\n${code()}`).filter((text) =>
      isDense([text]),
    );
    expect(dense.length).toBeGreaterThan(15);
    let kept = 0;
    for (const text of dense) {
      const abstract = abstractOf(text);
      const facts = abstract.split("\n").filter((line) => line.startsWith("- "));
      kept += facts.length;
      expect(facts.length).toBeLessThanOrEqual(20);
      for (const fact of facts.slice(0, 5)) expect(text).toContain(fact.slice(2));
      expect(abstract).toContain(text.slice(0, 150).trim());
      expect(abstract).toContain(text.slice(-149));
    }
    expect(kept).toBeGreaterThan(20);
  });
});
