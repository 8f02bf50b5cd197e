import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { REPOSITORY } from "../support/packed.ts";

const INTERFACES: readonly (readonly [file: string, name: string])[] = [
  ["src/session/options/tidemark-api.ts", "Tidemark"],
  ["src/session/options/turn-and-option-types.ts", "Turn"],
  ["src/session/options/memory-api.ts", "MemoryApi"],
  ["src/session/options/history-api.ts", "HistoryApi"],
  ["src/session/options/turn-and-option-types.ts", "WorkspaceApi"],
  ["src/session/options/knowledge-api.ts", "NotesApi"],
  ["src/session/options/knowledge-api.ts", "RecordsApi"],
];

function membersOf(file: string, name: string): ts.TypeElement[] {
  const source = ts.createSourceFile(
    file,
    ts.sys.readFile(join(REPOSITORY, file)) ?? "",
    ts.ScriptTarget.Latest,
    true,
  );
  const found = source.statements.find(
    (one): one is ts.InterfaceDeclaration =>
      ts.isInterfaceDeclaration(one) && one.name.text === name,
  );
  return [...(found?.members ?? [])];
}

const PREFIX: Readonly<Record<string, string>> = {
  Turn: "turn.",
  MemoryApi: "memory.",
  HistoryApi: "history.",
  WorkspaceApi: "workspace.",
  NotesApi: "notes.",
  RecordsApi: "records.",
};
describe("every public member", () => {
  it.each(INTERFACES)("of %s %s says what it is, and a method how it is called", (file, name) => {
    const members = membersOf(file, name);
    expect(members.length).toBeGreaterThanOrEqual(4);
    const bare = members.filter((member) => {
      const docs = ts.getJSDocCommentsAndTags(member);
      const example = ts.getJSDocTags(member).some(({ tagName }) => tagName.text === "example");
      return docs.length === 0 || (ts.isMethodSignature(member) && !example);
    });
    expect(bare.map((member) => member.name?.getText())).toEqual([]);
  });

  it("stands in docs/reference.md", () => {
    const reference = ts.sys.readFile(join(REPOSITORY, "docs/reference.md")) ?? "";
    const table = reference.split("\n## Methods\n")[1]?.split("\n## ")[0] ?? "";
    const names = INTERFACES.flatMap(([file, name]) =>
      membersOf(file, name).map((member) => `${PREFIX[name] ?? ""}${member.name?.getText() ?? ""}`),
    );
    const there = (name: string): boolean =>
      table.includes(`\`${name}(`) || table.includes(`\`${name}\``) || table.includes(`\`${name}.`);
    expect(names.filter((name) => !there(name) && name !== "workspace")).toEqual([]);
    const members = (file: string, name: string): string[] =>
      membersOf(file, name).map((member) => member.name?.getText() ?? "");
    for (const name of [
      ...members("src/core/memory.ts", "Memory"),
      ...members("src/core/memory.ts", "Hit"),
    ])
      expect(table).toContain(name);
  });

  it("of options says what it is", () => {
    const bare = [
      ...membersOf("src/session/options/turn-and-option-types.ts", "Options"),
      ...membersOf("src/session/options/save-and-fold-marks.ts", "WindowOptions"),
      ...membersOf("src/session/options/turn-and-option-types.ts", "BeginOptions"),
    ].filter((member) => ts.getJSDocCommentsAndTags(member).length === 0);
    expect(bare.map((member) => member.name?.getText())).toEqual([]);
  });
});
