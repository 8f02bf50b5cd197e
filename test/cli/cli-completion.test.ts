import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { VERBS } from "../../src/cli/verbs.ts";
import { executeHere } from "../support/cli-here.ts";
import { fileFolder } from "../support/afterwards.ts";

const [ZSH, FISH] = ["/usr/bin/zsh", "/usr/bin/fish"] as const;
const home = fileFolder();
const scripts: Record<string, string> = {};
beforeAll(async () => {
  for (const shell of ["bash", "zsh", "fish"]) {
    scripts[shell] = (await executeHere(["completion", shell])).out;
    writeFileSync(join(home, shell), scripts[shell]);
  }
});

/** Offers of bash for a line that is typed so far; an empty last word is one to come. */
const offered = (...words: string[]): string[] =>
  execFileSync(
    "/bin/bash",
    [
      "-c",
      'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tidemark; printf "%s\\n" "${COMPREPLY[@]}"',
      "bash",
      join(home, "bash"),
      "tidemark",
      ...words,
    ],
    { encoding: "utf8", cwd: home },
  )
    .split("\n")
    .filter((line) => line !== "");

describe.skipIf(!existsSync("/bin/bash"))("completion in bash", () => {
  it("offers the verbs, then the flags of the one that was typed", () => {
    expect(offered("").sort()).toEqual(Object.keys(VERBS).sort());
    expect(offered("re")).toEqual(["replay", "recall", "read", "record", "rebuild"]);
    expect(offered("list", "--")).toEqual(
      expect.arrayContaining(["--limit", "--category", "--user", "--json"]),
    );
    expect(offered("list", "--as")).toEqual([]);
    expect(offered("recall", "--as")).toEqual(["--as-of"]);
    expect(offered("record", "add", "--cat")).toEqual(["--category"]);
  });

  it("offers folders for --workspace, and leaves other words to bash", () => {
    mkdirSync(join(home, "agents"), { recursive: true });
    expect(offered("list", "--workspace", "ag")).toEqual(["agents"]);
    expect(offered("replay", "se")).toEqual([]);
  });
});

describe("completion in other shells", () => {
  it("of fish names every verb with what it does, and every flag", async () => {
    for (const [name, { says, flags = {} }] of Object.entries(VERBS)) {
      expect(scripts.fish).toContain(`-a ${name} -d '${says.split("'")[0] ?? ""}`);
      for (const flag of Object.keys(flags))
        expect(scripts.fish).toContain(`'__fish_seen_subcommand_from ${name}' -l ${flag} `);
    }
  });

  const ask = (shell: string, command: string): string =>
    execFileSync(shell, [...(shell === ZSH ? ["-f"] : []), "-c", command], { encoding: "utf8" });

  it.skipIf(!existsSync(ZSH))("of zsh is read where nothing was set up before", () => {
    const script = join(home, "zsh");
    expect(ask(ZSH, `source ${script}; print -r -- $_comps[tidemark]`)).toContain("_tidemark");
  });

  it.skipIf(!existsSync(FISH))("of fish offers the verbs, then the flags", () => {
    const typed = (line: string) =>
      ask(FISH, `source ${join(home, "fish")}; complete -C "${line}"`);
    expect(typed("tidemark recal")).toMatch(/^recall\t/);
    expect(typed("tidemark recall --as")).toMatch(/^--as-of\t/);
  });

  it("refuses another shell with the nearest", async () => {
    const { code, err } = await executeHere(["completion", "bsh"]);
    expect(code).toBe(2);
    expect(err).toContain('completion takes bash, zsh or fish, got "bsh". Did you mean "bash"?');
  });
});
