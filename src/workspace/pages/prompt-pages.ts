import { DEFAULT_SCOPE, type Scope } from "../../core/identity.ts";
import { normalForm } from "../../core/text/cut.ts";
import {
  clipLines,
  headingsOf,
  linesOf,
  withoutComments,
  withoutEmptySections,
  withoutFrontMatter,
} from "../../core/text/markdown.ts";
import type { Templates } from "./first-pages-and-backups.ts";
import { learningsText } from "./learnings.ts";
import { readPage } from "./memory-page.ts";
import { isMarked, readLine } from "./page-lines.ts";

/** Characters each section may take. */
export const PROMPT_CAPS = {
  soul: 4_000,
  user: 4_000,
  agents: 12_000,
  memory: 3_150,
  learnings: 400,
};

export interface PromptTexts extends Readonly<Record<keyof typeof PROMPT_CAPS, string>> {
  /** Lines that stand in `memory` already, as `normalForm` gives them. */
  readonly standing: ReadonlySet<string>;
}

/** The text of a file, "" when it is absent or cannot be read. */
type ReadText = (scope: Scope, path: string) => Promise<string>;

const shortened = (path: string): string => `(shortened: the rest stands in ${path})`;

/**
 * What a person wrote into a file: no front matter, no comments, no headings of the template left
 * without text.
 */
const written = (text: string, template: string | undefined): string =>
  withoutEmptySections(withoutComments(withoutFrontMatter(text)), headingsOf(template ?? ""));

export async function promptTexts(
  read: ReadText,
  scopes: readonly Scope[],
  templates: Templates,
): Promise<PromptTexts> {
  const agent = scopes.find((scope) => scope.startsWith("agent:")) ?? DEFAULT_SCOPE;
  const user = scopes.find((scope) => scope.startsWith("user:"));
  const textOf = async (scope: Scope, path: string) =>
    written(await read(scope, path), templates.get(path));
  const fleet = async (path: string) =>
    (agent !== DEFAULT_SCOPE && (await textOf(agent, path))) || textOf(DEFAULT_SCOPE, path);
  const all = (path: string) => Promise.all(scopes.map((scope) => read(scope, path)));
  const groups = scopes.filter((scope) => /^(?:team|project):/.test(scope));

  const [soul, agents, ofGroups, about, memories, errors, corrections] = await Promise.all([
    fleet("SOUL.md"),
    fleet("AGENTS.md"),
    Promise.all(groups.map((scope) => textOf(scope, "AGENTS.md"))),
    textOf(user ?? agent, "USER.md"),
    all("MEMORY.md"),
    all("learnings/errors.md"),
    all("learnings/corrections.md"),
  ]);
  return {
    soul: clipLines(soul, PROMPT_CAPS.soul, shortened("SOUL.md")),
    agents: sharing([agents, ...ofGroups], PROMPT_CAPS.agents, (at) =>
      shortened(["AGENTS.md", ...groups.map((scope) => `AGENTS.md of ${scope}`)][at] ?? ""),
    ),
    user: clipLines(about, PROMPT_CAPS.user, shortened("USER.md")),
    learnings: learningsText(errors, corrections, PROMPT_CAPS.learnings),
    ...memorySection(memories, PROMPT_CAPS.memory),
  };
}

const BETWEEN = "\n\n";

/**
 * One text of several pages, each with its beginning: what a short page leaves free, the longer
 * ones share.
 */
function sharing(pages: readonly string[], max: number, note: (at: number) => string): string {
  const some = pages.flatMap((text, at) => (text === "" ? [] : [{ text, at }]));
  let left = max - BETWEEN.length * Math.max(0, some.length - 1);
  const rooms = new Map<number, number>();
  for (const { text, at } of some.toSorted((one, other) => one.text.length - other.text.length)) {
    const room = Math.min(text.length, Math.floor(left / (some.length - rooms.size)));
    rooms.set(at, room);
    left -= room;
  }
  return some.map(({ text, at }) => clipLines(text, rooms.get(at) ?? 0, note(at))).join(BETWEEN);
}

/** A person's own lines of each page; memories it shows are told as facts, by weight. */
function memorySection(
  pages: readonly string[],
  max: number,
): Pick<PromptTexts, "memory" | "standing"> {
  const memory = clipLines(
    pages
      .map(byHand)
      .filter((text) => text !== "")
      .join("\n\n"),
    max,
    shortened("MEMORY.md"),
  );
  const said = linesOf(memory)
    .flatMap((row) => [row.replace(/^\s*[-*+]\s+/, ""), readLine(row)?.text ?? ""])
    .map(normalForm);
  return { memory, standing: new Set(said.filter((text) => text !== "")) };
}

/**
 * The part between the markers, but what of memory is not vouched for, and lines that memory has
 * not taken up yet.
 */
function byHand(text: string): string {
  const { head, lines } = readPage(text);
  const own = linesOf(head)
    .filter((row) => readLine(row)?.doubted !== true)
    .join("\n");
  const fresh = lines.filter((line) => !isMarked(line)).map(({ dated }) => `- ${dated}`);
  return [withoutComments(own), fresh.join("\n")].filter((part) => part !== "").join("\n\n");
}
