import {
  copyFileSync,
  cpSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { TidemarkEvent } from "../../src/core/errors-and-events.ts";
import type { Message } from "../../src/core/request.ts";
import type { Options, Tidemark } from "../../src/session/options/tidemark-api.ts";
import { fresh, open, said } from "../support/faults.ts";
import { asReply, assistant, requestOf, user } from "../support/talk.ts";

const LONG = "salted herring, barrels of tar and a coil of rope ".repeat(20);
const asked = (at: number): Message => user(`Question ${at}: what lies on quay ${at}? ${LONG}`);
const WINDOW = { tokens: 5_000, patience: 5_000 };

interface Host {
  readonly tidemark: Tidemark;
  readonly events: TidemarkEvent[];
  readonly messages: Message[];
  folds(): number;
  talk(turns: number, each?: (at: number) => void): Promise<void>;
}

/** A loop that passes all of its messages each time, as every host does. */
async function host(workspace: string, options: Partial<Options> = {}): Promise<Host> {
  const { tidemark, events } = await open(workspace, { window: WINDOW, ...options });
  const messages: Message[] = [];
  return {
    tidemark,
    events,
    messages,
    folds: () => events.filter(({ type }) => type === "folded").length,
    async talk(turns, each) {
      for (let turn = 0; turn < turns; turn += 1) {
        messages.push(asked(messages.length));
        const begun = await tidemark.begin(requestOf(messages), { conversation: "quay" });
        each?.(messages.length);
        const answer = assistant(`Answer ${messages.length}: ${LONG}`);
        await begun.end(asReply(answer));
        messages.push(answer);
        await tidemark.idle();
      }
    },
  };
}

async function archived(workspace: string, options: Partial<Options> = {}): Promise<Message[]> {
  const { tidemark, events } = await open(workspace, options);
  expect(said(events)).toBe("");
  const found: Message[] = [];
  for (const { id } of await tidemark.history.list())
    found.push(...(await tidemark.history.read({ conversation: id })).messages);
  await tidemark.close();
  return found;
}

const at = (workspace: string, end = ""): string => join(workspace, `.tidemark/tidemark.db${end}`);
const gone = (path: string): void => rmSync(path, { force: true });

const HARM: Readonly<Record<string, (workspace: string) => void>> = {
  "is removed": (workspace) => gone(at(workspace)),
  "is removed with its log": (workspace) =>
    ["", "-wal", "-shm"].forEach((end) => gone(at(workspace, end))),
  "is renamed": (workspace) => renameSync(at(workspace), at(workspace, ".away")),
  "is gone with its whole folder": (workspace) =>
    rmSync(join(workspace, ".tidemark"), { recursive: true }),
  "has a copy of before renamed over it": (workspace) =>
    renameSync(at(workspace, ".before"), at(workspace)),
  "has lost its log": (workspace) => gone(at(workspace, "-wal")),
};

describe("a history", () => {
  const kinds = Object.entries(HARM).map(
    ([name, harm], number) =>
      [name, number % 2 === 0 ? "between turns" : "within a turn", harm] as const,
  );
  it.each([...kinds, ["is removed", "within a turn", HARM["is removed"] ?? gone] as const])(
    "that %s while it is open, %s, loses no message that is said, and that is told once",
    async (_name, when, harm) => {
      const workspace = fresh();
      const { tidemark, events, messages, folds, talk } = await host(workspace);
      await talk(2);
      copyFileSync(at(workspace), at(workspace, ".before"));
      await talk(10);
      expect(folds()).toBeGreaterThan(0);
      const before = folds();
      if (when === "between turns") harm(workspace);
      const from = messages.length + 1;
      await talk(14, (now) => void (when === "within a turn" && now === from && harm(workspace)));
      expect(folds()).toBeGreaterThan(before + 1);
      // Its last fold speaks for what can be read.
      const last = events.findLast((event) => event.type === "folded");
      const covered =
        last?.type === "folded" ? (await tidemark.history.read({ fold: last.id })).messages : [];
      expect(covered).toEqual(messages.slice(0, covered.length));
      expect(covered.length).toBeGreaterThan(10);
      await tidemark.close();
      const told = events.filter(
        (event) =>
          event.type === "degraded" &&
          /was removed or replaced while it was open/.test(event.error),
      );
      expect(told).toHaveLength(1);
      const kept = await archived(workspace);
      for (const message of messages) expect(kept).toContainEqual(message);
    },
  );
});

describe("a history whose file another took the place of", () => {
  it("does not bring back what was forgotten, nor what nobody goes on with", async () => {
    const workspace = fresh();
    const { tidemark } = await open(workspace);
    for (const words of ["Secret of a day", "Stays"])
      await (
        await tidemark.begin(requestOf([user(words)]), { conversation: words })
      ).end(asReply(assistant("Heard")));
    await tidemark.history.forget({ conversation: "Secret of a day" });
    gone(at(workspace));
    await tidemark.pin("Anything.");
    expect(await tidemark.history.list()).toEqual([]);
    await tidemark.close();
    expect(readFileSync(at(workspace)).includes("Secret of a day")).toBe(false);
  });

  it("writes nothing to what is no database, folds nothing meanwhile, and goes on when that is gone", async () => {
    const workspace = fresh();
    const { tidemark, messages, folds, talk, events } = await host(workspace);
    await talk(3);
    gone(at(workspace));
    writeFileSync(at(workspace), "no database at all ".repeat(500));
    const before = folds();
    await talk(10);
    expect(folds()).toBe(before);
    expect(said(events)).toMatch(/not a database/);
    expect(readFileSync(at(workspace), "utf8")).toBe("no database at all ".repeat(500));
    gone(at(workspace));
    await talk(6);
    expect(folds()).toBeGreaterThan(before);
    await tidemark.close();
    expect(await archived(workspace)).toEqual(messages);
  });

  it("is told to each of two processes' views, and neither spoils the other's", async () => {
    const workspace = fresh();
    const [one, other] = [await host(workspace), await open(workspace)];
    await one.talk(3);
    const second = other.tidemark.as({ user: "ann" });
    await (
      await second.begin(requestOf([user("I am Ann.")]))
    ).end(asReply(assistant("Hello, Ann.")));
    gone(at(workspace));
    await one.talk(1);
    await (
      await second.begin(requestOf([user("I am Ann."), assistant("Hello, Ann."), user("Still.")]))
    ).end(asReply(assistant("Yes.")));
    await one.talk(1);
    await one.tidemark.close();
    await other.tidemark.close();
    expect(existsSync(at(workspace, "-wal"))).toBe(false);
    expect(await archived(workspace)).toEqual(one.messages);
    cpSync(workspace, `${workspace}-2`, { recursive: true });
    expect(await archived(`${workspace}-2`, { identity: { user: "ann" } })).toHaveLength(4);
  });
});
