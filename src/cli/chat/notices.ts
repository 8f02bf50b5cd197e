import type { TidemarkEvent } from "../../model/events.ts";
import type { Io } from "../render/io.ts";
import { count, tokens } from "../render/numbers.ts";
import { plain } from "../render/text.ts";

/** What Tidemark did, kept until a reply is through, so that no line breaks into it. */
export interface Notices {
  /** Something goes to the model: only from then on is it worth a word that no call was seen. */
  asking(): void;
  hear(event: TidemarkEvent): void;
  show(): void;
  readonly folds: number;
  readonly remembered: number;
}

/** What a person who chats has no use for. */
const SILENT: ReadonlySet<string> = new Set([
  ...["waited", "queued", "thinking-dropped", "thinking-refused", "reconciled", "learned"],
  "words-only",
]);

export function createNotices(io: Io): Notices {
  const waiting: string[] = [];
  let folds = 0;
  let remembered = 0;
  let asked = false;
  const { paint } = io;

  function lineOf(event: TidemarkEvent): string | undefined {
    switch (event.type) {
      case "folded":
        return paint.magenta(
          `▼ ${count(event.messages, "message")} folded into a summary: ${tokens(event.before)} → ${tokens(event.after)} tokens`,
        );
      case "flushed":
        return event.facts > 0 ? paint.green(`F ${count(event.facts, "fact")} saved`) : undefined;
      case "shortened":
        return paint.dim(
          `${count(event.messages, "long message")} shortened in the request: ${tokens(event.before)} → ${tokens(event.after)} tokens`,
        );
      case "overflow-recovered":
        return paint.yellow(
          `the request was too long (${tokens(event.before)}) and was sent again with ${tokens(event.after)}`,
        );
      case "distil-failed":
        return paint.yellow(`! distilling failed and will be done again: ${plain(event.error)}`);
      case "degraded":
        return paint.yellow(`! ${event.where}: ${plain(event.error)}`);
      case "notice":
        return noticed(event);
      case "passed":
        return paint.yellow(`! ${event.reason}`);
      default:
        return undefined;
    }
  }

  function noticed(event: TidemarkEvent & { type: "notice" }): string | undefined {
    if (event.about === "budget-spent")
      return paint.yellow(
        `! the budget of calls behind the conversation is spent (${tokens(event.spent)} of ${tokens(event.budget)} tokens ${event.of === "hour" ? "an hour" : "a conversation"}); older messages are kept without a model`,
      );
    return SILENT.has(event.about) ? undefined : paint.dim(plain(event.text));
  }

  return {
    asking: () => void (asked = true),
    hear(event) {
      if (event.type === "passed" && !asked) return;
      if (event.type === "folded") folds++;
      if (event.type === "saved") remembered++;
      const line = lineOf(event);
      if (line !== undefined) waiting.push(line);
    },
    show() {
      for (const line of waiting.splice(0)) io.say(`  ${line}`);
    },
    get folds() {
      return folds;
    },
    get remembered() {
      return remembered;
    },
  };
}
