import { type TidemarkEvent } from "../../model/events.ts";
import { oneLine } from "../../text/cut.ts";

/** What means "this does not work as you think", in words of ours alone: nothing that a conversation said. */
function warningOf(event: TidemarkEvent): readonly [kind: string, text: string] | undefined {
  switch (event.type) {
    case "passed":
      return ["passed", `A request passed without Tidemark: ${event.reason}.`];
    case "degraded":
      return [
        "degraded",
        `Something failed and the chat went on without it (${event.where}${event.code === undefined ? "" : `, ${event.code}`}); listen: "console" tells more, "npx tidemark doctor" what to do.`,
      ];
    case "window-guessed":
      return [
        "window-guessed",
        `The window of model "${event.model}" is not known; ${event.tokens.toLocaleString("en")} tokens are taken. Set window: { tokens }.`,
      ];
    case "notice":
      return WARNED.has(event.about) ? [event.about, event.text] : undefined;
    default:
      return undefined;
  }
}
const WARNED: ReadonlySet<string> = new Set(["cut-by-provider", "no-model"]);

/** Kinds of trouble that this process was warned of, whichever workspace had it. */
const warned = new Set<string>();

/** Says on stderr what does not work as meant, each kind once. */
export function warn(event: TidemarkEvent): void {
  const warning = warningOf(event);
  if (warning === undefined || warned.has(warning[0])) return;
  warned.add(warning[0]);
  process.stderr.write(`[tidemark] ${oneLine(warning[1])}\n`);
}
