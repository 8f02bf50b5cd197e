import { type Dialect } from "../dialect/common/dialect.ts";
import { type Message } from "../model/request.ts";

/** Does the message begin with all of the one that waits: the same words or the same results, with more behind them? */
export function continues(dialect: Dialect, waiting: Message, message: Message): boolean {
  if (dialect.speaker(waiting) === "assistant" || dialect.speaker(message) === "assistant")
    return false;
  const said = dialect.text(waiting);
  const answered = dialect.results(waiting);
  if (said === "" && answered.length === 0) return false;
  const results = dialect.results(message);
  return (
    (said === "" || dialect.text(message).startsWith(`${said}\n`)) &&
    answered.every(({ text }, index) => results[index]?.text === text)
  );
}
