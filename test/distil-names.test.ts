import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anthropic } from "../src/dialect/anthropic.ts";
import { openaiChat } from "../src/dialect/openai-chat.ts";
import { writtenBy } from "../src/distil/extract/shell.ts";
import { foundIn } from "../src/distil/lasting.ts";
import { type Message } from "../src/model/request.ts";

const user = (content: unknown): Message => ({ role: "user", content });
const agent = (content: unknown): Message => ({ role: "assistant", content });
const called = (name: string, input: unknown, answer: string, said = "That is done."): Message[] => [
  user("Go on."),
  agent([{ type: "tool_use", id: "a", name, input }]),
  user([{ type: "tool_result", tool_use_id: "a", content: answer }]),
  agent(said),
];
const kept = (messages: readonly Message[]): string => foundIn({ dialect: anthropic, messages }).filter(({ kind }) => kind !== "open").map(({ text }) => text).join("\n");

describe("files a shell command writes", () => {
  it.each([
    ["cp a.csv /srv/keep/ledger.csv", ["/srv/keep/ledger.csv"]],
    ["mv -f draft.md docs/final.md && ls docs", ["docs/final.md"]],
    ["git mv src/a.ts src/b.ts", ["src/b.ts"]],
    ["mkdir -p build/out build/tmp", ["build/out", "build/tmp"]],
    ["echo hello > notes/today.txt 2>&1", ["notes/today.txt"]],
    ["cat <<EOF >>/etc/app/rules.conf\nx\nEOF", ["/etc/app/rules.conf"]],
    ["make 2>/dev/null | sudo tee -a /var/log/build.log", ["/var/log/build.log"]],
    ["sed -i 's/a/b/g' src/main.rs", ["src/main.rs"]],
    ["curl -sL https://x.example/a.tgz -o vendor/a.tgz; tar xzf vendor/a.tgz -C vendor/a", ["vendor/a.tgz", "vendor/a"]],
    ['touch "my notes.md"', ["my notes.md"]],
    ["ls -la src | grep -v test; cat README.md", []],
    ["cp a.txt", []],
    ["npm test > /dev/null", []],
  ])("%s", (command, paths) => {
    expect(writtenBy(command).map(({ path }) => path)).toEqual(paths);
  });

  it("are read off anything in time that grows with its length only, and never more than a few", () => {
    fc.assert(fc.property(fc.string({ unit: "grapheme", maxLength: 400 }), (command) => writtenBy(command).length <= 12));
    for (const unit of ["cp a b;", ">", "'", '"', "\\", "mkdir ", "a>b ", "&&", "2>&1 "]) {
      const started = performance.now();
      writtenBy(unit.repeat(200_000));
      expect(performance.now() - started, unit).toBeLessThan(1_000);
    }
  });
});

