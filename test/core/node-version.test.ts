import { execFile, execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { packed, type Packed } from "../support/packed.ts";

/** The machine's own Node, behind the one npm puts into PATH: often the very one this is about. */
function olderNode(): string | undefined {
  const places = (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((place) => !place.includes("node_modules"));
  return places
    .map((place) => join(place, "node"))
    .find((path) => {
      try {
        return (
          Number(/^v(\d+)/.exec(execFileSync(path, ["--version"], { encoding: "utf8" }))?.[1]) < 22
        );
      } catch {
        return false;
      }
    });
}

const older = olderNode();
let install: Packed;
let command: readonly [string, ...string[]];
beforeAll(async () => {
  install = await packed();
  if (older !== undefined) command = [older];
  else {
    const preload = join(install.project, "as-node-20.cjs");
    writeFileSync(
      preload,
      'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.11.0" } }); Object.defineProperty(process, "version", { value: "v20.11.0" });',
    );
    command = [process.execPath, "--require", preload];
  }
});

interface Outcome {
  code: number;
  signal: string | null;
  stdout: string;
  stderr: string;
}

async function run(...args: string[]): Promise<Outcome> {
  const [file, ...before] = command;
  return promisify(execFile)(file, [...before, ...args], { cwd: install.project }).then(
    ({ stdout, stderr }) => ({ code: 0, signal: null, stdout, stderr }),
    ({ code, signal, stdout, stderr }: Outcome) => ({ code, signal, stdout, stderr }),
  );
}

describe(
  older === undefined
    ? "a Node below 22, played by faking process.versions in this one"
    : "a Node below 22, the machine's own",
  () => {
    it.each([
      ["the library", ["--input-type=module", "-e", 'import "tidemark";']],
      ["the Anthropic adapter", ["--input-type=module", "-e", 'import "tidemark/anthropic";']],
      ["the CLI", ["node_modules/tidemark/dist/cli/main.js", "doctor"]],
    ])(
      "that loads %s is told in one sentence which version it needs and what to do",
      async (_name, args) => {
        const { code, signal, stdout, stderr } = await run(...args);
        expect({ code, signal, stdout }).toEqual({ code: 1, signal: null, stdout: "" });
        expect(stderr.trim().split("\n")).toHaveLength(1);
        expect(stderr).toMatch(/needs Node 22 or newer/);
        expect(stderr).toMatch(/npm install node@24/);
        expect(stderr, "no stack").not.toMatch(/^\s+at /m);
      },
    );
  },
);
