import { isDeepStrictEqual } from "node:util";
import type { Message, Tidemark } from "../src/index.ts";
import { aboutIn, messageOf, replyOf, requestOf, wordOf } from "./host.ts";

/** One thing a host does. Whatever it was killed in the middle of, it does again. */
export type Step =
  | { readonly do: "call"; readonly at: number }
  | { readonly do: (typeof KINDS)[number]; readonly n: number };

const KINDS = [
  "save",
  "save",
  "update",
  "counter",
  "note",
  "forget",
  "edit",
  "save",
  "pin",
  "note",
  "recall",
  "drop",
  "counter",
  "tidy",
  "fold",
] as const;

/** What a program has been told: it survives the process, as a host's own database would. */
export interface Told {
  /** Steps whose promises have resolved. */
  done: number;
  /** Times the step now under way was begun. */
  attempt: number;
  /** The message whose `begin` has resolved last; and at which try each reply came. */
  begun: number;
  readonly tries: Map<number, number>;
  readonly ids: Map<number, string>;
  readonly pins: Map<number, string>;
  /** Messages whose facts were to be forgotten, and those whose surely are. */
  readonly dropping: Set<number>;
  readonly dropped: Set<number>;
  /** Messages the distiller was asked about, in this life; and how often in all. */
  readonly asked: Set<number>;
  readonly askings: Map<number, number>;
  /** Begun and not known to be done. */
  open: boolean;
}

export type Ack =
  | { readonly ack: "start"; readonly step: number }
  | { readonly ack: "begun"; readonly at: number }
  | { readonly ack: "reply"; readonly at: number; readonly attempt: number }
  | { readonly ack: "id"; readonly n: number; readonly id: string }
  | { readonly ack: "pinned"; readonly n: number; readonly id: string }
  | { readonly ack: "dropping"; readonly n: number }
  | { readonly ack: "asked"; readonly messages: readonly number[] }
  | { readonly ack: "done"; readonly step: number };

export const nothingTold = (): Told => ({
  done: 0,
  attempt: 0,
  begun: -1,
  tries: new Map(),
  ids: new Map(),
  pins: new Map(),
  dropping: new Set(),
  dropped: new Set(),
  asked: new Set(),
  askings: new Map(),
  open: false,
});

export function hear(told: Told, ack: Ack): void {
  switch (ack.ack) {
    case "start":
      told.attempt = told.open && ack.step === told.done ? told.attempt + 1 : 1;
      told.open = true;
      return;
    case "begun":
      told.begun = ack.at;
      return;
    case "reply":
      told.tries.set(ack.at, ack.attempt);
      return;
    case "id":
      told.ids.set(ack.n, ack.id);
      return;
    case "pinned":
      told.pins.set(ack.n, ack.id);
      return;
    case "dropping":
      told.dropping.add(ack.n);
      return;
    case "asked":
      for (const message of ack.messages) {
        told.asked.add(message);
        told.askings.set(message, (told.askings.get(message) ?? 0) + 1);
      }
      return;
    case "done":
      told.done = ack.step + 1;
      told.open = false;
      for (const n of told.dropping) told.dropped.add(n);
  }
}

/** Calls, and beside them all that writes; every kind comes again. */
export function scriptOf(calls: number): Step[] {
  const steps: Step[] = [];
  for (let call = 0; call < calls; call += 1) {
    steps.push({ do: "call", at: call * 2 });
    steps.push({ do: KINDS[call % KINDS.length] ?? "save", n: call });
  }
  return steps;
}

export const savedText = (n: number): string => `Save number ${n} holds ${wordOf(n + 500_000)}.`;
export const updatedText = (n: number): string =>
  `Since then save number ${n} holds ${wordOf(n + 700_000)}.`;
export const editedText = (n: number): string => `- A person wrote ${wordOf(n + 800_000)} here.`;
/** Of one note, which is written again and again. */
export const NOTE = "drill/note.md";
export const notedText = (n: number): string => `Note ${n} holds ${wordOf(n + 950_000)}.`;
export const pinnedText = (n: number): string =>
  `Pin ${n}  keeps ${wordOf(n + 900_000)}\n<b>as it is</b>.`;
