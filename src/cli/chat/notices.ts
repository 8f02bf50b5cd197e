import type { TidemarkEvent } from "../../model/events.ts";
import type { Io } from "../render/io.ts";
import { count, tokens } from "../render/numbers.ts";
import { type Paint, plain } from "../render/layout.ts";

/** What a person who chats has no use for. */
const SILENT: ReadonlySet<string> = new Set([
  ...["waited", "queued", "thinking-dropped", "thinking-refused", "reconciled", "learned"],
  "words-only",
]);

/** What Tidemark did, kept until a reply is through, so that no line breaks into it. */
export class Notices {
  folds = 0;
  remembered = 0;
  /** Something went to the model: only from then on is it worth a word that no call was seen. */
  asked = false;
  private readonly waiting: string[] = [];
  private readonly io: Io;
  constructor(io: Io) {
    this.io = io;
  }

  hear(event: TidemarkEvent): void {
    if (event.type === "passed" && !this.asked) return;
    if (event.type === "folded") this.folds++;
    if (event.type === "saved") this.remembered++;
    const line = lineOf(event, this.io.paint);
    if (line !== undefined) this.waiting.push(line);
  }

  show(): void {
    for (const line of this.waiting.splice(0)) this.io.say(`  ${line}`);
  }
}

function lineOf(event: TidemarkEvent, paint: Paint): string | undefined {
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
      if (event.about === "budget-spent")
        return paint.yellow(
          `! the budget of calls behind the conversation is spent (${tokens(event.spent)} of ${tokens(event.budget)} tokens ${event.of === "hour" ? "an hour" : "a conversation"}); older messages are kept without a model`,
        );
      return SILENT.has(event.about) ? undefined : paint.dim(plain(event.text));
    case "passed":
      return paint.yellow(`! ${event.reason}`);
    default:
      return undefined;
  }
}
