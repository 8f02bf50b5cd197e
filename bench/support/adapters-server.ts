// The servers of `bench -- adapters`, in a process of their own: prints their addresses.
import { startCompletionsServer } from "../../test/support/completions-server.ts";
import { startGeminiServer } from "../../test/support/gemini-server.ts";
import { startMessagesServer } from "../../test/support/messages-server/index.ts";
import { said, startResponsesServer } from "../../test/support/responses-server.ts";

/** ms until a model's first word, at the very least: what is done beside a call is done by then. */
const THINKS = 15;
const WORDS = "The harbour lies still, and the boats wait for the tide of the evening. ".repeat(6);

function thought(): string {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, THINKS);
  return `Aye. ${WORDS}`;
}

const responses = await startResponsesServer({ reply: () => [said(thought())] });
const completions = await startCompletionsServer({ reply: () => ({ content: thought() }) });
const messages = await startMessagesServer({ reply: thought });
const gemini = await startGeminiServer({ reply: () => [{ text: thought() }] });
const servers = Object.entries({ responses, completions, messages, gemini });
console.log(JSON.stringify(Object.fromEntries(servers.map(([name, { url }]) => [name, url]))));
