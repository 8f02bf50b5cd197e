/** A JSON object as it came over the wire; nothing about it is trusted. */
export type Json = Readonly<Record<string, unknown>>;
export type Block = Json & { readonly type: string };

/** What the API answers instead of a message. */
export interface Refusal {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  /** Where the API names the error beside its type. */
  readonly code?: string;
}

export const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
/** The API reads a null field as an absent one. */
export const given = (value: unknown): boolean => value !== undefined && value !== null;

export const invalid = (message: string): Refusal => ({
  status: 400,
  type: "invalid_request_error",
  message,
});

/** A string is shorthand for one text block. */
export function blocksOf(content: unknown): readonly Block[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return list(content).filter(
    (block): block is Block => isJson(block) && typeof block.type === "string",
  );
}

export interface Turn {
  readonly role: "user" | "assistant" | "system";
  /** Every block with its place in the request: consecutive messages of one role are one turn. */
  readonly blocks: readonly {
    readonly block: Block;
    readonly message: number;
    readonly at: number;
  }[];
  readonly first: number;
}

/** The messages as the model reads them: "consecutive user or assistant turns will be combined into a single turn". */
export function turnsOf(messages: readonly Json[]): readonly Turn[] {
  const turns: { role: Turn["role"]; blocks: Turn["blocks"][number][]; first: number }[] = [];
  messages.forEach((message, index) => {
    const placed = blocksOf(message.content).map((block, at) => ({ block, message: index, at }));
    const last = turns.at(-1);
    if (last !== undefined && last.role === message.role) last.blocks.push(...placed);
    else turns.push({ role: message.role as Turn["role"], blocks: placed, first: index });
  });
  return turns;
}

/** Canonical JSON of what the model is shown: keys sorted; empty values, cache marks and direct callers left out. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isJson(value)) return JSON.stringify(value) ?? "null";
  const parts: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const held = value[key];
    if (!given(held) || key === "cache_control") continue;
    if (key === "citations" && Array.isArray(held) && held.length === 0) continue;
    if (key === "caller" && isJson(held) && held.type === "direct") continue;
    // A result's string is shorthand too.
    parts.push(
      `${JSON.stringify(key)}:${canonical(key === "content" && value.type === "tool_result" ? blocksOf(held) : held)}`,
    );
  }
  return `{${parts.join(",")}}`;
}