describe("names that are kept", () => {
  it.each([
    ["said by the assistant, in few words", [user("Anything on it?"), agent("See ticket DOCK-2207.")], "DOCK-2207"],
    ["a commit", [user("Since when?"), agent("Since 4be91d07aa.")], "4be91d07aa"],
    ["a place in a file", [user("Where?"), agent("Look at lib/harbour/tide.rb:42.")], "lib/harbour/tide.rb"],
    ["found while at work", [user("Go on."), agent([{ type: "text", text: "The culprit is pkg/ferry/timetable.go." }, { type: "tool_use", id: "a", name: "bash", input: { command: "go test" } }]), user([{ type: "tool_result", tool_use_id: "a", content: "ok" }]), agent("Passed.")], "pkg/ferry/timetable.go"],
    ["written by a shell", called("bash", { command: "cp draft.csv /srv/keep/ledger-12.csv" }, ""), "/srv/keep/ledger-12.csv"],
    ["given for what was made, in a sentence", called("create_order", { item: "rope" }, "Created order ROPE-55127, due on Friday."), "ROPE-55127"],
    ["given for what was made, in JSON", called("reserve_table", { guests: 4 }, '{"ok":true,"confirmation":"KX41PZ"}'), "KX41PZ"],
    ["a commit that was made", called("bash", { command: "git commit -am 'Trim'" }, "[main 81ac03f] Trim\n 1 file changed, 2 insertions(+)"), "81ac03f"],
    ["the address of what was opened", called("bash", { command: "gh issue create -t Leak" }, "https://git.example/tide/issues/77"), "https://git.example/tide/issues/77"],
  ] as const)("%s", (_, messages, name) => {
    expect(kept(messages)).toContain(name);
  });

  it.each([
    ["under the name of a reference", "book_slot", { vessel: "Kongsdal", reference: "FJ-8841-KQ" }, "ok", /Kongsdal.*FJ-8841-KQ/],
    ["that names what was registered", "create_asset", { label: "boiler room valve", serial: "VX-20931-7" }, '{"status":"created"}', /boiler room valve.*VX-20931-7/],
    ["that says where a thing went, whatever that is called", "save_file", { destination: "/mnt/nas/plans/gazebo_v3.svg", body: "<svg/>" }, "done", /gazebo_v3\.svg/],
    ["that looks like a word", "submitClaim", { claim: "QZMKWA" }, "accepted", /QZMKWA/],
  ] as const)("given to a call that makes something: a value %s", (_, name, input, answer, line) => {
    expect(kept(called(name, input, answer))).toMatch(line);
    expect(foundIn({ dialect: anthropic, messages: called(name, input, answer) }).find(({ text }) => line.test(text))?.fact).toMatchObject({ origin: "agent", from: [1] });
  });

  it("given to a call that only looks, or that failed, are none; nor are programs, edits and ids of requests", () => {
    expect(kept(called("get_asset", { serial: "VX-20931-7" }, "found"))).not.toContain("VX-20931-7");
    expect(kept(called("create_asset", { serial: "VX-20931-7" }, "Error: no such room"))).not.toMatch(/serial=VX-20931-7(?!.*failed)/);
    const text = kept(called("str_replace", { path: "src/a.ts", old_string: "const a = 17;\nconst b = 18;", new_string: "CONST_4711", request_id: "9f3ac1d207" }, "ok"));
    expect(text).not.toMatch(/9f3ac1d207|const a/);
  });

  it("are few: what long outputs only show, times, line numbers and the ids of requests are none", () => {
    const dump = Array.from({ length: 200 }, (_, at) => `2026-11-04T10:${String(at % 60).padStart(2, "0")}:11Z req_${at}f3a9 0x${(at * 7919).toString(16)}beef${at} line ${at}: ok`).join("\n");
    const text = kept(called("bash", { command: "tail -200 app.log" }, dump));
    expect(text).not.toMatch(/beef|req_|2026-11|line \d/);
    expect(kept(called("create_note", { text: "x" }, "created, request id: 9f3ac1d207"))).not.toContain("9f3ac1d207");
  });

  it("are never more than a bound, however many there are, and those said by people first", () => {
    const many = Array.from({ length: 120 }, (_, at) => [user(`The crate is CR-${1000 + at}.`), agent(`Its twin is TW-${5000 + at}.`)]).flat();
    const names = foundIn({ dialect: anthropic, messages: many }).filter(({ kind }) => kind === "name");
    expect(names.length).toBeLessThanOrEqual(24);
    expect(names.every(({ fact }) => fact.origin === "user")).toBe(true);
  });

  it("rest on who said them: what a result gave is the tool's word, in each dialect", () => {
    const messages = called("create_order", { item: "rope" }, "Created order ROPE-55127.");
    expect(foundIn({ dialect: anthropic, messages }).find(({ text }) => text.includes("ROPE-55127"))?.fact).toMatchObject({ origin: "tool", from: [2] });
    const chat: Message[] = [{ role: "user", content: "Go on." }, { role: "assistant", content: null, tool_calls: [{ id: "a", type: "function", function: { name: "create_order", arguments: '{"item":"rope"}' } }] }, { role: "tool", tool_call_id: "a", content: "Created order ROPE-55127." }, { role: "assistant", content: "It is placed." }];
    expect(foundIn({ dialect: openaiChat, messages: chat }).find(({ text }) => text.includes("ROPE-55127"))?.fact.origin).toBe("tool");
  });
});

describe("failures in plain words", () => {
  it.each(["Pinning zlib to 1.2 did not help.", "Tried the static build: same crash.", "No luck with the serial cable.", "I rolled the proxy back, it doubled the latency.", "We gave up on the sync daemon.", "Ein Neustart hat nichts gebracht.", "换了驱动还是不行。"])("%s", (said) => {
    for (const messages of [[user("What did you find?"), agent(said)], [user(said), agent("I see.")]]) expect(foundIn({ dialect: anthropic, messages }).map(({ kind }) => kind), said).toContain("failed");
  });

  it.each(["I tried it and it works.", "All tests pass now.", "The port is 8443."])("not: %s", (said) => {
    expect(foundIn({ dialect: anthropic, messages: [user("What did you find?"), agent(said)] }).map(({ kind }) => kind)).not.toContain("failed");
  });
});
