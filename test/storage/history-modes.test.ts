import { describe, expect, it } from "vitest";
import fc from "fast-check";
import type { Message } from "../../src/core/request.ts";
import { openStorage } from "../../src/storage/sqlite/sqlite-storage.ts";
import { salvage } from "../../src/storage/sqlite/salvage.ts";
import { maskedMessage } from "../../src/storage/sqlite/masked-messages.ts";
import { mask } from "../../src/core/secrets/mask.ts";
import { bytesOf, MODES, modeNames, play, roomWith, secretOf } from "../support/history-modes.ts";
import {
  asReply,
  assistant,
  call,
  conversations,
  openRoom,
  requestOf,
  result,
  tell,
  user,
} from "../support/talk.ts";

const SAID = "The lighthouse keeper of Ons paints his boat green in April.";

/** Secrets wherever a message may hold one. */
const planted = (number: number): Message[] => [
  user(`My token is ${secretOf(number)}, keep it safe. ${SAID}`),
  call("t1", "deploy", {
    env: { GITHUB_TOKEN: secretOf(number + 1) },
    note: ["and", { deep: `Bearer ${secretOf(number + 2)}` }],
    password: "Tr0ub4dor&3x",
  }),
  result("t1", [{ type: "text", text: `pushed with ${secretOf(number + 3)}` }]),
  assistant([{ type: "text", text: `${secretOf(number + 4)} is what you gave me.` }]),
  user([
    {
      type: "image",
      source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo".repeat(80) },
    },
    {
      type: "document",
      title: secretOf(number + 5),
      source: { type: "text", media_type: "text/plain", data: "plain" },
    },
  ]),
  assistant("A green boat."),
];
const SECRETS = [...Array.from({ length: 6 }, (_, at) => secretOf(at)), "Tr0ub4dor&3x"];

describe.each(modeNames)("a history kept %s", (name) => {
  const history = MODES[name]!;

  it("holds of a conversation what it promises, to the byte", async () => {
    const room = await roomWith(history);
    await play(room, planted(0));
    await room.tidemark.begin(requestOf([...planted(0), user("And now?")]));
    await room.tidemark.pin("Never on Fridays, says the harbour master.");
    await room.tidemark.close();
    const bytes = bytesOf(room.file);
    const shown = SECRETS.filter((secret) => bytes.includes(secret));
    expect(shown).toEqual(name === "verbatim" ? SECRETS : []);
    for (const words of [SAID, "harbour master", "iVBORw0KGgoiVBORw0KGgo"])
      expect(bytes.includes(words)).toBe(true);
  });

  it("knows a conversation again after a restart, with its fold, its watermark and its system text", async () => {
    const room = await roomWith(history, {
      inject: "context",
      window: { tokens: 2_000, keepLast: 2 },
    });
    const messages: Message[] = [];
    const say = async (at: number) => {
      messages.push(
        user(`Crate ${at} of the Ons boat holds herring. ${"Salt and ice. ".repeat(60)}`),
      );
      const turn = await room.tidemark.begin(
        requestOf([...messages], { system: "You load boats." }),
      );
      messages.push(assistant(`Crate ${at} is aboard.`));
      await turn.end(asReply(messages.at(-1)!));
      await room.tidemark.idle();
      return turn;
    };
    for (let at = 0; at < 8; at += 1) await say(at);
    const before = await say(8);
    const [fold] = await room.tidemark.history.folds();
    expect(fold).toBeDefined();
    await room.reopen();
    const after = await say(9);
    expect(after.request.messages[0]).toEqual(before.request.messages[0]);
    expect(after.request.system).toEqual(before.request.system);
    expect(JSON.stringify(after.request.messages[0])).toContain("tidemark-summary");
    expect(
      /they are kept verbatim|they are kept with their secrets masked/.exec(
        JSON.stringify(after.request.messages[0]),
      )?.[0],
    ).toBe(
      name === "masked" ? "they are kept with their secrets masked" : "they are kept verbatim",
    );
    expect(await room.tidemark.history.list()).toHaveLength(1);
    const { watermark } = await readSession(room.file);
    expect(watermark).toBeGreaterThan(0);

    const diff = await room.tidemark.history.diff(fold!.id);
    expect(diff!.dropped.length + diff!.kept.length).toBeGreaterThan(6);
    expect(diff!.dropped.every(({ words }) => /Crate|Salt/.test(words))).toBe(true);
    const first = (await room.tidemark.history.folds()).at(-1);
    const undone = await room.tidemark.history.undo(first!.id);
    expect(undone!.messages).toBeGreaterThan(0);
    await room.reopen({ window: { tokens: 1_000_000 } });
    const back = await say(10);
    expect(back.request.messages).toHaveLength(messages.length - 1);
    expect(room.events.filter(({ type }) => type === "degraded")).toEqual([]);
  });

  it("quotes the request a fold leaves a tool loop at as it keeps messages, before a restart and after", async () => {
    const room = await roomWith(history, { window: { tokens: 2_000, keepLast: 2 } });
    const messages: Message[] = [user(`Publish all crates with the token ${secretOf(3)} please.`)];
    let turn = await room.tidemark.begin(requestOf([...messages]));
    for (let at = 0; at < 10; at += 1) {
      messages.push(call(`t${at}`, "publish", { crate: at }));
      await turn.end(asReply(messages.at(-1)!));
      await room.tidemark.idle();
      messages.push(result(`t${at}`, `crate ${at} is out. ${"Salt and ice. ".repeat(50)}`));
      turn = await room.tidemark.begin(requestOf([...messages]));
    }
    const quoted = JSON.stringify(turn.request.messages[0]);
    expect(quoted).toContain("Publish all crates with the token");
    expect(quoted.includes(secretOf(3))).toBe(name === "verbatim");
    await room.reopen();
    const again = await room.tidemark.begin(requestOf([...messages]));
    expect(JSON.stringify(again.request.messages[0])).toBe(quoted);
    await room.tidemark.close();
    expect(bytesOf(room.file).includes(secretOf(3))).toBe(name === "verbatim");
  });

  it("reads what it kept", async () => {
    const room = await roomWith(history);
    const messages = [
      user(`My token is ${secretOf(7)}.`),
      assistant("It is noted."),
      user("Thanks."),
      assistant("Gladly."),
    ];
    await play(room, messages);
    await room.reopen();
    const [conversation] = await room.tidemark.history.list();
    expect(conversation).toMatchObject({ messages: 4 });
    const read = room.tidemark.history.read({ conversation: conversation!.id });
    const searched = room.tidemark.memory.search("token noted", { in: ["history"] });
    const imported = room.tidemark.history.import({
      id: "old",
      messages: [
        { role: "user", text: `Old words about ${secretOf(8)}`, name: secretOf(9), ref: "r" },
      ],
    });
    const masked = name === "masked";
    expect((await read).messages).toEqual(
      masked
        ? [
            {
              role: "user",
              content: expect.stringMatching(/^My token is \[.+, masked\]/) as string,
            },
            ...messages.slice(1),
          ]
        : messages,
    );
    expect((await searched).map(({ text }) => text)).toEqual(
      expect.arrayContaining([expect.stringContaining("noted")]),
    );
    expect(await imported).toBe(1);
    // The same again is known again: digests are of what came.
    expect(
      await room.tidemark.history.import({
        id: "old",
        messages: [
          { role: "user", text: `Old words about ${secretOf(8)}`, name: secretOf(9), ref: "r" },
        ],
      }),
    ).toBe(0);
    await room.tidemark.close();
    expect(bytesOf(room.file).includes(secretOf(9))).toBe(name === "verbatim");
  });
});

