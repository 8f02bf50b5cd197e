import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { freshFolder } from "./afterwards.ts";

type Json = Record<string, unknown>;
type Said = readonly [role: "user" | "assistant", content: unknown, more?: Json];

/** A log as Claude Code writes one: what is said stands between much that nobody says. */
export function agentLog(session: string) {
  const path = join(freshFolder(), `${session}.jsonl`);
  let [count, parent]: [number, string | null] = [0, null];
  const write = (line: Json): void => appendFileSync(path, `${JSON.stringify(line)}\n`);
  const put = (type: string, more: Json): string => {
    const uuid = `${session}-${count++}`;
    const timestamp = new Date(Date.UTC(2026, 10, 20) + count * 1_000).toISOString();
    const around = { isSidechain: false, userType: "external", cwd: "/boats", version: "2.1.332" };
    write({ parentUuid: parent, ...around, type, ...more, uuid, timestamp, sessionId: session });
    parent = uuid;
    return uuid;
  };
  const say = ([role, content, more = {}]: Said): string => {
    const message =
      role === "user"
        ? { role, content }
        : { id: `msg_${count}`, type: "message", role, model: "claude-sonnet-4-5", content };
    return put(role, { message, ...more });
  };
  return {
    path,
    put,
    say,
    /** A prompt and its answer, with a tool used on the way; `id`: the prompt's. */
    turn(prompt: string, answer: string, id = `${session}-prompt-${count}`): string {
      write({ type: "queue-operation", operation: "enqueue", content: prompt, sessionId: session });
      say(["user", prompt, { promptId: id }]);
      put("attachment", { attachment: { type: "total_tokens_reminder", text: "1 token left" } });
      say(["assistant", [{ type: "tool_use", id: `toolu_${count}`, name: "Read", input: {} }]]);
      const content = [
        { type: "tool_result", tool_use_id: `toolu_${count - 1}`, content: "Tides of the week" },
      ];
      say(["user", content, { promptId: id, toolUseResult: {} }]);
      say(["assistant", [{ type: "text", text: answer }]]);
      put("system", { subtype: "stop_hook_summary", hookCount: 1 });
      write({ type: "last-prompt", lastPrompt: prompt, leafUuid: parent, sessionId: session });
      return id;
    },
    /** What `/compact` leaves. */
    compact(): void {
      const logicalParentUuid = parent;
      parent = null;
      put("system", { subtype: "compact_boundary", logicalParentUuid, content: "Compacted" });
      say(["user", "This session is being continued: a summary.", { isCompactSummary: true }]);
      say(["user", "<local-command-caveat>Caveat.</local-command-caveat>", { isMeta: true }]);
      say(["user", "<command-name>/compact</command-name><command-args></command-args>"]);
      say(["user", "<local-command-stdout>Compacted</local-command-stdout>"]);
    },
    /** What a hook has told, as the log keeps it. */
    told: (context: string): string =>
      put("attachment", { attachment: { type: "hook_additional_context", content: [context] } }),
  };
}
