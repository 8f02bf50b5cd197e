import fc from "fast-check";

import { memoryDirectory } from "../../src/adapters/anthropic.ts";
import type { Identity, Tidemark } from "../../src/index.ts";
import { type Scope, scopesOf } from "../../src/core/identity.ts";
import { executeHere } from "./cli-here.ts";
import { toyEmbedder } from "./embedder.ts";
import { openTimed } from "./timed.ts";

/** When a file was changed is the disk's to say. */
const undated = <T extends { changed: number }>({ changed: _, ...note }: T) => note;
const waitingOf = async (view: Tidemark) =>
  (await view.proposals.list()).map((one) =>
    one.kind === "note" ? { ...one, note: undated(one.note) } : one,
  );

/** Whose answers are compared. */
export const OBSERVER = {
  agent: "one",
  user: "ada",
  project: "red",
  team: "crew",
  org: "acme",
} satisfies Identity;
/** Those it shares an organisation, a team, a project and its agent with, and nothing else. */
export const OTHERS: readonly Identity[] = [
  { agent: "two", user: "bob", project: "blue", team: "crew", org: "acme", role: "lead" },
  { agent: "three", user: "bob", project: "red", team: "crew", org: "acme", role: "human" },
  { agent: "two", user: "cid", project: "blue" },
  // Another user of the very agent.
  { agent: "one", user: "eve" },
];
const SEEN = new Set<string>(scopesOf(OBSERVER));
const privateTo = (identity: Identity): Scope[] =>
  scopesOf(identity).filter((scope) => !SEEN.has(scope));

const WORDS = [
  "harbour lantern",
  "invoice of March",
  "violin teacher",
  "the blue door",
  "a train to Ghent",
];
/** Room for all there is: how many tokens an id takes is chance. */
const ROOM = 100_000;
/** Stands in everything the others say. */
export const SECRET = "zwiebel";

const kinds = [
  "save",
  "save",
  "save",
  "update",
  "forget",
  "forgetBySource",
  "talk",
  "talk",
  "fold",
  "import",
  "pin",
  "tools",
  "look",
  "historyForget",
  "undo",
  "get",
  "note",
  "note",
  "record",
  "record",
  "task",
  "task",
  "brief",
  "promote",
  "inject",
] as const;
export interface Step {
  readonly by: number;
  readonly do: (typeof kinds)[number];
  readonly word: number;
  readonly which: number;
  readonly keyed: boolean;
}

export const step: fc.Arbitrary<Step> = fc.record({
  /** 0 is the observer. */
  by: fc.nat(OTHERS.length),
  do: fc.constantFrom(...kinds),
  word: fc.nat(WORDS.length - 1),
  which: fc.nat(20),
  keyed: fc.boolean(),
});

interface World {
  readonly said: string[];
}

/** An id of the form they have, of nothing. */
const nobodys = (at: number): string => `${at.toString(36).padStart(9, "0")}0000123456789`;

type Message = { role: string; content: unknown };
const FILLER = "The committee went through the minutes of the last meeting, line by line. ".repeat(
  60,
);

interface Playing {
  readonly root: string;
  readonly alone: boolean;
  readonly meaning?: boolean;
}

