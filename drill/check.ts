import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { openTidemark, type Tidemark, type TidemarkEvent } from "../src/index.ts";
import { identityKey } from "../src/core/identity.ts";
import { openStorage } from "../src/storage/sqlite/sqlite-storage.ts";
import { readPage } from "../src/workspace/pages/memory-page.ts";
import { modelInfo, refusalOf, requestTokens } from "../test/support/messages-server/index.ts";
import { telling, WINDOW } from "./child.ts";
import { aboutIn, MODEL, requestOf, wordOf } from "./host.ts";
import {
  type Ack,
  CONVERSATION,
  counterText,
  editedText,
  hear,
  meantBy,
  messagesTo,
  NOTE,
  notedText,
  pinnedText,
  play,
  savedText,
  type Step,
  type Told,
  updatedText,
} from "./script.ts";

export interface Killed {
  readonly workspace: string;
  readonly steps: readonly Step[];
  readonly told: Told;
  /** Its next look at the clock. */
  readonly clock: () => number;
}

/** What is known of the distilling, for the next life: what was behind the watermark may not be asked for again. */
export interface Known {
  readonly watermark: number;
  readonly owed: readonly { readonly from: number; readonly to: number }[];
  /** Messages whose facts were there. */
  readonly stored: ReadonlySet<number>;
  /** What the system text tells the conversation under way, up to its next fold. */
  readonly prompt: string;
}

/** Opens what a killed process left and holds it against the laws; answers what is broken, in words. */
export async function check(
  { workspace, steps, told, clock }: Killed,
  before?: Known,
  finish = false,
): Promise<{ broken: string[]; known: Known }> {
  const broken: string[] = [];
  const broke = (law: string): void => void (broken.length < 20 && broken.push(law));
  const hold = (law: string, holds: boolean): void => void (holds || broke(law));
  const asked = (): void => {
    const again =
      before === undefined
        ? []
        : [...told.asked].filter(
            (n) =>
              before.stored.has(n) ||
              (n < before.watermark && !before.owed.some(({ from, to }) => n >= from && n < to)),
          );
    hold(
      `distilled twice: messages ${again.join(", ")}, the watermark stood at ${before?.watermark ?? 0}`,
      again.length === 0,
    );
    told.asked.clear();
  };
  asked();
  const events: TidemarkEvent[] = [];
  const tell = (ack: Ack): void => hear(told, ack);
  const tidemark = await openTidemark({
    workspace,
    distil: telling(told, tell),
    cache: false,
    recall: false,
    window: WINDOW,
    now: clock,
    listen: (event) => events.push(event),
  });
  let known: Known = { watermark: 0, owed: [], stored: new Set(), prompt: "" };
  try {
    await checkMemory(tidemark, { steps, told, broke });
    await checkLine(tidemark, { told, steps, broke });
    if (finish)
      for (let index = told.done; index < steps.length; index += 1)
        await play(tidemark, { step: steps[index] as Step, index, steps, told, tell });
    else await checkNextCall(tidemark, { workspace, steps, told, broke });
    await tidemark.idle();
    if (finish) {
      await checkMemory(tidemark, { steps, told, broke });
      await checkLine(tidemark, { told, steps, broke });
    }
    asked();
    await checkOnce(tidemark, broke);
    known = await checkDistilled(workspace, {
      told,
      broke,
      stored: new Set(
        (await tidemark.memory.list({ limit: 1_000 })).flatMap(
          ({ content }) => aboutIn(content) ?? [],
        ),
      ),
    });
  } finally {
    await tidemark.close();
  }
  for (const event of events)
    if (event.type === "degraded" || event.type === "distil-failed")
      broke(`${event.type}: ${JSON.stringify(event)}`);
  checkFiles(workspace, { steps, told, broke, finish, prompt: known.prompt });
  return { broken, known };
}

interface About {
  readonly steps: readonly Step[];
  readonly told: Told;
  readonly broke: (law: string) => void;
}

/** A step of this kind that is done, one that may be. */
const stepsOf = (steps: readonly Step[], told: Told, kind: Step["do"]) =>
  steps.flatMap((step, index) =>
    step.do === kind && step.do !== "call" && index <= told.done && (index < told.done || told.open)
      ? [{ n: step.n, index, done: index < told.done }]
      : [],
  );

