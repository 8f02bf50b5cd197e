import { describe, expect, it } from "vitest";
import { hitLines } from "../../src/cli/render/hits-and-spent.ts";
import { sayer } from "../../src/cli/render/layout.ts";
import { diffLines, foldLines } from "../../src/cli/verbs/conversations.ts";
import type { FoldDiff, FoldInfo } from "../../src/core/folds.ts";
import type { Hit, Memory } from "../../src/core/memory.ts";

const TEXTS = [
  "港のデスクで話したこと、そして手紙のこと。".repeat(8),
  "x".repeat(300),
  "\u001b[31mred\u001b[0m\u0007 and some words more ".repeat(9),
  "",
];

/** The lines as one text, which cannot command a terminal. */
function shown(lines: readonly string[]): string {
  let all = "";
  lines.forEach(sayer((text) => (all += text)));
  expect(all).not.toMatch(/[\u001b\u0007]/);
  return all.replace(/\s+/g, " ");
}

const fold: FoldInfo = {
  id: "0mwri4bop0002add7f34a3",
  conversation: "0mwri4als00033b1bfdce7",
  at: 0,
  messages: 999,
  before: 999e3,
  after: 999e3,
  undoneAt: 1,
};

describe("whatever a text is", () => {
  it.each(TEXTS)("a hit is shown in its lines: %j", (text) => {
    const memory = { id: "m", category: text, scope: `project:${text}`, origin: "tool" as const };
    const hit: Hit = {
      id: "m",
      from: "memory",
      content: text,
      text,
      score: 1,
      why: { words: 1, meaning: 1, recency: 1, use: 1, importance: 1 },
      source: text,
      memory: { ...memory, updatedAt: 0 } as Memory,
    };
    expect(shown(hitLines([hit], text))).toMatch(/1\.00.*unverified/);
  });

  it.each(TEXTS)("a fold and its messages are shown in theirs: %j", (text) => {
    expect(shown(foldLines([{ ...fold, label: text }]))).toMatch(/d7f34a3.*999 messages.*undone/);
    const glance = { ordinal: 1_234_567, role: text || "assistant", words: text };
    const diff: FoldDiff = {
      fold: { ...fold, label: text },
      kept: [glance],
      dropped: Array.from({ length: 30 }, () => ({ ...glance, shortened: true as const })),
      earlier: 9_999_999_999,
      remembered: {
        summary: text,
        memories: [{ id: "m", content: text, scope: text, kind: "fact", category: text }],
        gone: 99_999_999,
        pins: [{ id: "0mwri7eer0005c45a6128f", text, pinned: false }],
      },
      tokens: { before: 99_999e6, after: 99_999e6 },
    };
    const told = shown(diffLines(diff));
    for (const part of ["1234567", "9999999999", "99999999 more", "shortened"])
      expect(told).toContain(part);
  });
});