/** The program in a workspace of its own; `alone`: the others never acted. All that the observer was answered, in order. */
export async function play(
  steps: readonly Step[],
  { root, alone, meaning = false }: Playing,
): Promise<World> {
  let time = Date.UTC(2026, 0, 5, 9);
  const said: string[] = [];
  const open = (): Promise<Tidemark> =>
    openTimed({
      workspace: root,
      distil: "extractive",
      recall: { minScore: 0.1 },
      cache: false,
      window: { tokens: 40_000, keepLast: 2 },
      now: () => time,
      embed: meaning ? toyEmbedder() : false,
      timer: () => () => undefined,
      listen: () => undefined,
    });
  const house = await open();
  const views = [OBSERVER, ...OTHERS].map((identity) => house.as(identity));
  const talks: Message[][] = views.map(() => []);
  /** What was made so far, by whom; an id of the same form where the others never made it. */
  const made: string[] = [];
  const note = (value: unknown): void =>
    void said.push(
      typeof value === "string"
        ? value
        : JSON.stringify(value, (_, inner: unknown) =>
            inner instanceof Error ? `${inner.name}: ${inner.message}` : inner,
          ),
    );
  const tried = (work: Promise<unknown>): Promise<unknown> =>
    work.catch(
      (thrown: unknown) => `${(thrown as { code?: string }).code}: ${(thrown as Error).message}`,
    );

  for (const [at, { by, do: what, word, which, keyed }] of steps.entries()) {
    // Each step begins at a moment of its own, in both worlds the same.
    time = Date.UTC(2026, 0, 5, 10, at);
    // By what it means, a brief of theirs may find and so use what they share with the observer.
    const uses = meaning && (what === "task" || what === "brief");
    if (by > 0 && (alone || uses)) {
      made.push(nobodys(time));
      continue;
    }
    const view = views[by]!;
    const talk = talks[by]!;
    const own = by === 0 ? scopesOf(OBSERVER).slice(0, 4) : privateTo(OTHERS[by - 1]!);
    const words = `${WORDS[word]} ${by === 0 ? "" : SECRET} ${which % 4}`;
    const scope = own[which % own.length]!;
    // What is shared the others may change, and the observer sees it: they change only what they made.
    const theirs =
      by > 0 && ["update", "forget", "promote", "record", "tools"].includes(what)
        ? made.filter((_, step) => steps[step]!.by > 0)
        : made;
    const target = theirs[which % Math.max(1, theirs.length)] ?? nobodys(0);
    // What is recalled counts as used, and what they share with the observer would then weigh more.
    const asked = by === 0 ? words : `${SECRET}hafen${word} ${SECRET}laterne${which}`;
    let id = nobodys(time);
    const work = async (): Promise<unknown> => {
      switch (what) {
        case "save": {
          const memory = await view.memory.save({
            content: words,
            scope,
            source: `s${by}`,
            ...(keyed ? { key: `k${word}`, category: by === 0 ? "decision" : SECRET } : {}),
          });
          id = memory.id;
          return memory;
        }
        case "update":
          return view.memory.update(target, { content: `${words} again` });
        case "forget":
          return view.memory.forget(target);
        case "promote": {
          const moved = await tried(view.memory.promote(target, { to: scope }));
          const waiting = await waitingOf(view);
          // A lead of the observer's team may decline what the observer has proposed, and the observer sees that.
          const first = waiting.find((one) => by === 0 || one.by !== "agent:one")?.id ?? "";
          return [moved, waiting, keyed && (await view.proposals.decline(first))];
        }
        case "inject":
          // A lead of the observer's team tells another agent of it something.
          return view.memory.inject({
            to: which % 2 === 0 ? "agent:three" : "agent:nobody",
            content: words,
            category: keyed ? "preference" : "best-practice",
          });
        case "forgetBySource":
          return view.memory.forget({ source: `s${by}` });
        case "get":
          return [
            await view.memory.get(target),
            await view.history.read({ conversation: target }),
            await view.history.diff(target),
          ];
        case "talk": {
          talk.push({
            role: "user",
            content: `What about ${asked}? I decided that ${asked} is fine. Remember that I prefer ${asked}. ${keyed ? FILLER : ""}`,
          });
          const turn = await view.begin({
            model: "m",
            max_tokens: 100,
            system: "Be brief.",
            messages: [...talk],
          });
          const reply = {
            role: "assistant",
            content: [
              {
                type: "tool_use",
                id: `c${at}`,
                name: by === 0 ? "look" : SECRET,
                input: { words },
              },
            ],
          };
          await turn.end({
            id: "m",
            type: "message",
            model: "m",
            stop_reason: "tool_use",
            ...reply,
            usage: { input_tokens: 500 + at, output_tokens: 5 },
          });
          talk.push(
            reply,
            {
              role: "user",
              content: [
                {
                  type: "tool_result",
                  tool_use_id: `c${at}`,
                  is_error: keyed,
                  content: `Error: ${words} not found`,
                },
              ],
            },
            { role: "assistant", content: `I see: ${words}.` },
          );
          await house.idle();
          return [turn.request, turn.window, turn.injected];
        }
        case "fold":
          return talk.length === 0
            ? "nothing"
            : view.fold({
                request: { model: "m", max_tokens: 100, system: "Be brief.", messages: [...talk] },
              });
        case "import":
          return view.history.import({
            id: `chat ${by === 0 ? word : SECRET}`,
            messages: [{ role: "user", name: by === 0 ? "Ada" : SECRET, text: words, at: time }],
          });
        case "pin":
          id = await view.pin(words);
          return id;
        case "undo":
          return [await view.history.undo(target), await view.unpin(target)];
        case "historyForget":
          return which % 3 === 0
            ? view.history.forget({ before: Date.UTC(2026, 0, 5, 10, Math.max(0, at - 10)) })
            : view.history.forget({ conversation: target });
        case "note": {
          await view.notes.write(`${word}.md`, words, { scope });
          const notes = (await view.notes.list()).map(undated);
          const directory = memoryDirectory(view);
          const to = own[(which + 1) % own.length]!;
          const promoted = () => view.notes.promote(`${word}.md`, { scope, to }).then(undated);
          return [
            keyed ? undefined : await tried(promoted()),
            notes,
            await directory.view({ path: "/memories" }),
            await tried(directory.view({ path: `/memories/team/${word}.md` })),
            keyed ? await view.notes.remove(`${word}.md`, { scope }) : undefined,
          ];
        }
        case "record": {
          const record = await view.records.add({
            category: keyed ? "decision" : by === 0 ? "incident" : SECRET,
            content: `${words}\nIt stands at the ${WORDS[which % WORDS.length]}.`,
            keywords: [by === 0 ? "quay" : SECRET],
            scope,
          });
          id = record.id;
          return [
            record,
            await tried(view.records.update(target, { content: `${words} anew` })),
            keyed && (await tried(view.records.archive(target))),
            which % 3 === 0 && (await tried(view.records.delete(target))),
            await view.records.list(),
            await view.records.list({ archived: true }),
          ];
        }
        case "task": {
          const task = await view.task({
            description: asked,
            id: `t${which % 3}`,
            repeat: keyed,
            tokens: ROOM,
          });
          await task.note(`It goes by the ${words}.`);
          if (which % 4 === 0) await task.done(`Went by the ${words}.`);
          if (which % 4 === 1) await task.failed(new Error(`Error: ${words} not found`));
          return task.brief;
        }
        case "brief":
          return [
            await view.brief(asked, { format: keyed ? "json" : "prompt", tokens: ROOM }),
            await view.heartbeat(),
          ];
        case "tools":
          // What the others look up counts as used where it is shared; only what is theirs alone is asked of them.
          if (by > 0)
            return (
              await Promise.all(
                view
                  .tools()
                  .filter(({ name }) => THEIR_TOOLS.has(name))
                  .map((tool) => tool.run(inputOf(tool.name, { words, word, target }))),
              )
            ).join();
          return inOrder(
            view.tools().map((tool) => () => tool.run(inputOf(tool.name, { words, word, target }))),
          );
        case "look":
          return by > 0
            ? view.memory.recall(words, { scope })
            : [
                await view.memory.recall(words),
                await view.memory.search(`${words} ${SECRET}`),
                await view.memory.list(),
                await view.stats(),
              ];
      }
    };
    const answer = await tried(work());
    if (meaning) await house.idle();
    made.push(id);
    if (by === 0) note(answer);
  }

  time = Date.UTC(2026, 0, 6);
  const ada = views[0]!;
  for (const query of [...WORDS, SECRET, "not found", "decided"])
    note([
      await ada.memory.recall(query, { limit: 50 }),
      await ada.memory.search(query, { limit: 50 }),
    ]);
  note([
    await ada.records.list(),
    (await ada.notes.list()).map(({ changed: _, ...note }) => note),
    await waitingOf(ada),
    await ada.brief(WORDS.join(" "), { tokens: ROOM }),
  ]);
  note([
    await ada.memory.list({ limit: 1_000 }),
    await ada.history.list(),
    await ada.history.folds(),
    await ada.pins(),
    await ada.stats(),
    await ada.tidy(),
  ]);
  for (const { id } of await ada.history.list()) note(await ada.history.read({ conversation: id }));
  for (const { id } of await ada.history.folds()) note(await ada.history.diff(id));
  note(
    (await ada.workspace.files(scopesOf(OBSERVER))).filter(
      ({ path }) => !path.endsWith("HEARTBEAT.md"),
    ),
  );
  note(
    (
      await ada.begin({
        model: "m",
        max_tokens: 100,
        messages: [{ role: "user", content: "What about the harbour lantern and the weather?" }],
      })
    ).request,
  );
  await house.close();
  note(await commandLine(root));
  return { said: normal(said, root) };
}

