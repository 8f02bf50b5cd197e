import { asDict, asText, type Dict } from "../../core/base.ts";

/** Puts the parts of a streamed reply together; what was cut off is given as far as it came. */
export function gatherParts() {
  const content: Dict[] = [];
  const open = new Map<unknown, Record<string, unknown>>();
  let ending: Dict | undefined;

  /** A part that comes in pieces: its words by the id of its start. */
  function piece(kind: string, { type, id, delta, providerMetadata }: Dict): void {
    let part = open.get(id);
    if (part === undefined || asText(type).endsWith("-start")) {
      part = { type: kind, text: "" };
      open.set(id, part);
      content.push(part);
    }
    part.text = asText(part.text) + asText(delta);
    if (providerMetadata !== undefined) part.providerMetadata = providerMetadata;
  }

  function push(given: unknown): void {
    const part = asDict(given);
    const [, kind] = /^(text|reasoning)-(?:start|delta|end)$/.exec(asText(part.type)) ?? [];
    if (kind !== undefined) piece(kind, part);
    else if (WHOLE.has(asText(part.type))) content.push(part);
    else if (part.type === "finish") ending = part;
  }

  /** The reply as it would have come in one; undefined where nothing of it came. */
  function message(): Dict | undefined {
    const said = content.filter(({ type, text }) => !(type === "text" && text === ""));
    return said.length > 0 ? { ...ending, content: said } : undefined;
  }

  return { push, message, complete: () => ending !== undefined };
}

const WHOLE = new Set(["tool-call", "tool-result", "file", "reasoning-file", "source", "custom"]);
