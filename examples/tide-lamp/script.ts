/** What the assistant of the example says and does; the tools then really run. */
export interface Reply {
  readonly think?: string;
  readonly say?: string;
  readonly calls?: readonly (readonly [tool: string, input: Readonly<Record<string, unknown>>])[];
}

export interface Scene {
  readonly user: string;
  readonly replies: readonly Reply[];
}

export interface Chapter {
  readonly title: string;
  readonly scenes: readonly Scene[];
}

/** What the second process was told: by the same conversation, by a new one, and asked by somebody else. */
export interface Answers {
  readonly same: string[];
  readonly fresh: string[];
  readonly stranger: string[];
  readonly firstMessage: unknown;
}

/** A reply as blocks of a message. */
export const blocksOf = ({ think, say: words, calls = [] }: Reply) => [
  ...(think === undefined ? [] : [{ type: "thinking", thinking: think }]),
  ...(words === undefined ? [] : [{ type: "text", text: words }]),
  ...calls.map(([name, input]) => ({ type: "tool_use", name, input })),
];
