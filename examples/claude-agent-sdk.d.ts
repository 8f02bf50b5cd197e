/** The part of the package that the example calls: it brings a program of 380 MB, and is not installed here. */
declare module "@anthropic-ai/claude-agent-sdk" {
  type Hook = (input: object, id: string | undefined, more: object) => Promise<object>;
  type Message =
    | { type: "result"; subtype: "success"; session_id: string; result: string }
    | { type: "result"; subtype: "error_during_execution"; session_id: string }
    | { type: "assistant" };
  export function query(asked: {
    prompt: string;
    options: { hooks: Record<string, { hooks: Hook[]; timeout?: number }[]>; resume?: string };
  }): AsyncIterable<Message>;
}
