import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { chance } from "../../drill/host.ts";
import { openTidemark, type TidemarkEvent } from "../../src/index.ts";
import { sentences } from "../../src/core/text/sentences.ts";
import { contentTerms } from "../../src/core/text/terms.ts";
import { createInferable } from "../../src/workspace/search/inferable.ts";
import { REPOSITORY } from "../support/packed.ts";
import { freshFolder } from "../support/workspace.ts";

/** Sentences of prose, long enough to be a fact. */
const sentencesOf = (text: string): string[] =>
  sentences(text.replace(/```[^]*?```/g, "").replace(/^[|#].*$/gm, ""))
    .filter(({ code }) => !code)
    .map(({ text: one }) =>
      one.replace(/^(?:[-*]|\d+\.) /, "").replace(/\[([^\]]*)\]\([^)]*\)/g, "$1"),
    )
    .filter((one) => one.length < 300 && new Set(contentTerms(one).terms).size >= 6);
const shuffled = <T>(all: readonly T[], random: () => number): T[] =>
  all
    .map((one) => ({ one, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);

/** As one remembers it: other small words, another opening, marks of Markdown gone. */
const REWORDINGS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replace(/[`*]/g, ""),
  (text) => text.replace(/\b(?:the|a|an) /gi, ""),
  (text) => `It is known that ${text.charAt(0).toLowerCase()}${text.slice(1)}`,
  (text) =>
    text
      .replace(/[`*]/g, "")
      .replace(/^(.+?), (.+?)\.$/, (_, one: string, two: string) => `${two}, ${one}.`),
];
/** What documents do not say, in nearly their words. */
const OTHERWISE: readonly ((text: string) => string | undefined)[] = [
  (text) =>
    /\d/.test(text) ? text.replace(/\d+/, (figure) => `${Number(figure) * 3 + 7}`) : undefined,
  (text) => {
    const denied = text.replace(/\b(is|are|has|can|does|must|will) /, "$1 not ");
    return denied === text ||
      /\b(?:not|no|never|nothing|none|without|nor|neither|nobody|cannot)\b/.test(text)
      ? undefined
      : denied;
  },
  (text) => text.replace(/^(\S+)/, "Brunhilde said that $1").replace(/\.$/, " in Osnabrück."),
];

describe("what documents say", () => {
  it("is left out, of 300 sentences ≥ 90 %; of 300 that they do not say ≤ 5 %", async () => {
    const random = chance(45);
    // This repository's documents, and those of packages: of every second one they are in no folder.
    const files = ["docs", "node_modules"].flatMap((folder) =>
      readdirSync(join(REPOSITORY, folder))
        .slice(0, 120)
        .flatMap((name) => {
          const path = join(REPOSITORY, folder, name, ...(folder === "docs" ? [] : ["README.md"]));
          return path.endsWith(".md") && existsSync(path) ? [path] : [];
        }),
    );
    const folder = freshFolder();
    mkdirSync(folder, { recursive: true });
    const isIn = (path: string, at: number): boolean => path.includes("docs") || at % 2 === 0;
    files.forEach((path, at) => isIn(path, at) && copyFileSync(path, join(folder, `${at}.md`)));
    const drawn = (some: readonly string[]): string[] =>
      shuffled(
        some.flatMap((path) =>
          shuffled(sentencesOf(readFileSync(path, "utf8")), random).slice(0, 20),
        ),
        random,
      );
    const said = drawn(files.filter(isIn)).slice(0, 300);
    const held = files.filter(isIn).map((path) => readFileSync(path, "utf8"));
    const foreign = drawn(files.filter((path, at) => !isIn(path, at))).filter(
      (one) => !held.some((text) => text.includes(one)),
    );
    // Some of them say what these documents say with another figure, name or denial.
    const near = said.flatMap((one, at) => OTHERWISE[at % 3]?.(one) ?? []);
    const unsaid = [...shuffled(near, random).slice(0, 150), ...shuffled(foreign, random)].slice(
      0,
      300,
    );
    expect([said.length, unsaid.length]).toEqual([300, 300]);
    const inferable = createInferable([folder], () => 0);
    await inferable.look();
    const before = process.cpuUsage();
    const left = said.filter((one, at) => inferable.says(REWORDINGS[at % 5]?.(one) ?? ""));
    const wrong = unsaid.filter((one) => inferable.says(one));
    const { user, system } = process.cpuUsage(before);
    // Of some thousand passages it is looked up in a few ms at most.
    expect((user + system) / 600).toBeLessThan(10_000);
    expect(left.length).toBeGreaterThanOrEqual(270);
    expect(wrong.length).toBeLessThanOrEqual(15);
  });
});

const PORT = "The gateway of the harbour listens on port 8443 behind the blue proxy.";
const OWN = "The gateway of the harbour drops websocket frames over 64 kB in silence.";
const asking = (content: string) => ({
  model: "claude-sonnet-5-5",
  max_tokens: 100,
  messages: [{ role: "user", content }],
});

describe("the option inferable", () => {
  async function opened(...inferable: string[]) {
    let now = Date.UTC(2026, 5, 1);
    const events: TidemarkEvent[] = [];
    const tidemark = await openTidemark({
      ...{ workspace: freshFolder(), distil: "extractive", inferable, now: () => now },
      listen: (event) => events.push(event),
    });
    const told = async (content: string): Promise<string> => {
      const turn = await tidemark.begin(asking(content));
      await turn.end({ role: "assistant", content: "Yes." });
      return JSON.stringify(turn.request);
    };
    return { tidemark, events, told, later: () => (now += 60_000) };
  }
  const folderWith = (text: string): string => {
    const folder = freshFolder();
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "gateway.md"), `# Gateway\n\n${text}\n`);
    return folder;
  };

  it("keeps out of system text and recall what documents say, as they are now; search finds it", async () => {
    const docs = folderWith(`At the edge, ${PORT}`);
    const { tidemark, told, later } = await opened(docs);
    const save = (content: string, tags: string[] = []) => tidemark.memory.save({ content, tags });
    await save(PORT);
    await save(OWN);
    const question = "What do we know of the gateway of the harbour, its port, its frames?";
    const first = await told(question);
    expect(first).toContain(OWN);
    expect(first).not.toContain("8443");
    expect((await tidemark.memory.search(question)).map(({ text }) => text)).toContain(PORT);
    writeFileSync(
      join(docs, "gateway.md"),
      "# Gateway\n\nThe gateway of the harbour listens on port 9000 behind the blue proxy.\n",
    );
    later();
    expect(await told(`Once more: ${question}`)).toContain(PORT);
    await tidemark.close();
  });

  it("counts a record as said, and tells what is tagged as not inferable", async () => {
    const { tidemark, told } = await opened(folderWith("Nothing."));
    await tidemark.records.add({ category: "decision", content: `Gateway\n\n${PORT}` });
    const { id } = await tidemark.memory.save(PORT);
    expect(await told("Hello you there.")).not.toContain("8443");
    await tidemark.memory.update(id, { tags: ["non-inferable"] });
    expect(await told("Hello again there.")).toContain("8443");
    await tidemark.close();
  });

  it("that names no folder is told of, and all is told", async () => {
    const { tidemark, events, told } = await opened(join(freshFolder(), "gone"));
    await tidemark.memory.save(PORT);
    expect(await told("Hello.")).toContain("8443");
    expect(events).toContainEqual(
      expect.objectContaining({ type: "degraded", where: "inferable" }),
    );
    await tidemark.close();
  });
});

it("knowledge of code that is not tagged is advised against, and told by an event", async () => {
  const events: TidemarkEvent[] = [];
  const tidemark = await openTidemark({
    workspace: false,
    distil: "extractive",
    listen: (one) => events.push(one),
  });
  const save = (input: object): Promise<string> =>
    tidemark.tools({ only: ["memory_save"] })[0]?.run({ content: OWN, ...input }) ??
    Promise.reject();
  const category = "codebase-knowledge";
  expect(await save({ category })).toMatch(/^Saved as \w+\. Forget it if code or documents say it/);
  expect(await save({ category, tags: ["non-inferable"] })).toMatch(/^Saved as \w+\.$/);
  expect(await save({ category: "decision", content: PORT })).toMatch(/^Saved as \w+\.$/);
  const about = events.filter((event) => event.type === "notice" && event.about === "inferable");
  expect(about).toHaveLength(1);
  await tidemark.close();
});
