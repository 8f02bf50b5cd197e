import { spawn } from "node:child_process";
import { afterwards } from "./anthropic.ts";
import { builtUrl } from "./built.ts";

/** A program of its own that talks to a Tidemark; what it printed, and how it ended. */
export async function runProgram(code: string): Promise<{ out: string; code: number | null }> {
  const source = `import { openTidemark } from ${JSON.stringify(builtUrl("index"))};
const prose = "the quiet boat lies by the old pier and waits for a warm wind ";
const open = (options) => openTidemark({ workspace: false, window: { tokens: 40_000 }, listen: false, ...options });
const talk = async (tidemark, level) => {
  const messages = [];
  for (;;) {
    messages.push({ role: "user", content: messages.length + " " + prose.repeat(60) });
    const turn = await tidemark.begin({ model: "m", max_tokens: 100, messages });
    const reply = { role: "assistant", content: [{ type: "text", text: "Noted " + messages.length }] };
    await turn.end({ id: "m", type: "message", model: "m", stop_reason: "end_turn", ...reply, usage: { input_tokens: 0, output_tokens: 1 } });
    messages.push(reply);
    if (turn.window.level >= level) return turn.window.mark;
  }
};
${code}`;
  const child = spawn(
    process.execPath,
    ["--input-type=module-typescript", "--no-warnings", "-e", source],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  afterwards(() => child.kill("SIGKILL"));
  let out = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text: Buffer) => (out += text.toString()));
  return { code: await new Promise((resolve) => child.on("close", resolve)), out };
}
