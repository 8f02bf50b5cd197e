import { kindOf } from "../support/anthropic.ts";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mask, secretsIn } from "../../src/core/secrets/mask.ts";
import { AROUND, type Drawn, drawnFrom, leftOf } from "../support/secrets-drawn.ts";
import { asReply, assistant, call, openRoom, requestOf, result, user } from "../support/talk.ts";
import { runs } from "../support/runs.ts";
import { anyCharacter } from "../support/any-character.ts";

const textsOf = (drawn: readonly Drawn[]): string[] => drawn.map(({ text }) => text);
const labelled = drawnFrom("secrets-made-up", { times: 10, around: AROUND });
const innocent = textsOf(drawnFrom("look-alikes-made-up", { times: 30 }));

describe("masking", () => {
  it("finds each labelled secret to its last character, and none in what only looks like one", () => {
    expect(new Set(labelled.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(60);
    expect(textsOf(labelled.filter((one) => leftOf(secretsIn, one) !== ""))).toEqual([]);
    expect(innocent.filter((text) => mask(text) !== text)).toEqual([]);
  });

  it("finds at least 96 of a hundred as they are written this year, and no more than one where there is none", () => {
    const all = drawnFrom("secrets-of-this-year", { times: 3 });
    const missed = textsOf(all.filter((one) => leftOf(secretsIn, one) !== ""));
    expect(missed.length / all.length, missed.join("\n")).toBeLessThanOrEqual(0.04);
    const others = textsOf(drawnFrom("look-alikes-of-this-year", { times: 3 }));
    const alarmed = others.filter((text) => mask(text) !== text);
    expect(alarmed.length / others.length, alarmed.join("\n")).toBeLessThanOrEqual(0.01);
  });

  it("takes what a user said, behind the user's name, for no password", () => {
    expect(mask("User: 81a2be is what link text is.")).toBe("User: 81a2be is what link text is.");
    expect(mask("admin:81a2be#Qx!7")).not.toContain("81a2be");
  });

  it("takes a key as far as it goes, and none where there is none", () => {
    const lines = `${"MIIEvQIBADANBgkqhkiG9w0BAQEFAASC".repeat(2)}\n${"BKcwggSjAgEAAoIBAQDndJt7NaG8T64x".repeat(2)}`;
    expect(mask(`Use\n-----BEGIN EC PRIVATE KEY-----\n${lines}\nThen go on.`)).toBe(
      "Use\n[private key, masked]\nThen go on.",
    );
    expect(
      mask(
        `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,5C02\n\n${lines}\nand so on`,
      ),
    ).toBe("[private key, masked]\nand so on");
    expect(
      mask(
        `> -----BEGIN PRIVATE KEY-----\n> ${lines.replace("\n", "\n> ")}\n> -----END PRIVATE KEY-----\nmine`,
      ),
    ).toBe("> [private key, masked]\nmine");
    const samples = [
      "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
      "it wants -----BEGIN PRIVATE KEY----- at the start of the file and then the lines of the key itself, in base64",
      '{"private_key":"-----BEGIN PRIVATE KEY-----\\nYOUR_KEY\\n-----END PRIVATE KEY-----\\n"}',
    ];
    for (const sample of samples) expect(mask(sample)).toBe(sample);
  });

  it("takes the password of an address up to its host, a token in the place of the user, and no sample", () => {
    expect(mask("at https://svc:my@C0mpl3x@host.example.com/x?y=a@b now")).toBe(
      "at https://svc:[password, masked]@host.example.com/x?y=a@b now",
    );
    expect(
      mask("git+https://1a2b3c4d5e6f708192a3b4c5d6e7f809:x-oauth-basic@git.example.com"),
    ).not.toContain("5e6f7081");
    for (const sample of [
      "postgres://$(USER):$(PASSWORD)@host/db",
      "https://user:mypassword@host",
      "mysql://app:${PW}@host",
      "https://ada@host/x",
      "//npm.example.com/:_authToken=${NPM_TOKEN}",
    ])
      expect(mask(sample)).toBe(sample);
  });

  it("takes a password with a blank from an address in quotes, and no words after an address", () => {
    expect(mask('DATABASE_URL="postgres://app:h7! k2@w9@db.example.com:5432/shop"')).toBe(
      'DATABASE_URL="postgres://app:[password, masked]@db.example.com:5432/shop"',
    );
    for (const sample of [
      '"http://localhost:3000 or write to ada2@example.com/x"',
      '"redis://cache: it is at admin@host.example:1"',
      "postgres://app:h7 is not it, ask b1@db.example.com/shop",
    ])
      expect(mask(sample)).toBe(sample);
  });

  it("takes a value told with what it is of, and no plain words in its place", () => {
    expect(mask("The password for the router is Sommer2024!")).toBe(
      "The password for the router is [password, masked]",
    );
    expect(mask("The API key of the staging server is a8Kd93kLs02mXq81, keep it")).toBe(
      "The API key of the staging server is [secret, masked], keep it",
    );
    expect(mask("The token for the user password is hunter42")).toBe(
      "The token for the user password is [password, masked]",
    );
    expect(mask("Set the password to the router to hunter42 and it is fine")).toBe(
      "Set the password to the router to [password, masked] and it is fine",
    );
    expect(mask("Passwort: Tiger2024!, 密码：hunter42")).toBe(
      "Passwort: [password, masked], 密码：[password, masked]",
    );
    const plain = [
      "The password of the database is required in production.",
      "The secret of good code is simplicity. It is 2024 now.",
      "password for admin: rotate quarterly",
      "The password for prod: documentation says so",
      "The token for ci is the one from 2024-01-02",
      "the api key for openai is in OPENAI_API_KEY",
      "The password for staging is in the vault, item 42-b",
    ];
    for (const sample of plain) expect(mask(sample)).toBe(sample);
  });

  it("changes nothing the second time, keeps all other words, never throws", () => {
    const piece = fc.oneof(
      fc.constantFrom(...labelled.map(({ text }) => text)),
      fc.constantFrom(...innocent.slice(0, 100)),
      fc.string({ unit: anyCharacter, maxLength: 60 }),
      fc.constantFrom(
        "password: ",
        "token=",
        "://",
        "-----BEGIN PRIVATE KEY-----",
        "[password, masked]",
        "'",
        '"',
        "\n",
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const once = mask(pieces.join(" "));
        expect(mask(once)).toBe(once);
      }),
      { numRuns: runs(100) },
    );
  });
});

describe("errors and events", () => {
  it("quote no secret", async () => {
    const secret = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
    const { tidemark, events } = await openRoom({
      distil: () => Promise.reject(new Error(`401: token ${secret} is not valid`)),
      window: { tokens: 3_000, reserve: 300 },
    });
    await expect(tidemark.memory.update(secret, { content: "x" })).rejects.toThrow(
      /There is no memory .*masked/,
    );
    const update = await tidemark.memory
      .update(secret, { content: "x" })
      .catch((thrown: unknown) => String(thrown));
    expect(update).not.toContain(secret);
    await tidemark.memory.recall(`who has ${secret}?`);
    const messages = Array.from({ length: 12 }, (_, at) =>
      (at % 2 === 0 ? user : assistant)(`Message ${at}. ${"And so on and so forth. ".repeat(40)}`),
    );
    await tidemark.begin(requestOf([...messages, user("Go on.")]));
    await tidemark.idle();
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["recalled", "distil-failed"]),
    );
    expect(JSON.stringify(events)).not.toContain(secret);
  });
});

