import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { TidemarkEvent } from "../../src/core/errors-and-events.ts";
import type { Message } from "../../src/core/request.ts";
import type { Tidemark } from "../../src/session/options/tidemark-api.ts";
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
async function host(workspace: string): Promise<Host> {
  const { tidemark, events } = await open(workspace, { window: WINDOW });
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

async function archived(workspace: string): Promise<Message[]> {
  const { tidemark, events } = await open(workspace);
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

const GONE =
  /could not be written: the file was removed or replaced while it was open, [^.]*\. End what uses the workspace, then start again/;

describe("a database", () => {
  const kinds = Object.entries(HARM).map(
    ([name, harm], number) =>
      [name, number % 2 === 0 ? "between turns" : "within a turn", harm] as const,
  );
  it.each([...kinds, ["is removed", "within a turn", HARM["is removed"] ?? gone] as const])(
    "that %s while it is open, %s, takes no word and no fold any more, says so, and the next start has all that was said",
    async (_name, when, harm) => {
      const workspace = fresh();
      const { tidemark, events, messages, folds, talk } = await host(workspace);
      await talk(2);
      copyFileSync(at(workspace), at(workspace, ".before"));
      await talk(10);
      expect(folds()).toBeGreaterThan(0);
      if (when === "between turns") harm(workspace);
      await talk(1, () => void (when === "within a turn" && harm(workspace)));
      const before = folds();
      await talk(6);
      expect(folds()).toBe(before);
      expect(said(events)).toMatch(GONE);
      await expect(tidemark.memory.save("The tide turns at six.")).rejects.toThrow(GONE);
      await expect(tidemark.pin("Anything.")).rejects.toThrow(GONE);
      await tidemark.close();
      expect(existsSync(at(workspace, "-wal"))).toBe(false);
      const again = await host(workspace);
      again.messages.push(...messages);
      await again.talk(1);
      await again.tidemark.close();
      const kept = await archived(workspace);
      for (const message of again.messages) expect(kept).toContainEqual(message);
    },
  );

  it("in whose place something else stands is not looked for there, and that stays as it is", async () => {
    const workspace = fresh();
    const { tidemark, talk, events } = await host(workspace);
    await talk(3);
    gone(at(workspace));
    writeFileSync(at(workspace), "no database at all ".repeat(500));
    await talk(3);
    await tidemark.close();
    expect(said(events)).toMatch(GONE);
    expect(readFileSync(at(workspace), "utf8")).toBe("no database at all ".repeat(500));
  });
});
