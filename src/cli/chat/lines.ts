import { type Interface } from "node:readline";

/** ms between two lines of one paste; no person types Enter that fast. */
const TOGETHER = 25;

/** What is typed, message by message. A paste of several lines is one; of a pipe each line is one; a backslash at the end of a line goes on with the next. */
export async function* messagesFrom(
  lines: Interface,
  person: boolean,
): AsyncGenerator<string, void> {
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
