// npm run demo: a long conversation through a 16k window, then a restart, then questions about its beginning.
import { fork } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Anthropic from "@anthropic-ai/sdk";
import { anthropicMiddleware } from "../src/adapters/anthropic.ts";
import { openTidemark, type TidemarkEvent } from "../src/index.ts";
import { startMessagesServer } from "../test/support/messages-server/index.ts";
import { distil } from "./tide-lamp/distiller.ts";
import { createLoop, MAX_TOKENS } from "./tide-lamp/loop.ts";
import { readOut, UNKNOWN } from "./tide-lamp/reader.ts";
import { bold, clip, faint, gauge, green, heading, red, say, table } from "./tide-lamp/screen.ts";
import { type Answers, blocksOf } from "./tide-lamp/script.ts";
import { MODEL, QUESTIONS, STORY, SYSTEM, WINDOW } from "./tide-lamp/story.ts";
import { createWorkshop } from "./tide-lamp/tools.ts";

const began = performance.now();
const home = mkdtempSync(join(tmpdir(), "tidemark-demo-"));
const workspace = join(home, "workspace");
const faults: string[] = [];
const number = (value: number): string => value.toLocaleString("en");

const replies = STORY.flatMap(({ scenes }) => scenes.flatMap((scene) => scene.replies))[
  Symbol.iterator
]();
// While the story lasts the model plays its part; after that it can only read what it is sent.
const server = await startMessagesServer({
  window: WINDOW,
  distil,
  reply: (request) => {
    const next = replies.next();
    return next.done ? readOut(request) : blocksOf(next.value);
  },
});

say(bold("Tidemark: a long conversation, a small window, and nothing lost"));
say(`
The real Anthropic SDK talks to a strict local server that plays the Messages API (no key, no network, no live
model). The window is ${number(WINDOW)} tokens; ${number(MAX_TOKENS)} of them are kept free for the reply. The loop is an ordinary one that
sends all its messages each time. The gauge shows the request as the server counted it; ╎ marks 60 % and 70 %.

Distilling goes through the wrapped client, as it would with Claude. Here the server plays that part, too, from a
script (examples/tide-lamp/worth.ts): of the messages it is sent it keeps what a model would.`);

const events: TidemarkEvent[] = [];
let unread = 0;
// The event comes with every call that leaves thinking out; it is news only when there is more of it.
let unbound = 0;
const tidemark = await openTidemark({
  workspace,
  identity: { agent: "workshop", user: "ines" },
  listen: (event) => void events.push(event),
});
const client = new Anthropic({
  baseURL: server.url,
  apiKey: "no key",
  middleware: [anthropicMiddleware(tidemark)],
});
const messages: Anthropic.MessageParam[] = [];
const turn = createLoop({ client, workshop: createWorkshop(), messages, window: WINDOW });

function tellNews(): void {
  for (const event of events.slice(unread)) {
    if (event.type === "flushed")
      say(
        faint(
          `      saved    ${event.facts} facts of ${event.messages} messages, before anything is folded`,
        ),
      );
    if (event.type === "folded")
      say(
        green(
          `      folded   ${event.messages} messages into a summary: ${number(event.before)} → ${number(event.after)} tokens`,
        ),
      );
    if (event.type === "shortened")
      say(
        green(
          `      cut      ${event.messages} long ${event.messages === 1 ? "text" : "texts"} in the request only: ${number(event.before)} → ${number(event.after)} tokens`,
        ),
      );
    if (event.type === "notice" && event.about === "thinking-dropped" && event.messages > unbound)
      say(
        faint(
          `      thinking left out of ${event.messages} ${event.messages === 1 ? "reply" : "replies"}: it was bound to what is folded now`,
        ),
      );
    if (event.type === "notice" && event.about === "thinking-dropped") unbound = event.messages;
    if (event.type === "notice" && event.about === "learned")
      say(
        faint(
          `      noted    ${event.what === "error" ? `a failure of the tool ${event.tool ?? "?"}` : "a correction"}`,
        ),
      );
    if (event.type === "overflow-recovered")
      say(
        green(
          `      recovered from an overflow: ${number(event.before)} → ${number(event.after)} tokens`,
        ),
      );
    if (event.type === "degraded" || event.type === "distil-failed")
      say(red(`      ${event.type}: ${event.error}`));
  }
  unread = events.length;
}