async function checkMemory(tidemark: Tidemark, { steps, told, broke }: About): Promise<void> {
  const all = await tidemark.memory.list({ limit: 1_000 });
  const times = (content: string): number =>
    all.filter((memory) => memory.content === content).length;
  const [updates, forgets] = [stepsOf(steps, told, "update"), stepsOf(steps, told, "forget")];
  for (const { n, done } of stepsOf(steps, told, "save")) {
    const [old, fresh] = [times(savedText(n)), times(updatedText(n))];
    const updated = updates.find(({ index }) => meantBy(steps, index) === n);
    const forgotten = forgets.find(({ index }) => meantBy(steps, index) === n);
    if (old + fresh > 1) broke(`save ${n} is there ${old + fresh} times`);
    if (forgotten?.done === true && old + fresh > 0) broke(`save ${n} was forgotten and is there`);
    if (forgotten !== undefined) continue;
    if (done && old + fresh === 0) broke(`save ${n} is lost`);
    if (updated?.done === true && fresh === 0) broke(`the update of save ${n} is lost`);
    if (updated === undefined && fresh > 0) broke(`save ${n} was never updated`);
  }
  const last = stepsOf(steps, told, "save").findLast(
    ({ n, done }) => done && times(savedText(n)) > 0,
  );
  if (
    last !== undefined &&
    (await tidemark.memory.recall(`what holds ${wordOf(last.n + 500_000)}?`))[0]?.text !==
      savedText(last.n)
  )
    broke(`recall does not find save ${last.n}`);
  const counters = stepsOf(steps, told, "counter");
  const held = all.filter(({ key }) => key === "counter").map(({ content }) => content);
  const allowed = counters
    .slice(-2)
    .filter(({ done }, at, two) => !done || at === two.findLastIndex((one) => one.done))
    .map(({ n }) => counterText(n));
  if (
    held.length > 1 ||
    (held.length === 0 && counters.some(({ done }) => done)) ||
    held.some((content) => !allowed.includes(content))
  )
    broke(`the counter says ${JSON.stringify(held)} and should say ${JSON.stringify(allowed)}`);
  for (const n of told.dropped)
    if (all.some(({ content }) => aboutIn(content) === n))
      broke(`the fact of message ${n} was forgotten and is there`);
  const pins = await tidemark.pins();
  for (const { n, done } of stepsOf(steps, told, "pin")) {
    const there = pins.filter(({ text }) => text === pinnedText(n)).length;
    if (there > 1 || (done && there === 0)) broke(`pin ${n} is there ${there} times`);
  }
}

/** Every message `begin` has resolved for, word for word, in one conversation. */
async function checkLine(tidemark: Tidemark, { told, steps, broke }: About): Promise<void> {
  const mine = (await tidemark.history.list()).filter(({ label }) => label === CONVERSATION);
  if (told.begun < 0 && mine.length === 0) return;
  if (mine.length !== 1) return broke(`there are ${mine.length} conversations`);
  const { messages } = await tidemark.history.read({ conversation: CONVERSATION });
  const answered = steps.some(
    (step, index) => step.do === "call" && step.at === told.begun && index < told.done,
  );
  const expected = messagesTo(told.begun + (answered ? 1 : 0), told);
  expected.forEach((message, at) => {
    if (!isDeepStrictEqual(messages[at], message))
      broke(`message ${at} is ${JSON.stringify(messages[at])?.slice(0, 80) ?? "not there"}`);
  });
  if (messages.length > expected.length + 2)
    broke(`there are ${messages.length} messages, ${expected.length} were said`);
}

const ROOT = identityKey({});
const ROOMY = modelInfo(MODEL, { max_input_tokens: 1e9 });

async function checkNextCall(
  tidemark: Tidemark,
  { workspace, steps, told, broke }: About & { workspace: string },
): Promise<void> {
  const next = steps.find((step, index) => step.do === "call" && index >= told.done);
  if (next?.do !== "call") return;
  const host = messagesTo(next.at, told);
  const turn = await tidemark.begin(requestOf(host), { conversation: CONVERSATION });
  const { request } = turn;
  const refused = refusalOf(request, ROOMY, { reusedIds: true });
  if (refused !== undefined) broke(`the next call is refused: ${refused.message}`);
  const tokens = requestTokens(request);
  if (tokens > WINDOW.tokens) broke(`the next call takes ${tokens} tokens`);
  await looking(workspace, async (history) => {
    const session = (await history.sessions({ root: ROOT, label: CONVERSATION }))[0];
    if (session === undefined) return broke("the next call is in no conversation");
    const fold = (await history.folds({ session: session.id })).map(({ fold }) => fold).at(-1);
    const first = JSON.stringify(request.messages[0]);
    if (fold === undefined) {
      if (first.includes("tidemark-summary")) broke("the next call has a summary of no fold");
    } else {
      if (!first.includes(`fold=\\"${fold.id}\\"`))
        broke(`the next call has not the summary of the last fold: ${first.slice(0, 120)}`);
      const { messages } = await tidemark.history.read({ fold: fold.id });
      if (!isDeepStrictEqual(messages, host.slice(0, fold.upTo)))
        broke("a fold does not give back what it replaced");
    }
    const shortened = Object.keys(session.state.shortened ?? {}).length > 0;
    const tail = host.slice(fold?.upTo ?? 0).slice(1);
    if (
      !shortened &&
      tail.length > 0 &&
      !isDeepStrictEqual(request.messages.slice(-tail.length), tail)
    )
      broke("the last messages are not word for word");
  });
}

async function looking<T>(
  workspace: string,
  look: (history: ReturnType<typeof openStorage>) => Promise<T>,
): Promise<T> {
  const history = openStorage(join(workspace, ".tidemark", "tidemark.db"));
  try {
    return await look(history);
  } finally {
    await history.close();
  }
}

