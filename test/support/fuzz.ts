import { asDict } from "../../src/core/base.ts";
import { COMMON, readFlags, UsageError } from "../../src/cli/input/flags.ts";
import { momentGiven, recall } from "../../src/cli/verbs/memories-and-recall.ts";
import { plain } from "../../src/cli/render/layout.ts";
import { conversationsIn, NoConversation } from "../../src/cli/transcripts/read.ts";
import { anthropic } from "../../src/providers/anthropic/messages.ts";
import { dialectFor } from "../../src/providers/detect.ts";
import { openaiChat } from "../../src/providers/openai/chat.ts";
import { heard } from "../../src/memory/extracting/frames.ts";
import { mask } from "../../src/core/secrets/mask.ts";
import { salvage } from "../../src/memory/extracting/read-reply.ts";
import { isTidemarkError, type Tidemark } from "../../src/index.ts";
import { canonical } from "../../src/memory/saving/same-and-category.ts";
import type { Message } from "../../src/core/request.ts";
import { fence, fences, unfenceable, withoutFences } from "../../src/core/text/fence.ts";
import {
  headingsOf,
  withoutComments,
  withoutEmptySections,
  withoutFrontMatter,
} from "../../src/core/text/markdown.ts";
import { oneLine, UNSEEN } from "../../src/core/text/cut.ts";
import { sentences } from "../../src/core/text/sentences.ts";
import { queryTerms, terms } from "../../src/core/text/terms.ts";
import { estimateTokens } from "../../src/core/tokens/estimate.ts";
import { correctionLines, errorLines, withLesson } from "../../src/workspace/pages/learnings.ts";
import { readPage, writePage } from "../../src/workspace/pages/memory-page.ts";
import { pageEdits } from "../../src/workspace/pages/memory-page-diff.ts";
import { percent, safeName, unpercent } from "../../src/workspace/disk/folder.ts";
import { piecesOf } from "../../src/workspace/documents/chunks.ts";
import { executeHere } from "./cli-here.ts";
import { type Dice, jsonOf, messageOf, mutated, textOf } from "./fuzz-dice.ts";

export interface Target {
  readonly name: string;
  /** How often, beside the others. */
  readonly weight: number;
  /** Throws where a law is broken. */
  readonly run: (dice: Dice) => void | Promise<void>;
  /** Takes any text, however long. */
  readonly text?: (text: string) => unknown;
}

export const must = (holds: boolean, law: string): void => {
  if (!holds) throw new Error(`broken: ${law}`);
};
export const same = (one: unknown, other: unknown, law: string): void =>
  must(
    JSON.stringify(one) === JSON.stringify(other),
    `${law}: ${JSON.stringify(one)} is not ${JSON.stringify(other)}`,
  );

const MOMENTS = [0, 1, Date.UTC(2026, 0, 5, 9), 8.64e15, -8.64e15, 253_402_300_800_000];
const name = (dice: Dice): string =>
  textOf(dice, 4)
    .replace(/[\p{Cc}\p{Cs}]/gu, "")
    .slice(0, 200)
    .trim() || "x";

const REPLY = JSON.stringify({
  facts: [
    {
      content: "The cat is called Miso",
      category: "preference",
      importance: 0.8,
      key: "cat",
      kind: "fact",
      supersedes: "old cat",
      from: [1, "3-5", "#7"],
    },
    { content: "b", from: 2 },
  ],
  summary: 'They spoke of "cats".\nThen of dogs.',
});
const entry = (dice: Dice) => ({
  id: name(dice),
  content: textOf(dice),
  category: name(dice),
  origin: dice.one(["host", "user", "agent", "tool", "untrusted"] as const),
  at: dice.one(MOMENTS),
  importance: 0.5,
});

/** A list whose every message is read in every way. */
function readAll(dialect: typeof anthropic, messages: readonly Message[]): void {
  messages.forEach((message, index) => {
    const before = JSON.stringify(message);
    const [text, calls, results, pieces] = [
      dialect.text(message),
      dialect.calls(message),
      dialect.results(message),
      dialect.pieces(message),
    ];
    must(
      typeof text === "string" &&
        calls.every((call) => typeof call.name === "string") &&
        results.every((result) => typeof result.text === "string"),
      "a lens answers texts",
    );
    for (const piece of pieces) if (piece.kind === "text") estimateTokens(piece.text);
    const canon = dialect.canon(messages, index);
    same(
      dialect.canon(
        messages.map((one) => one),
        index,
      ),
      canon,
      "the same message has the same canon",
    );
    dialect.opensTail(messages, index);
    dialect.thinks(message);
    for (const made of [
      dialect.withoutThinking(message),
      dialect.shortenResults(message, () => "cut"),
      dialect.shortenTexts(message, () => "cut"),
      dialect.shortenInputs(message, () => "cut"),
      dialect.withoutMedia(message, "gone"),
    ])
      must(typeof made === "object", "an edit is a message");
    must(JSON.stringify(message) === before, "the caller's message is not changed");
  });
  dialect.preamble(messages);
  dialect.reply(messages[0]);
}