export const counterText = (n: number): string =>
  `The counter stands at ${n}, which is ${wordOf(n + 600_000)}.`;

/** Which save an update or a forget means: the last one before it. */
export function meantBy(steps: readonly Step[], index: number): number {
  const found = steps.slice(0, index).findLast((step) => step.do === "save");
  return found?.do === "save" ? found.n : 0;
}

/** The host's messages up to and with message `last`. */
export const messagesTo = (last: number, told: Told): Message[] =>
  Array.from({ length: last + 1 }, (_, at) => messageOf(at, { attempt: told.tries.get(at) ?? 1 }));

export const CONVERSATION = "drill";

/** Does one step, and tells as it goes. */
export async function play(
  tidemark: Tidemark,
  {
    step,
    index,
    steps,
    told,
    tell,
  }: { step: Step; index: number; steps: readonly Step[]; told: Told; tell: (ack: Ack) => void },
): Promise<void> {
  tell({ ack: "start", step: index });
  switch (step.do) {
    case "call": {
      const turn = await tidemark.begin(requestOf(messagesTo(step.at, told)), {
        conversation: CONVERSATION,
      });
      tell({ ack: "begun", at: step.at });
      tell({ ack: "reply", at: step.at + 1, attempt: told.attempt });
      await turn.end(
        replyOf(messageOf(step.at + 1, { attempt: told.attempt }), Math.ceil(turn.window.used)),
      );
      break;
    }
    case "save":
      tell({ ack: "id", n: step.n, id: (await tidemark.memory.save(savedText(step.n))).id });
      break;
    case "counter":
      await tidemark.memory.save({ content: counterText(step.n), key: "counter" });
      break;
    case "update": {
      const of = meantBy(steps, index);
      const memory = await tidemark.memory.get(told.ids.get(of) ?? "");
      if (memory !== undefined && !isDeepStrictEqual(memory.content, updatedText(of)))
        await tidemark.memory.update(memory.id, { content: updatedText(of) });
      break;
    }
    case "forget":
      await tidemark.memory.forget(told.ids.get(meantBy(steps, index)) ?? "");
      break;
    case "drop": {
      const facts = (await tidemark.memory.list({ limit: 1_000 })).flatMap(({ id, content }) => {
        const n = aboutIn(content);
        return n === undefined ? [] : [{ id, n }];
      });
      const [oldest] = facts.sort((a, b) => a.n - b.n);
      if (oldest === undefined || told.attempt > 1) {
        for (const { id } of facts.filter(({ n }) => told.dropping.has(n)))
          await tidemark.memory.forget(id);
        break;
      }
      tell({ ack: "dropping", n: oldest.n });
      await tidemark.memory.forget(oldest.id);
      break;
    }
    case "pin":
      tell({ ack: "pinned", n: step.n, id: await tidemark.pin(pinnedText(step.n)) });
      break;
    case "edit":
      await tidemark.workspace.edit(
        "MEMORY.md",
        (text) =>
          text.includes(editedText(step.n))
            ? undefined
            : `${text.trimEnd()}\n${editedText(step.n)}\n`,
        "agent:default",
      );
      break;
    case "note":
      await tidemark.notes.write(NOTE, notedText(step.n));
      break;
    case "recall":
      await tidemark.memory.recall(
        "which notes did they go through, and what does the counter say?",
      );
      break;
    case "fold":
      await tidemark.fold({ conversation: CONVERSATION });
      break;
    case "tidy":
      await tidemark.tidy();
  }
  tell({ ack: "done", step: index });
}

/** What a child is to do: its part of the script, and what it was told before. */
export interface Orders {
  readonly workspace: string;
  readonly calls: number;
  readonly until: number;
  readonly acks: readonly Ack[];
  readonly clock: number;
}