let largest = 0;
for (const [index, { title, scenes }] of STORY.entries()) {
  heading(`${index + 1}. ${title}`);
  for (const { user } of scenes) {
    const { level, results } = await turn(user);
    say(`${gauge(level)}  ${faint("Ines:")} ${clip(user, 62)}`);
    for (const { content, is_error } of results) {
      const text = String(content);
      largest = Math.max(largest, text.length);
      if (is_error === true) say(faint(`      tool error: ${clip(text, 80)}`));
      else if (text.length > 20_000)
        say(faint(`      a tool result of ${number(Math.round(text.length / 1000))} KB comes in`));
    }
    // A person takes longer to type than the distiller takes to read.
    await tidemark.idle();
    tellNews();
  }
}
// What a fold at the brim could not wait for is read by the model when there is time.
await tidemark.tidy();
tellNews();

heading("What happened");
const folds = events.filter((event) => event.type === "folded");
const stats = await tidemark.stats();
const unshortened = JSON.stringify(messages).length;
const memories = await tidemark.memory.list({ limit: 1000 });
say(
  `${messages.length} messages, ${number(unshortened)} characters in the program's own array; ${folds.length} folds; ${stats.messages} messages in history; ${server.refusals.length} requests refused.`,
);
if (messages.length < 120) faults.push(`the conversation has only ${messages.length} messages`);
if (largest < 60_000) faults.push(`the longest tool result has only ${largest} characters`);
if (folds.length < 3) faults.push(`only ${folds.length} folds`);
if (stats.messages < messages.length)
  faults.push(`history holds ${stats.messages} of ${messages.length} messages`);

// The same request bare, to a fresh server so that the refusals counted above stay Tidemark's own.
const bareServer = await startMessagesServer({ window: WINDOW });
const plain = messages.map(({ role, content }) => ({
  role,
  content:
    typeof content === "string" ? content : content.filter(({ type }) => type !== "thinking"),
})) as Anthropic.MessageParam[];
const bare = await new Anthropic({
  baseURL: bareServer.url,
  apiKey: "no key",
  maxRetries: 0,
}).messages
  .create({
    model: MODEL,
    max_tokens: MAX_TOKENS,
    system: SYSTEM,
    tools: createWorkshop().definitions,
    messages: [...plain, { role: "user", content: "Hello?" }],
  })
  .then(
    () => "answered",
    (error: unknown) =>
      error instanceof Anthropic.APIError ? String(error.message) : String(error),
  );
await bareServer.close();
say(
  `The same conversation without Tidemark: ${/prompt is too long[^"}]*/.exec(bare)?.[0] ?? bare}`,
);
if (!bare.includes("prompt is too long"))
  faults.push("without Tidemark the request should not have fitted");

await tidemark.close();

