import { yaml } from "../../model/installed.ts";
import { RESERVED } from "../../model/checks.ts";
import { clip, oneLine } from "../../text/cut.ts";
import { unfenceable } from "../../text/fence.ts";
import { digest } from "../../text/hash.ts";
import { isStopword, fold } from "../../text/terms.ts";
import { headOf } from "./record-file.ts";

/** What an agent is to know and do, as a skill tells it. */
export interface Skill {
  /** The id of the memory it is made of. */
  readonly memory: string;
  /** What it is known by: its name is made of these words. */
  readonly title: string;
  /** What it is for, and when. */
  readonly description: string;
  readonly body: readonly string[];
  /** ms since epoch. */
  readonly created: number;
  readonly source: string;
}

/** Of the specification of Agent Skills (agentskills.io/specification): characters, and lines of the body. */
const NAME = 64;
const DESCRIPTION = 1_024;
const LINES = 500;
/** Those around the text. */
const BLANK = 5;
/** A skill is read whole: some 5,000 tokens are the most it should take. */
const BODY = 20_000;
/** Of our own: room for a number behind the name. */
const WORDS = 6;
const LONGEST_WORD = 24;
const ROOM = 10;
/** Windows opens a device for these. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

const MEMORY = "tidemark-memory";
const SEAL = "tidemark-digest";

/** A name of lower-case letters, digits and single hyphens; `again`: the so many-th skill of that name. */
export function skillName(title: string, again: number): string {
  const words = (fold(title).match(/[a-z0-9]+/g) ?? []).filter(
    (word) => !isStopword(word) && !RESERVED.test(word),
  );
  let name = "";
  for (const word of words.slice(0, WORDS)) {
    const longer = [name, word.slice(0, LONGEST_WORD)].filter((part) => part !== "").join("-");
    if (longer.length <= NAME - ROOM) name = longer;
  }
  if (name === "") name = `procedure-${digest(title).slice(0, 8)}`;
  else if (DEVICE.test(name)) name = `procedure-${name}`;
  return again === 1 ? name : `${name}-${again}`;
}

/** SKILL.md, with a digest by which one that was edited is known. Values are quoted: other readers of YAML take more for a number or a date. */
export function skillFile(name: string, skill: Skill): string {
  const bare = written(name, skill);
  return written(name, skill, sealOf(bare));
}

function written(name: string, { body, ...skill }: Skill, seal?: string): string {
  const { Document } = yaml();
  const metadata = {
    [MEMORY]: skill.memory,
    "tidemark-created": new Date(skill.created).toISOString(),
    "tidemark-source": skill.source,
  };
  const head = new Document({
    name,
    // It may hold no tag at all; words of ours it may not open either.
    description:
      clip(
        unfenceable(oneLine(skill.description)).replaceAll("<", "‹").replaceAll(">", "›"),
        DESCRIPTION,
      ) || "-",
    metadata: seal === undefined ? metadata : { ...metadata, [SEAL]: seal },
  });
  const front = head.toString({
    lineWidth: 0,
    defaultStringType: "QUOTE_DOUBLE",
    defaultKeyType: "PLAIN",
  });
  const lines = body.slice(0, LINES - BLANK).map(oneLine);
  // Nothing in it passes for a tag or a comment, which a reader of the page does not see and a model does.
  const text = clip(unfenceable(lines.join("\n")).replace(/<(?=[\p{L}/!?])/gu, "‹"), BODY);
  return `---\n${front.trimEnd()}\n---\n\n${text.trim()}\n`;
}

const sealOf = (text: string): string => digest(text.replaceAll("\r\n", "\n"));

/** Which memory a SKILL.md of ours is made of, and whether it still says what was written; undefined where it is not ours. */
export function readSkill(text: string): { memory: string; edited: boolean } | undefined {
  const metadata = headOf(text)["metadata"];
  if (typeof metadata !== "object" || metadata === null) return undefined;
  const { [MEMORY]: memory, [SEAL]: seal } = metadata as Record<string, unknown>;
  if (typeof memory !== "string" || memory === "") return undefined;
  const line = `\n  ${SEAL}: "${String(seal)}"`;
  const bare = text.replaceAll("\r\n", "\n").replace(line, () => "");
  return { memory, edited: sealOf(bare) !== seal };
}