async function checkOnce(tidemark: Tidemark, broke: (law: string) => void): Promise<void> {
  const contents = (await tidemark.memory.list({ limit: 1_000 })).map(({ content }) => content);
  for (const content of new Set(contents))
    if (contents.filter((one) => one === content).length > 1)
      broke(`memory says twice: ${content.slice(0, 80)}`);
  const about = contents.flatMap((content) => aboutIn(content) ?? []);
  for (const n of new Set(about))
    if (about.filter((one) => one === n).length > 1)
      broke(`memory says in other words what message ${n} was about`);
}

/** Each message is behind the watermark with its fact stored or queued, or before it and still to be distilled. */
async function checkDistilled(
  workspace: string,
  {
    told,
    broke,
    stored,
  }: { told: Told; broke: (law: string) => void; stored: ReadonlySet<number> },
): Promise<Known> {
  return looking(workspace, async (history) => {
    const jobs = (await history.belongings(ROOT)).jobs;
    const owed = jobs.map(({ from, to }) => ({ from, to }));
    const session = (await history.sessions({ root: ROOT, label: CONVERSATION }))[0];
    if (session === undefined) return { watermark: 0, owed, stored, prompt: "" };
    if (session.watermark > session.length || session.noted > session.length)
      broke("the watermark stands behind the end");
    for (let n = 0; n < session.watermark; n += 1) {
      if (
        !stored.has(n) &&
        !told.dropping.has(n) &&
        !owed.some(({ from, to }) => n >= from && n < to)
      )
        broke(
          `message ${n} is behind the watermark ${session.watermark} and its fact is not there`,
        );
    }
    for (const { upTo } of (await history.folds({ session: session.id })).map(({ fold }) => fold))
      if (upTo > session.watermark)
        broke(`a fold stands at ${upTo}, the watermark at ${session.watermark}`);
    const prompt = session.state.frozen?.text ?? "";
    return { watermark: session.watermark, owed, stored, prompt };
  });
}

function checkFiles(
  workspace: string,
  { steps, told, broke, finish, prompt }: About & { finish: boolean; prompt: string },
): void {
  const memory = readFileSync(join(workspace, "MEMORY.md"), "utf8");
  const marks = readPage(memory).lines.flatMap(({ mark }) => mark ?? []);
  if (new Set(marks).size < marks.length) broke("MEMORY.md has a line twice");
  if (!memory.endsWith("\n") || !memory.includes("<!-- /tidemark:head -->"))
    broke("MEMORY.md is torn");
  for (const { n, done } of stepsOf(steps, told, "edit")) {
    const there = memory.split(editedText(n)).length - 1;
    if (there > 1 || (done && there === 0))
      broke(`a person's line ${n} is in MEMORY.md ${there} times`);
  }
  checkNotes(workspace, { steps, told, broke });
  // The draft of a backup may be another's at work until it is an hour old.
  const temporary = left(workspace).filter((name) => finish || !name.endsWith(".db.tmp"));
  if (temporary.length > 0) broke(`temporary files are left: ${temporary.join(", ")}`);
  // The database holds what was said in conversations, too.
  const [fromPages, gone]: [string[], string[]] = [[...told.dropped].map(wordOf), []];
  for (const { index, done } of stepsOf(steps, told, "forget"))
    if (done)
      gone.push(wordOf(meantBy(steps, index) + 500_000), wordOf(meantBy(steps, index) + 700_000));
  for (const entry of readdirSync(workspace, { recursive: true, withFileTypes: true }))
    if (entry.isFile() && /\.(?:md|json|tmp)$|\.db/.test(entry.name)) {
      const name = join(entry.parentPath, entry.name);
      const text = readFileSync(name, "latin1");
      const inPages = [...gone, ...fromPages];
      const inDatabase = gone.filter((word) => !prompt.includes(word));
      for (const word of entry.name.includes(".db") ? inDatabase : inPages)
        if (text.includes(` ${word}.`) || text.includes(` ${word}, told`))
          broke(`what was forgotten (${word}) stands in ${name}`);
    }
}

/** A note says what was written last, and what it said before is kept. */
function checkNotes(workspace: string, { steps, told, broke }: About): void {
  const notes = stepsOf(steps, told, "note");
  const now = textIn(workspace, `notes/${NOTE}`);
  const last = notes.findLast(({ done }) => done);
  const next = notes.find(({ done }) => !done);
  const may = [last, next].flatMap((step) => (step === undefined ? [] : [notedText(step.n)]));
  if (now === undefined ? last !== undefined : !may.includes(now))
    broke(`the note says ${String(now)}, and was to say ${may.join(" or ")}`);
  const folder = join(workspace, ".tidemark/backups/root/notes");
  const kept = existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => textIn(folder, name))
    : [];
  for (const { n, done } of notes)
    if (done && n !== last?.n && !kept.includes(notedText(n)))
      broke(`what note ${n} said before is not kept`);
}

const textIn = (folder: string, name: string): string | undefined => {
  const path = join(folder, name);
  return existsSync(path) && statSync(path).isFile() ? readFileSync(path, "utf8") : undefined;
};

const left = (workspace: string): string[] =>
  readdirSync(workspace, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".tmp"),
  );