heading("What was remembered: scopes/user/ines/MEMORY.md");
const page = readFileSync(join(workspace, "scopes/user/ines/MEMORY.md"), "utf8");
say(page.replace(/^[\s\S]*?(?=^## )/m, "").trimEnd());
const absent = memories.filter(({ content }) => !page.includes(content.replace(/^User: /, "")));
if (absent.length > 0)
  faults.push(`the page does not show: ${absent.map(({ content }) => content).join(" | ")}`);

heading("Files on disk");
const files = readdirSync(workspace, { recursive: true, encoding: "utf8" })
  .filter((file) => statSync(join(workspace, file)).isFile())
  .sort();
const template = fileURLToPath(new URL("../workspace-template/", import.meta.url));
const untouched = (file: string): boolean => {
  const original = join(template, file.replace(/^scopes\/[^/]+\/[^/]+\//, ""));
  return (
    existsSync(original) &&
    readFileSync(original, "utf8") === readFileSync(join(workspace, file), "utf8")
  );
};
const ABOUT: readonly (readonly [RegExp, string])[] = [
  [/history\.db$/, "every message, word for word"],
  [/index\.db$/, "memories and the search index"],
  [/MEMORY\.md$/, "what was learnt, for people to read and correct"],
  [/errors\.md$/, "tools that failed"],
  [/corrections\.md$/, "what the user put right"],
  [/memory\/[\d-]+\.md$/, "the log of the day"],
];
table(
  files
    .filter((file) => !untouched(file))
    .map((file) => [
      file,
      `${number(Math.ceil(statSync(join(workspace, file)).size / 1024))} KB`,
      faint(ABOUT.find(([name]) => name.test(file))?.[1] ?? ""),
    ]),
);
say(
  faint(
    `  and ${files.filter(untouched).length} pages that wait to be filled in: who the agent is, whom it talks to, how it works`,
  ),
);

heading("After a restart");
say(
  "A new process opens the same folder. The model has no script any more: it can only read out of the request it\nis sent, and says so when the answer is not in there.\n",
);
const saved = join(home, "messages.json");
writeFileSync(saved, JSON.stringify(messages));
const child = fork(
  fileURLToPath(new URL("./tide-lamp/after-restart.ts", import.meta.url)),
  [server.url, workspace, saved],
  { stdio: "inherit" },
);
const exited = once(child, "exit");
const answered = await Promise.race([
  once(child, "message").then(([message]) => message as Answers),
  exited.then(() => undefined),
]);
await exited;

if (answered === undefined) faults.push("the second process ended without answers");
else {
  const mark = (right: boolean): string => (right ? green("✓") : red("✗"));
  for (const [name, given] of [
    ["the same conversation, continued", answered.same],
    ["a new conversation", answered.fresh],
  ] as const) {
    say(bold(`Asked in ${name}`));
    for (const [index, { question, expected }] of QUESTIONS.entries()) {
      const answer = given[index] ?? "";
      const right = expected.test(answer);
      if (!right) faults.push(`asked in ${name}: "${question}" was answered "${answer}"`);
      say(
        `  ${mark(right)} ${question.padEnd(42)} ${clip(answer.replace(/^- (?:\d{4}-\d{2}-\d{2}: )?/, ""), 100)}`,
      );
    }
  }
  const leaks = answered.stranger.filter((answer) => answer !== UNKNOWN);
  say(
    `${bold("Asked by another user of the same agent")}\n  ${mark(leaks.length === 0)} ${answered.stranger.length - leaks.length} of ${answered.stranger.length} times: ${UNKNOWN}`,
  );
  if (leaks.length > 0) faults.push(`another user was told: ${leaks.join(" | ")}`);
  const verbatim = JSON.stringify(answered.firstMessage) === JSON.stringify(messages[0]);
  say(
    `${bold("The first message, out of history")}\n  ${mark(verbatim)} word for word: ${clip(String(messages[0]?.content), 90)}`,
  );
  if (!verbatim) faults.push("the first message did not come back word for word");
}
for (const { message } of server.refusals) faults.push(`the server refused a request: ${message}`);
await server.close();

say(
  `\n${((performance.now() - began) / 1000).toFixed(1)} s, ${server.requests.length} calls, ${server.requests.filter(({ distil }) => distil).length} of them for distilling.`,
);
if (faults.length === 0) {
  rmSync(home, { recursive: true, force: true });
  say(green("All as promised."));
} else {
  for (const fault of faults) say(red(`✗ ${fault}`));
  say(faint(`The workspace was kept: ${home}`));
  process.exitCode = 1;
}