async function readSession(file: string) {
  const store = openStorage(file);
  try {
    const [row] = await store.unindexed(1);
    return (await store.sessions({ ids: [row!.session] }))[0]!;
  } finally {
    await store.close();
  }
}

describe("how a history is kept", () => {
  it("is remembered, holds for what comes, and is changed by who says so", async () => {
    const room = await openRoom({ inject: false, history: { keep: "masked" } });
    const [first, second, third] = [secretOf(1), secretOf(2), secretOf(3)];
    await tell(room.tidemark, [user(`token ${first}`)], assistant("first answer"));
    await room.reopen({ history: undefined as never });
    await tell(
      room.tidemark,
      [user(`token ${first}`), assistant("first answer"), user(`token ${second}`)],
      assistant("second answer"),
    );
    await room.tidemark.close();
    expect(bytesOf(room.file)).not.toContain("ghp_");
    salvage({ path: room.file }, { path: `${room.file}.new` });
    const made = openStorage(`${room.file}.new`);
    expect(await made.note("keep")).toBe("masked");
    await made.close();
    await room.reopen({ history: { keep: "verbatim" } });
    await tell(
      room.tidemark.as({ user: "ada" }),
      [user(`token ${third}`)],
      assistant("third answer"),
    );
    expect(await conversations(room.tidemark.as({ user: "ada" }))).toEqual([
      [user(`token ${third}`), assistant("third answer")],
    ]);
    await room.tidemark.close();
    expect(bytesOf(room.file)).toContain(third);
  });
});

describe("a masked message", () => {
  it("holds no secret at any depth, is the same when there is none, and masking it again changes nothing", async () => {
    const leaf = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.nat(50).map((number) => `see ${secretOf(number)} here`),
    );
    const deep = fc.letrec<{ any: unknown }>((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.array(tie("any"), { maxLength: 4 }),
        fc.dictionary(
          fc.oneof(fc.string(), fc.nat(50).map(secretOf), fc.constant("__proto__")),
          tie("any"),
          { maxKeys: 4 },
        ),
      ),
    })).any;
    fc.assert(
      fc.property(deep, (content) => {
        const message = { role: "user", content } as Message;
        const clean = maskedMessage(message, mask);
        const json = JSON.stringify(clean);
        expect(json).not.toMatch(/ghp_\w{36}/);
        if (!/ghp_\w{36}/.test(JSON.stringify(message)) && !json.includes(", masked]"))
          expect(clean).toBe(message);
        expect(maskedMessage(clean, mask)).toBe(clean);
      }),
    );
  });
});
