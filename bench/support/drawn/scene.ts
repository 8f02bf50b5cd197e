// A scene of a drawn transcript: messages as a request holds them, and the facts that rest on them.

interface Block {
  readonly type: "text" | "tool_use" | "tool_result";
  readonly [field: string]: unknown;
}
export interface Message {
  readonly role: "user" | "assistant";
  readonly content: string | readonly Block[];
}
export interface Fact {
  readonly fact: string;
  /** Any faithful wording holds one of each group. */
  readonly keys: readonly (readonly string[])[];
  readonly kind: string;
  /** The message of the scene it rests on. */
  readonly at: number;
}
export interface Scene {
  readonly messages: readonly Message[];
  readonly facts: readonly Fact[];
}

/** Turn by turn, the user first. */
export const talk = (...said: readonly string[]): Message[] =>
  said.map((content, at) => ({ role: at % 2 === 0 ? "user" : "assistant", content }));

/** The assistant says something and calls a tool, which answers. */
export function call(
  text: string,
  name: string,
  input: Record<string, unknown>,
  { answer, id, failed = false }: { answer: string; id: string; failed?: boolean },
): Message[] {
  const words: Block[] = text === "" ? [] : [{ type: "text", text }];
  return [
    { role: "assistant", content: [...words, { type: "tool_use", id, name, input }] },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: id,
          content: answer,
          ...(failed ? { is_error: true } : {}),
        },
      ],
    },
  ];
}
export const answers = (text: string): Message => ({ role: "assistant", content: text });
export const asks = (text: string): Message => ({ role: "user", content: text });
