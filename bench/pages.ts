// How fast 10,000 notes are found: the first search of a process, later ones, after two seconds of rest, a change by another hand.
//   npm run bench -- pages [NOTES]
// The notes are made of LoCoMo's words. Each part is a process of its own; "own" is the time without what it waited for a processor
// that other work had, "clock" the time with it.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { record, round } from "./support.ts";

const notes = Number(process.argv[2] ?? 10_000);
const file = join(process.env.TIDEMARK_DATA ?? "../shared/data/locomo", "locomo-dev5.json");
const said = [...readFileSync(file, "utf8").matchAll(/"text": ?("(?:[^"\\]|\\.)+")/g)].map(
  ([, text = '""']) => JSON.parse(text) as string,
);
const root = mkdtempSync(join(tmpdir(), "tidemark-bench-pages-"));

/** Three sections of three paragraphs, about 2,000 characters. */
function note(number: number): string {
  // Two halves of what was said, so that hardly any paragraph stands twice.
  const half = (at: number): string => said[at % said.length] ?? "";
  const paragraph = (at: number): string =>
    `${half(number * 7 + at * 131)} ${half(number * 13 + at * 577 + Math.floor(number / 97))}`;
  const section = (at: number): string =>
    `## Part ${at}\n\n${[0, 1, 2].map((one) => paragraph(3 * at + one)).join("\n\n")}\n`;
  return `# Note ${number}\n\n${[0, 1, 2].map(section).join("\n")}`;
}

function part(name: string): Record<string, number> {
  const begun = performance.now();
  const script = join(import.meta.dirname, "support", "pages-part.ts");
  const output = execFileSync(process.execPath, ["--expose-gc", script, root, name], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { saidAt = 0, ...figures } = JSON.parse(output) as Record<string, number>;
  // What is left open must not hold the process.
  return { ...figures, endsWithoutCloseMs: round(performance.now() - begun - saidAt) };
}

try {
  for (let number = 0; number < notes; number += 1) {
    const folder = join(root, "notes", `${number % 100}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `note-${number}.md`), note(number));
  }
  const loadBefore = round(loadavg()[0] ?? 0);
  const indexed = part("index");
  record("pages", { notes, loadBefore, indexed, opened: part("search") }, process.argv[2]);
} finally {
  rmSync(root, { recursive: true, force: true });
}
