import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Dice } from "../../src/cli/conform/dice.ts";
import { fillerOf } from "../../src/cli/conform/filler.ts";
import { plant } from "../../src/cli/conform/planting.ts";
import { faultIn } from "../../src/cli/conform/provider-rules.ts";
import type { Message } from "../../src/model/request.ts";
import { modelInfo } from "../support/messages-server/models.ts";
import { refusalOf } from "../support/messages-server/refusals.ts";
import { assistant, call, result, user } from "../support/talk.ts";
import { runs } from "../support/runs.ts";

const WINDOW = 100_000;
const faultOf = (...messages: unknown[]): string | undefined =>
  faultIn(messages as Message[], WINDOW);

describe("what a strict provider refuses", () => {
  it.each<readonly [string, readonly unknown[], RegExp]>([
    ["nothing", [], /^there is no message/],
    ["the assistant first", [assistant("hi")], /^message 1 is the assistant's/],
    [
      "the assistant last",
      [user("hi"), assistant("so")],
      /^message 2, the last, is the assistant's/,
    ],
    [
      "a role there is none of",
      [user("hi"), { role: "wizard", content: "hm" }],
      /^message 2 has the role "wizard"/,
    ],
    [
      "a system message among the others",
      [{ role: "system", content: "hm" }, user("hi")],
      /^message 1 has the role "system"/,
    ],
    [
      "more than role and content",
      [{ role: "user", content: "hi", id: 7 }],
      /^message 1 has "id" beside/,
    ],
    ["an empty text", [user("")], /^message 1 is empty/],
    ["blanks", [user("  \n")], /^message 1 is empty/],
    ["an empty list", [user([])], /^message 1 is empty/],
    ["blank blocks", [user([{ type: "text", text: " " }])], /^message 1 is empty/],
    [
      "an empty block beside another",
      [
        user([
          { type: "text", text: "hi" },
          { type: "text", text: "" },
        ]),
      ],
      /^message 1 cannot be read: block 2 is a "text" that lacks/,
    ],
    ["no content", [{ role: "user" }], /^message 1 has a content that is neither/],
    ["null", [user(null)], /^message 1 has a content that is neither/],
    ["a number", [user(42)], /^message 1 has a content that is neither/],
    ["an object", [user({})], /^message 1 has a content that is neither/],
    ["a text among blocks", [user(["hi"])], /^message 1 cannot be read: block 1 is none/],
    ["a block of no type", [user([{ text: "hi" }])], /block 1 has the type undefined/],
    [
      "a block of another type",
      [user([{ type: "wish", text: "hi" }])],
      /block 1 has the type "wish"/,
    ],
    ["a text that is none", [user([{ type: "text", text: 3 }])], /block 1 is a "text" that lacks/],
    [
      "the other side's call",
      [user([{ type: "tool_use", id: "a", name: "x", input: {} }])],
      /has the type "tool_use", which the user does not send/,
    ],
    [
      "a call without input",
      [user("hi"), assistant([{ type: "tool_use", id: "a", name: "x" }]), result("a", "ok")],
      /is a "tool_use" that lacks/,
    ],
    [
      "an answer in no form",
      [user("hi"), call("a", "x", {}), result("a", 5)],
      /"tool_result" that lacks/,
    ],
    ["a picture without one", [user([{ type: "image" }])], /"image" that lacks/],
    [
      "an answer to nothing",
      [result("a", "ok")],
      /^message 1 answers the call "a", which the message before it does not make/,
    ],
    [
      "a call at the end",
      [user("hi"), call("a", "x", {}), user("so?")],
      /^message 2 calls a tool \("a"\) that is not answered/,
    ],
    [
      "a call answered too late",
      [user("hi"), call("a", "x", {}), user("so?"), assistant("hm"), result("a", "ok")],
      /^message 2 calls a tool/,
    ],
    [
      "an answer behind a text",
      [user("hi"), call("a", "x", {}), user("so?"), result("a", "ok")],
      /^message 4 answers the call "a" behind a text/,
    ],
    [
      "an id twice",
      [user("hi"), call("a", "x", {}), result("a", "ok"), call("a", "x", {}), result("a", "ok")],
      /^message 4 calls a tool under the id "a"/,
    ],
    [
      "too much",
      [user("word ".repeat(WINDOW + 1_000))],
      /^its messages take about \d+k tokens, more than the window of 100k/,
    ],
  ])("is %s", (_, messages, said) => {
    expect(faultOf(...messages)).toMatch(said);
  });

  it("is not a conversation as they are had", () => {
    expect(faultOf(user("hi"))).toBeUndefined();
    expect(faultOf(user("hi"), call("a", "x", {}), result("a", "ok"))).toBeUndefined();
    expect(
      faultOf(
        user("hi"),
        call("a", "x", {}),
        user([
          { type: "tool_result", tool_use_id: "a" },
          { type: "text", text: "and?" },
        ]),
      ),
    ).toBeUndefined();
    expect(
      faultOf(
        user([
          { type: "text", text: " " },
          { type: "text", text: "hi", cache_control: { type: "ephemeral" } },
        ]),
      ),
    ).toBeUndefined();
    expect(
      faultOf(user("one"), user("two"), assistant("three"), assistant("four"), user("five")),
    ).toBeUndefined();
  });

  const info = modelInfo("m", { systemMessages: false, prefill: false }, WINDOW);
  const refused = (messages: readonly unknown[]): string | undefined =>
    refusalOf(
      {
        model: "m",
        max_tokens: 100,
        messages,
        tools: [{ name: "run", input_schema: { type: "object" } }],
      },
      info,
    )?.message;

  it("is the same here as for the strict server, over conversations broken at random", () => {
    const spoils: ((messages: Message[], at: number, other: number) => unknown)[] = [
      (messages, at) => messages.splice(at, 1),
      (messages, at, other) => messages.splice(at, 1 + (other % 4)),
      (messages, at, other) => messages.splice(other % messages.length, 0, messages[at]!),
      (messages, at) =>
        (messages[at] = {
          ...messages[at],
          role: messages[at]!.role === "user" ? "assistant" : "user",
        }),
      (messages, at, other) =>
        (messages[at] = {
          ...messages[at],
          content: [
            "",
            " ",
            null,
            42,
            {},
            [],
            ["x"],
            [{ type: "text", text: "" }],
            [{ type: "text", text: " \n" }],
            "fine",
          ][other % 10],
        }),
      (messages, at) => (messages[at] = { ...messages[at], note: "mine" }),
      (messages, at, other) =>
        Array.isArray(messages[at]!.content) &&
        (messages[at] = {
          ...messages[at],
          content: messages[at]!.content.filter((_, place) => place !== other % 2),
        }),
      (messages, at) =>
        Array.isArray(messages[at]!.content) &&
        (messages[at] = {
          ...messages[at],
          content: messages[at]!.content.toReversed() as unknown[],
        }),
      (messages, at, other) =>
        Array.isArray(messages[at]!.content) &&
        (messages[at] = {
          ...messages[at],
          content: [
            ...messages[at]!.content,
            [
              { type: "text", text: "more" },
              { type: "wish" },
              { type: "tool_result", tool_use_id: "call_1" },
              { type: "tool_use", id: "call_1", name: "x", input: {} },
              { type: "tool_use", id: "no id", name: "x", input: {} },
            ][other % 5],
          ],
        }),
      (messages, at) =>
        (messages[at] = JSON.parse(
          JSON.stringify(messages[at]).replace(/call_\d+/g, "call_1"),
        ) as Message),
    ];
    let [sound, broken] = [0, 0];
    fc.assert(
      fc.property(
        fc.nat(500),
        fc.nat(5),
        fc.array(fc.tuple(fc.nat(spoils.length - 1), fc.nat(1_000), fc.nat(1_000)), {
          maxLength: 2,
        }),
        (seed, turns, changes) => {
          const filler = fillerOf(seed % 3 === 0 ? "chat" : "agent", new Dice(seed));
          const messages = [
            ...plant(seed, 1)
              .slice(0, 3)
              .flatMap((one) => one.messages),
            ...Array.from({ length: turns }, filler).flat(),
            user("And now?"),
          ];
          for (const [which, at, other] of changes)
            if (messages.length > 0) spoils[which]!(messages, at % messages.length, other);
          const [ours, theirs] = [faultIn(messages, WINDOW), refused(messages)];
          expect(
            ours === undefined,
            `${ours ?? "taken"} | ${theirs ?? "taken"}\n${JSON.stringify(messages).slice(0, 2_000)}`,
          ).toBe(theirs === undefined);
          if (ours === undefined) sound += 1;
          else broken += 1;
        },
      ),
      { numRuns: runs(400), seed: 7 },
    );
    expect(Math.min(sound, broken)).toBeGreaterThan(runs(40));
  });
});