/** All files of a workspace but the verbatim history and the index of it. */
const files = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && !/\.db(?:-wal|-shm)?$/.test(file.name))
    .map((file) => readFileSync(join(file.parentPath, file.name), "utf8"))
    .join("\n");

describe("a secret that was said", () => {
  const secret = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";

  it("stands in no memory, file, journal, learning, summary or event; history keeps the caller's words", async () => {
    const room = await openRoom({
      window: { tokens: 4_000, reserve: 500 },
      distil: async () => ({
        text: JSON.stringify({
          facts: [
            {
              content: `The deploy token is ${secret}.`,
              category: "decision",
              key: `token ${secret}`,
              from: [1],
            },
          ],
          summary: `They deploy with ${secret}.`,
        }),
      }),
    });
    const messages = [
      user(`Please deploy with ${secret}.`),
      call("t1", "deploy", {}),
      {
        ...result("t1", ""),
        content: [
          {
            type: "tool_result",
            tool_use_id: "t1",
            is_error: true,
            content: `error: token ${secret} refused`,
          },
        ],
      },
      assistant("It was refused."),
      user(`No, that's wrong: use ${secret} again.`),
    ];
    for (let round = 0; round < 12; round += 1) {
      const turn = await room.tidemark.begin(requestOf(messages));
      const reply = assistant(`Done ${round}. ${"And so on and so forth. ".repeat(30)}`);
      await turn.end(asReply(reply));
      messages.push(reply, user(`Go on with ${round}. ${"There is more to do. ".repeat(20)}`));
      await room.tidemark.idle();
    }
    const saved = await room.tidemark.memory.save({
      content: `password: hunter2pass`,
      key: `k ${secret}`,
      tags: [`t ${secret}`],
    });
    await room.tidemark.memory.update(saved.id, {
      content: `Now the password is hunter3pass and ${secret}`,
    });
    expect(room.events.some(({ type }) => type === "folded")).toBe(true);
    expect(room.events.some((event) => kindOf(event) === "learned")).toBe(true);

    const said = JSON.stringify([
      await room.tidemark.memory.list(),
      await room.tidemark.memory.recall("deploy token"),
      room.events,
      files(join(room.file, "../..")),
    ]);
    expect(said).not.toContain(secret);
    expect(said).not.toMatch(/hunter[23]pass/);
    expect(said).toContain("masked]");
    const [conversation] = await room.tidemark.history.list();
    expect(
      JSON.stringify(await room.tidemark.history.read({ conversation: conversation?.id ?? "" })),
    ).toContain(secret);
    await room.reopen();
    const session = conversation?.id ?? "";
    const folds = await room.inspect((history) => history.folds({ session }));
    expect(folds.length).toBeGreaterThan(0);
    expect(folds.map(({ fold }) => fold.summary).join("\n")).toContain("They deploy with [");
    expect(JSON.stringify(folds)).not.toContain(secret);
  });
});