const onlyThrows = (
  kinds: readonly (abstract new (...args: never[]) => Error)[],
  work: () => unknown,
): void => {
  try {
    work();
  } catch (thrown) {
    must(
      kinds.some((kind) => thrown instanceof kind),
      `throws only ${kinds.map((kind) => kind.name).join(", ")}, threw ${String(thrown)}`,
    );
  }
};

export const PURE: readonly Target[] = [
  {
    name: "a distiller's reply",
    weight: 12,
    text: salvage,
    run(dice) {
      const reply = salvage(
        dice.chance(0.6)
          ? mutated(dice, dice.chance(0.3) ? `Sure!\n\`\`\`json\n${REPLY}\n\`\`\`` : REPLY)
          : dice.chance(0.5)
            ? (JSON.stringify(jsonOf(dice)) ?? "")
            : textOf(dice, 30),
      );
      must(
        reply === undefined ||
          (reply.facts.length <= 200 &&
            reply.facts.every(
              ({ content, importance, cites }) =>
                content.length > 0 &&
                content.length <= 2_000 &&
                importance >= 0 &&
                importance <= 1 &&
                cites.length <= 1_100,
            )),
        "facts are bounded",
      );
    },
  },
  {
    name: "MEMORY.md",
    weight: 5,
    text: (text) => readPage(text),
    run(dice) {
      const entries = Array.from({ length: 1 + dice.below(3) }, (_, at) => ({
        ...entry(dice),
        id: `m${at}`,
      }));
      const head = readPage(textOf(dice, 20)).head;
      const { text, copy } = writePage(entries, { head, lifted: new Map() });
      const edits = pageEdits(readPage(text), [copy], copy);
      must(
        edits.changed.length + edits.gone.length + edits.added.length === 0,
        "a page as it was written holds no edits",
      );
      must(
        writePage(entries, { head: readPage(text).head, lifted: new Map() }).text === text,
        "a page written again is the same page",
      );
      readPage(mutated(dice, text));
    },
  },
  {
    name: "Markdown and front matter",
    weight: 10,
    text: (text) => [
      withoutFrontMatter(text),
      withoutComments(text),
      withoutEmptySections(text, headingsOf(text)),
      piecesOf(text),
    ],
    run(dice) {
      const text = `${dice.chance(0.4) ? "---\nname: x\n---\n" : ""}${textOf(dice, 24)}`;
      const shown = withoutEmptySections(
        withoutComments(withoutFrontMatter(text)),
        headingsOf(text),
      );
      must(shown.length <= text.length, "nothing is added");
      must(
        piecesOf(text).every((piece) => piece.text.length > 0 && piece.text.length <= 2_000),
        "pieces are bounded",
      );
    },
  },
  {
    name: "whose words a message holds, and what it must not show",
    weight: 6,
    text: (text) => [heard(text), mask(text)],
    run(dice) {
      const [noise, other] = [
        oneLine(textOf(dice, 12)).replace(/[<>`]/g, "").slice(0, 300),
        "I prefer kanari jam.",
      ];
      for (const wrapped of [
        `<document>\n${noise}\n${other}\n</document>`,
        `<search_result title="x">${other} ${noise}</search_result>`,
        `<chat_history>\nuser: ${other}\n${noise}\n</chat_history>`,
        `\`\`\`\n${noise}\n${other}\n\`\`\``,
        `> ${noise}\n> ${other}`,
        `The page says: ${other} ${noise}`,
        `A customer wrote: ${other} ${noise}`,
        `Please translate into French: ${other} ${noise}`,
      ])
        must(
          !heard(wrapped).own.includes("kanari"),
          `what is another's is not the user's own: ${JSON.stringify(wrapped)}`,
        );
      const text = textOf(dice, 20);
      must(mask(mask(text)) === mask(text), "masking twice changes nothing");
    },
  },
  {
    name: "fences",
    weight: 12,
    text: (text) => [
      unfenceable(text),
      fences(text),
      withoutFences(text),
      fence("facts", text, { page: text.slice(0, 300) }),
    ],
    run(dice) {
      const text = textOf(dice, 20);
      const fenced = fence("facts", text, { page: textOf(dice, 4) });
      same(
        fences(fenced),
        [{ tag: "facts", start: 0, end: fenced.length }],
        "a fence is one fence",
      );
      must(unfenceable(unfenceable(text)) === unfenceable(text), "harmless stays harmless");
      must(!new RegExp(UNSEEN.source, "u").test(fenced), "nothing unseen");
      withoutFences(text);
    },
  },
  {
    name: "words",
    weight: 10,
    text: (text) => [
      terms(text.slice(0, 100_000)),
      sentences(text),
      estimateTokens(text),
      oneLine(text),
      canonical(text.slice(0, 100_000)),
      plain(text),
    ],
    run(dice) {
      const text = textOf(dice, 20);
      must(
        queryTerms(text).every(({ term }) => /^[\p{L}\p{M}\p{N}]+$/u.test(term)),
        "terms hold letters, marks and digits",
      );
      must(
        !/[\r\n]/.test(oneLine(text)) && oneLine(oneLine(text)) === oneLine(text),
        "one line is one line",
      );
      must(
        sentences(text).every((sentence) => sentence.text.length <= text.length),
        "sentences are parts",
      );
      must(estimateTokens(text) <= 4 * text.length + 4, "tokens are bounded");
      canonical(text);
    },
  },
  {
    name: "names of folders",
    weight: 6,
    run(dice) {
      const id = textOf(dice, 8);
      must(/^[a-z0-9_%-][a-z0-9._%-]{0,119}$/.test(safeName(id)), "a plain name");
      must(unpercent(percent(id, /[a-z]/)) === id, "percent writing gives back");
    },
  },
  {
    name: "learnings",
    weight: 3,
    text: (text) => [
      withLesson(text, { kind: "error", tool: "x", text: "y", at: 0 }),
      errorLines([text]),
      correctionLines([text]),
    ],
    run(dice) {
      const lesson = dice.chance(0.5)
        ? ({
            kind: "error",
            tool: textOf(dice, 3),
            text: textOf(dice, 8),
            at: dice.one(MOMENTS),
          } as const)
        : ({
            kind: "correction",
            text: textOf(dice, 8),
            at: dice.one(MOMENTS),
          } as const);
      const file = withLesson(dice.chance(0.5) ? undefined : textOf(dice, 16), lesson) ?? "";
      must(
        errorLines([file]).every((line) => !line.includes("\n") && line.length < 300),
        "one bounded line a tool",
      );
      correctionLines([file]);
    },
  },
  {
    name: "histories in Anthropic form",
    weight: 10,
    run: (dice) =>
      readAll(
        anthropic,
        Array.from({ length: 1 + dice.below(3) }, () => messageOf(dice) as unknown as Message),
      ),
  },
  {
    name: "histories in OpenAI form",
    weight: 10,
    run: (dice) =>
      readAll(
        openaiChat,
        Array.from({ length: 1 + dice.below(3) }, () => messageOf(dice) as unknown as Message),
      ),
  },
  {
    name: "imported logs",
    weight: 6,
    run(dice) {
      const rows = Array.from({ length: dice.below(4) }, () =>
        dice.chance(0.6)
          ? {
              type: dice.one(["user", "assistant", "summary"]),
              uuid: textOf(dice, 1),
              message: dice.chance(0.8)
                ? { ...messageOf(dice), id: dice.one(["m1", "m2"]), model: "x" }
                : jsonOf(dice, 2),
              isSidechain: dice.chance(0.2),
            }
          : messageOf(dice),
      ) as never[];
      onlyThrows([NoConversation], () => conversationsIn(rows));
      onlyThrows([NoConversation], () => {
        for (const { messages, format, around } of conversationsIn(rows, asDict(jsonOf(dice, 2))))
          readAll(dialectFor({ ...around, messages } as never, format), messages);
      });
    },
  },
  {
    name: "arguments of the command line",
    weight: 6,
    run(dice) {
      const args = Array.from({ length: dice.below(6) }, () =>
        dice.chance(0.5)
          ? `--${dice.one([...Object.keys(COMMON), "limit", "as-of", "json", "constructor", "x"])}${dice.chance(0.4) ? `=${textOf(dice, 2)}` : ""}`
          : textOf(dice, 3),
      );
      onlyThrows([UsageError], () => {
        const given = readFlags(args, recall.flags ?? {}, "recall");
        given.whole("limit", 1_000);
        momentGiven(given);
      });
    },
  },
];

const inOneSentence = (thrown: unknown, where: string): void =>
  must(
    isTidemarkError(thrown) && !/[\r\n]/.test(thrown.message) && thrown.message.length < 2_000,
    `${where} rejects with one sentence, rejected with ${thrown instanceof Error ? thrown.stack : String(thrown)}`,
  );

/** A whole Tidemark under any input: it rejects with one sentence, or answers. */
export function whole(tidemark: Tidemark): readonly Target[] {
  const any = (dice: Dice): never =>
    (dice.chance(0.5) ? textOf(dice, 6) : jsonOf(dice, 2)) as never;
  const tried = async (where: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (thrown) {
      inOneSentence(thrown, where);
    }
  };
  const { memory, history } = tidemark;
  return [
    {
      name: "memory",
      weight: 5,
      async run(dice) {
        await tried("save", () =>
          memory.save(
            (dice.chance(0.5)
              ? {
                  content: textOf(dice),
                  key: any(dice),
                  category: any(dice),
                  tags: dice.chance(0.5) ? [textOf(dice, 2)] : any(dice),
                  importance: any(dice),
                  at: any(dice),
                }
              : any(dice)) as never,
          ),
        );
        await tried("recall", () =>
          memory.recall(
            any(dice),
            (dice.chance(0.5)
              ? {}
              : { limit: 3, category: any(dice), scope: any(dice), asOf: any(dice) }) as never,
          ),
        );
        await tried("search", () =>
          memory.search(any(dice), (dice.chance(0.7) ? {} : { in: any(dice) }) as never),
        );
        await tried("list", () =>
          memory.list({ limit: 3, category: any(dice), after: any(dice) } as never),
        );
        await tried("update", () =>
          memory.update(any(dice), { content: any(dice), tags: any(dice) } as never),
        );
        await tried("forget", () => memory.forget(any(dice)));
        await tried("get", () => memory.get(any(dice)));
      },
    },
    {
      name: "history and imports",
      weight: 3,
      async run(dice) {
        await tried("import", () =>
          history.import(
            (dice.chance(0.7)
              ? {
                  id: textOf(dice, 2),
                  messages: Array.from({ length: dice.below(3) }, () => ({
                    role: any(dice),
                    text: any(dice),
                    name: any(dice),
                    at: any(dice),
                  })),
                }
              : any(dice)) as never,
          ),
        );
        await tried("read", () => history.read({ conversation: any(dice) }));
        await tried("forget", () => history.forget({ conversation: any(dice) }));
        await tried("diff", () => history.diff(any(dice)));
        await tried("undo", () => history.undo(any(dice)));
      },
    },
    {
      name: "requests",
      weight: 3,
      async run(dice) {
        const messages = dice.chance(0.9)
          ? Array.from({ length: dice.below(5) }, () => messageOf(dice))
          : jsonOf(dice, 2);
        await tried("begin", async () => {
          const turn = await tidemark.begin(
            (dice.chance(0.95)
              ? {
                  model: "m",
                  max_tokens: 100,
                  messages,
                  ...(dice.chance(0.2) ? { system: jsonOf(dice, 2), tools: jsonOf(dice, 2) } : {}),
                }
              : any(dice)) as never,
          );
          await turn.end(
            dice.chance(0.5) ? { ...messageOf(dice), usage: jsonOf(dice, 2) } : jsonOf(dice, 3),
          );
          await turn.recover(jsonOf(dice, 2));
        });
      },
    },
    {
      name: "tools",
      weight: 3,
      async run(dice) {
        for (const tool of tidemark.tools())
          must(
            typeof (await tool.run(
              dice.chance(0.5)
                ? {
                    query: textOf(dice, 3),
                    content: textOf(dice, 3),
                    id: textOf(dice, 2),
                    conversation: textOf(dice, 1),
                  }
                : any(dice),
            )) === "string",
            "a tool answers a text",
          );
      },
    },
    {
      name: "the command line",
      weight: 1,
      async run(dice) {
        const verbs = "recall search stats folds pins diff undo unpin help constructor replay";
        const { code } = await executeHere([
          dice.one([...verbs.split(" "), textOf(dice, 1)]),
          ...Array.from({ length: dice.below(3) }, () => textOf(dice, 2)),
          "--workspace",
          "/nowhere at all",
        ]);
        must(code === 0 || code === 1 || code === 2, "the exit code is 0, 1 or 2");
      },
    },
  ];
}
