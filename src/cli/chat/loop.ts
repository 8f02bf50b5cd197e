import { createInterface, type Interface } from "node:readline";
import { lineOf } from "../input/failure.ts";
import { count, percent, tokens } from "../render/numbers.ts";
import { tame } from "../render/layout.ts";
import { apiLine } from "./client.ts";
import { command, type Chat, type Talk } from "./commands.ts";

/** A service manager's word, and a terminal that went away. */
const ENDS = ["SIGTERM", "SIGHUP"] as const;

/** Reads, answers, reads again, until /quit, the end of the input, a second Ctrl-C, or a system that wants it to end. */
export async function converse(chat: Chat): Promise<void> {
  const { io } = chat;
  const person = process.stdin.isTTY && io.seen.output;
  const lines = createInterface({
    input: process.stdin,
    output: person ? process.stdout : undefined,
    terminal: person,
    prompt: io.paint.bold("› "),
  });
  const talk: Talk = { messages: [], used: 0 };
  let reply: AbortController | undefined;
  let warned = false;
  let open = true;
  lines.once("close", () => (open = false));
  // The cursor stands behind a prompt when the end comes without /quit.
  let asked = false;
  const ask = (): void => {
    asked = person && open;
    if (asked) lines.prompt();
  };
  const stop = (): void => {
    if (reply !== undefined && !reply.signal.aborted) return reply.abort();
    if (warned || reply !== undefined) return void lines.close();
    warned = true;
    io.say(io.paint.dim("\nCtrl-C again ends the chat; so does /quit."));
    ask();
  };
  const end = (): void => {
    reply?.abort();
    lines.close();
  };
  (person ? lines : process).on("SIGINT", stop);
  for (const signal of ENDS) process.on(signal, end);
  ask();
  try {
    for await (const line of messagesFrom(lines, person)) {
      warned = asked = false;
      const words = line.trim();
      if (words.startsWith("/")) {
        if (
          (await command(words, chat, talk).catch((thrown: unknown) =>
            io.say(io.paint.red(`  ${lineOf(thrown)}`)),
          )) === "quit"
        )
          break;
      } else if (words !== "") {
        reply = new AbortController();
        await answer(words, chat, talk, reply.signal);
        reply = undefined;
      }
      chat.notices.show();
      ask();
    }
  } finally {
    process.off("SIGINT", stop);
    for (const signal of ENDS) process.off(signal, end);
    lines.close();
    if (asked) io.say();
  }
}

/** One message and its reply, as it comes. Trouble is one line, and the message can be said again. */
async function answer(words: string, chat: Chat, talk: Talk, signal: AbortSignal): Promise<void> {
  const { client, io, notices, model, maxTokens } = chat;
  const { messages } = talk;
  messages.push({ role: "user", content: words });
  notices.asked = true;
  let said = "";
  try {
    const stream = client.messages.stream({ model, max_tokens: maxTokens, messages }, { signal });
    stream.on("text", (part) => {
      const text = tame(part);
      if (said === "") notices.show();
      said += text;
      io.write(text);
    });
    const whole = await stream.finalMessage();
    messages.push({ role: "assistant", content: whole.content });
    const {
      input_tokens: input,
      cache_creation_input_tokens: written,
      cache_read_input_tokens: read,
      output_tokens: output,
    } = whole.usage;
    talk.used = input + (written ?? 0) + (read ?? 0) + output;
    io.say(said.endsWith("\n") || said === "" ? "" : "\n");
    if (whole.stop_reason === "max_tokens")
      io.say(io.paint.yellow("  (cut off: the reply reached its longest length)"));
    if (whole.stop_reason === "refusal") io.say(io.paint.yellow("  (the model declined to go on)"));
    notices.show();
    const level = `${percent(talk.used / chat.limit)} of ${tokens(chat.limit)}`;
    io.say(io.paint.dim(`[${level} · ${count(notices.folds, "fold")}]`));
  } catch (thrown) {
    if (said !== "") io.say();
    if (signal.aborted && said.trim() !== "") messages.push({ role: "assistant", content: said });
    else messages.pop();
    io.say(signal.aborted ? io.paint.dim("  (stopped)") : io.paint.red(`  ${apiLine(thrown)}`));
  }
}

/** ms between two lines of one paste; no person types Enter that fast. */
const TOGETHER = 25;

/** What is typed, message by message. A paste of several lines is one; of a pipe each line is one; a backslash at the end of a line goes on with the next. */
async function* messagesFrom(lines: Interface, person: boolean): AsyncGenerator<string, void> {
  let held: string | undefined;
  for await (const text of typed(lines, person)) {
    held = held === undefined ? text : `${held}\n${text}`;
    // As in a shell, a backslash at the end goes on with the next line.
    if (held.endsWith("\\")) held = held.slice(0, -1);
    else {
      yield held;
      held = undefined;
    }
  }
  if (held !== undefined) yield held;
}

/** The lines, where a person pastes some at once as one. */
async function* typed(lines: Interface, person: boolean): AsyncGenerator<string, void> {
  if (!person) return yield* lines;
  const ready: string[] = [];
  let pasted: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let wake = (): void => {};
  const flush = (): void => {
    if (pasted.length > 0) ready.push(pasted.join("\n"));
    pasted = [];
    wake();
  };
  lines.on("line", (line) => {
    pasted.push(line);
    clearTimeout(timer);
    timer = setTimeout(flush, TOGETHER);
  });
  lines.on("close", () => {
    closed = true;
    flush();
  });
  for (;;) {
    const next = ready.shift();
    if (next !== undefined) yield next;
    else if (closed) return;
    else await new Promise<void>((resolve) => (wake = resolve));
  }
}
