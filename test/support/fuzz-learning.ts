import { copies, contentTerms } from "../../src/core/text/terms.ts";
import { procedureText } from "../../src/memory/extracting/procedure.ts";
import { skillOf } from "../../src/compaction/journal/proposal-list.ts";
import { isTidemarkError } from "../../src/index.ts";
import type { Memory } from "../../src/core/memory.ts";
import { withoutUnseen } from "../../src/core/text/cut.ts";
import { locate, fileOf } from "../../src/workspace/disk/folder.ts";
import { memoryFolder } from "../../src/workspace/disk/row-folder.ts";
import { notesIn } from "../../src/workspace/documents/notes.ts";
import { readRecord, writeRecord } from "../../src/workspace/documents/record-file.ts";
import { recordsIn } from "../../src/workspace/documents/records.ts";
import { readSkill, skillFile, skillName } from "../../src/workspace/documents/skills.ts";
import { type Dice, mutated, textOf } from "./fuzz-dice.ts";
import { must, same, type Target } from "./fuzz.ts";
import { skillFaults } from "./skill-check.ts";

const NOON = Date.UTC(2026, 10, 24, 12);
/** No such folder: names are settled as they are. */
const ROOT = "/nowhere-of-tidemark";

/** What a proposer may have answered, or a person made of it. */
function memoryOf(dice: Dice): Memory {
  const content = dice.chance(0.7)
    ? procedureText({
        discovery: textOf(dice, 20).replace(/\s+/g, " "),
        condition: textOf(dice, 8),
        action: textOf(dice, 8),
        rationale: textOf(dice, 4),
        steps: Array.from({ length: dice.below(4) }, () => textOf(dice, 4)),
        confidence: 1,
        tags: [],
      })
    : textOf(dice, 60)
        .repeat(dice.chance(0.005) ? 2_000 : 1)
        .slice(0, 100_000);
  return {
    id: `m${dice.below(1e9)}${dice.chance(0.2) ? "e12" : ""}`,
    content,
    scope: "agent:default",
    kind: "procedure",
    category: "procedure",
    importance: 0.5,
    source: dice.one(["proposer", "yes", "2026-01-01", textOf(dice, 2)]),
    origin: "tool",
    tags: [],
    at: NOON,
    updatedAt: NOON,
    uses: 0,
    version: 1,
  };
}

const onlyOurs = async (work: () => unknown): Promise<void> => {
  try {
    await work();
  } catch (thrown) {
    must(isTidemarkError(thrown), `throws a TidemarkError, threw ${String(thrown)}`);
  }
};

const HEAD = `---\nid: a1\ncreated: 2026-05-04T09:00:00Z\naliases: [one, "two"]\nkeywords:\n  - x\nuntil: 2027-01-01\narchived: false\nmine: kept # so\n---\n\nText.\n`;

/** What agents learn, as it gets into files. The same share each. */
export const LEARNING: readonly Target[] = [
  {
    name: "skills",
    weight: 1,
    text: (text) => [
      skillFile(
        "x",
        skillOf({
          ...memoryOf({ below: () => 0, one: ([one]) => one as never, chance: () => false }),
          content: text,
        }),
      ),
      copies(text, text, ""),
      readSkill(text),
    ],
    run(dice) {
      const skill = skillOf(memoryOf(dice));
      const name = skillName(skill.title, 1 + dice.below(3));
      const text = skillFile(name, skill);
      same(skillFaults(name, text), [], "a skill is as the specification wants it");
      same(readSkill(text), { memory: skill.memory, edited: false }, "it is known as ours");
      const windows = text.replaceAll("\n", "\r\n");
      same(readSkill(windows), { memory: skill.memory, edited: false }, "with other line ends too");
      const other = mutated(dice, text);
      const read = readSkill(other);
      must(
        read === undefined ||
          read.edited ||
          other.replaceAll("\r\n", "\n") === text.replaceAll("\r\n", "\n"),
        "what was edited is known as edited",
      );
      const said = textOf(dice, 12);
      must(
        contentTerms(withoutUnseen(said)).terms.length < 2 || copies(said, said, ""),
        "a copy is known as one",
      );
    },
  },
  {
    name: "front matter",
    weight: 1,
    text: (text) => [
      readRecord(text),
      readRecord(`---\n${text}\n---\n`),
      writeRecord(text, { head: { id: "x" }, body: text }),
    ],
    run(dice) {
      const before = dice.chance(0.6)
        ? mutated(dice, HEAD)
        : `${dice.chance(0.5) ? "---\n" : ""}${textOf(dice, 24)}\n---\n${textOf(dice, 6)}`;
      const was = readRecord(before);
      // What cannot be read is left alone.
      if ("broken" in was) {
        must(was.broken !== "" && !was.broken.includes("\n"), "why is told in one line");
        return;
      }
      const words = (): string =>
        textOf(dice, 4)
          .replace(/\p{Cs}/gu, "\ufffd")
          .trim();
      const head = { id: words() || "x", aliases: [words() || "y"], source: words() || "z" };
      const body = textOf(dice, 12);
      const after = readRecord(writeRecord(before, { head, body }));
      if ("broken" in after)
        throw new Error(`broken: what is written can be read: ${after.broken}`);
      const { id, aliases, source, keywords, archived } = after.head;
      same({ id, aliases, source }, head, "what is written comes back");
      same(
        { keywords, archived },
        { keywords: was.head.keywords, archived: was.head.archived },
        "what is not changed stays",
      );
      const bare = readRecord(`---\n{}\n---\n${body}`);
      same(after.body, "body" in bare ? bare.body : undefined, "so does the text");
    },
  },
  {
    name: "paths",
    weight: 1,
    async run(dice) {
      const name = dice.chance(0.5)
        ? Array.from({ length: 1 + dice.below(4) }, () =>
            dice.one(["..", ".", "a", "~", "", "notes", textOf(dice, 2)]),
          ).join("/")
        : textOf(dice, 6);
      await onlyOurs(async () => {
        const path = await locate(ROOT, fileOf("agent:x", `notes/${name}`));
        must(`${path}/`.startsWith(`${ROOT}/scopes/agent/x/`), `no name leads out: ${path}`);
      });
      const folder = memoryFolder();
      await onlyOurs(async () => {
        const notes = notesIn(folder, () => NOON);
        await notes.write({ scope: "agent:x", path: name }, () => "text");
      });
      await onlyOurs(async () => {
        const records = recordsIn(folder, () => undefined);
        const category = textOf(dice, 3) || "general";
        const given = { id: "r1", category, content: textOf(dice, 6), at: NOON };
        const { path } = await records.add(
          "agent:x",
          dice.chance(0.5) ? { ...given, name: textOf(dice, 4) } : given,
        );
        must(
          /^scopes\/agent\/x\/records\/[a-z0-9._%-]+\/[a-z0-9._%-]+\.md$/.test(path),
          `a record's place is plain: ${path}`,
        );
      });
    },
  },
];