/** Those that change only what is the caller's own. */
const THEIR_TOOLS: ReadonlySet<string> = new Set([
  "memory_save",
  "memory_update",
  "record_add",
  "record_update",
  "note_write",
  "compact_context",
]);

/** What each tool is called with. */
function inputOf(
  tool: string,
  { words, word, target }: { words: string; word: number; target: string },
): Readonly<Record<string, unknown>> {
  const inputs: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    memory_search: { query: words },
    memory_recall: { query: words },
    memory_get: { id: target },
    memory_save: { content: words, key: `k${word}` },
    memory_update: { id: target, content: `${words} changed`, version: 1 },
    memory_forget: { id: target },
    memory_promote: { id: target, to: "team:crew" },
    memory_read: { conversation: target },
    record_add: { category: "decision", content: words },
    record_update: { id: target, content: `${words} changed` },
    note_write: { name: `tool${word}.md`, content: words },
  };
  return inputs[tool] ?? {};
}

/** One after another: two at once may see each other or not. */
async function inOrder(works: readonly (() => Promise<string>)[]): Promise<string> {
  const answers: string[] = [];
  for (const work of works) answers.push(await work());
  return answers.join("\n");
}

async function commandLine(root: string): Promise<string[]> {
  const out: string[] = [];
  const flags = [
    "--workspace",
    root,
    ...Object.entries(OBSERVER).flatMap(([kind, id]) => [`--${kind}`, id]),
  ];
  for (const verb of [
    ["recall", "harbour", "--json"],
    ["search", SECRET],
    ["search", "violin", "--json"],
    ["stats", "--json"],
    ["folds"],
    ["pins"],
  ])
    out.push((await executeHere([...verb, ...flags])).all);
  // The size of the files on the disk is the machine's, whoever asks; the command line's clock is the machine's too.
  return out.map((text) =>
    text
      .replace(/\d\.\d{5,}(?:e-\d+)?/g, (figure) => Number(figure).toFixed(4))
      .replace(/\b\d{13}\b/g, "MS")
      .replace(/^ {2}[0-9a-z]{7} /gm, "  SHORT ")
      .replace(/"bytes": \{[^}]*\{[^}]*\}[^}]*\}|"bytes": \{[^}]*\}/g, ""),
  );
}

/** Ids by the order in which they came up, the folder by a name. */
function normal(said: readonly string[], root: string): string[] {
  const names = new Map<string, string>();
  return said.map((text) =>
    text
      .replaceAll(root, "ROOT")
      .replace(/[0-9a-z]{12}[0-9a-f]{10}|(?<=(?:session|fold|task) )[0-9a-f]{7}(?= )/g, (id) => {
        const known = names.get(id) ?? `ID${names.size}`;
        names.set(id, known);
        return known;
      }),
  );
}
