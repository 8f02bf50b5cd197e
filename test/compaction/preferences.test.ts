import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openTidemark, type Identity, type Options, type Tidemark } from "../../src/index.ts";
import { asReply, assistant, play, requestOf, user } from "../support/talk.ts";
import { freshFolder } from "../support/workspace.ts";

const SHORT = "I prefer short answers without any greeting in Slack.";

function room(options: Partial<Options> = {}) {
  const workspace = join(freshFolder(), "ws");
  const page = (who = "scopes/user/ada"): string => {
    const at = join(workspace, who, "USER.md");
    return existsSync(at) ? readFileSync(at, "utf8") : "";
  };
  return {
    workspace,
    page,
    open: (identity: Identity = { user: "ada" }): Promise<Tidemark> =>
      openTidemark({ workspace, distil: "extractive", listen: false, identity, ...options }),
    write: (text: string): void =>
      writeFileSync(join(workspace, "scopes/user/ada", "USER.md"), text),
  };
}

/** A conversation, read when its process closes; answers what the model was sent last. */
async function talk(
  open: () => Promise<Tidemark>,
  said: readonly string[],
  look?: (tidemark: Tidemark) => Promise<void>,
): Promise<string> {
  const tidemark = await open();
  const { request } = await play(tidemark, { calls: said, reply: () => "I see, thank you." });
  await look?.(tidemark);
  await tidemark.close();
  return JSON.stringify(request);
}

const waiting = (page: string): string[] =>
  page.split("\n").filter((line) => line.startsWith("- [ ] "));

it("a preference stated in two conversations is proposed once on its user's page, and in no prompt until it is ticked", async () => {
  const { open, page, write, workspace } = room();
  await talk(open, [SHORT, "What is the time?", "And the day?"]);
  expect(waiting(page())).toEqual([]);
  write("Call me Ada.\n");
  await talk(open, ["Hello again.", SHORT, "Now the weather?"]);
  expect(page()).toMatch(/^Call me Ada\.\n\n## Preferences\n/);
  expect(waiting(page())).toEqual([
    expect.stringMatching(
      /^- \[ \] I prefer short answers without any greeting in Slack\. \(\d{4}-\d\d-\d\d\) <!-- \w+ -->$/,
    ),
  ]);
  const userPart = (sent: string): string =>
    /<tidemark-user>(.*?)<\/tidemark-user>/s.exec(sent)?.[1] ?? "";
  expect(userPart(await talk(open, ["What did I say?"]))).toBe("\\nCall me Ada.\\n");
  write(page().replace("- [ ]", "- [x]"));
  expect(userPart(await talk(open, ["What did I say then?"]))).toContain(
    "- I prefer short answers",
  );
  // Deleted, it is over, however often it is said.
  write("Call me Ada.\n");
  await talk(open, ["Once more.", SHORT, "Please."]);
  await talk(open, ["And once more.", SHORT, "Please."]);
  expect(page()).toBe("Call me Ada.\n");
  expect(
    readdirSync(join(workspace, ".tidemark/backups/scopes/user/ada/USER.md")).length,
  ).toBeGreaterThan(0);
});

it("is proposed when it is said twice in one conversation, or once to be remembered; other facts are not", async () => {
  const { open, page } = room();
  await talk(open, [
    "I live in Lisbon with two cats called Mau and Nero.",
    "Remember that I prefer metric units in every recipe.",
    "I prefer window seats on Lufthansa flights.",
    "What is for dinner?",
    "I prefer window seats on Lufthansa flights.",
    "I like jazz from the Blue Note label.",
    "Remember that my dentist is Dr. Moss in Porto.",
  ]);
  expect(
    waiting(page())
      .map((line) => line.replace(/^- \[ \] | \(.*$/g, ""))
      .sort(),
  ).toEqual([
    "I prefer window seats on Lufthansa flights.",
    "Remember that I prefer metric units in every recipe.",
  ]);
});

it("the host accepts and declines what waits, and each user has a page of their own", async () => {
  const { open, page } = room();
  const said = [
    "Remember that I prefer metric units in every recipe.",
    "Remember that I prefer tea from Assam at four.",
    "Well?",
  ];
  await talk(open, said, async (ada) => void (await ada.memory.list()));
  await talk(() => open({ user: "bob" }), ["Hello.", "How are you?", "Well."]);
  const ada = await open();
  const all = await ada.proposals.list();
  expect(all).toMatchObject([
    {
      kind: "preference",
      to: "user:ada",
      by: "agent:default",
      memory: { origin: "user", scope: "user:ada" },
    },
    { kind: "preference" },
  ]);
  const bob = ada.as({ user: "bob" });
  expect(await bob.proposals.list()).toEqual([]);
  await expect(bob.proposals.accept(all[0]!.id)).rejects.toMatchObject({ code: "not-found" });
  expect(await bob.proposals.decline(all[0]!.id)).toBe(false);
  expect(await ada.proposals.accept(all[0]!.id)).toMatchObject({ id: all[0]!.id });
  expect(await ada.proposals.decline(all[1]!.id)).toBe(true);
  expect(await ada.proposals.decline(all[1]!.id)).toBe(false);
  expect(await ada.proposals.list()).toEqual([]);
  expect(page().match(/- \[x\]/g)).toHaveLength(1);
  expect(waiting(page())).toEqual([]);
  expect(page("scopes/user/bob")).not.toMatch(/Preferences/);
  await ada.close();
});

it("one that was accepted outlives its memory, and one that waits does not", async () => {
  let now = Date.UTC(2026, 10, 24, 12);
  const { open, page } = room({ now: () => (now += 1) });
  await talk(open, [
    "Remember that I prefer metric units in every recipe.",
    "Remember that I prefer tea from Assam at four.",
    "Well?",
  ]);
  const ada = await open();
  const [units, tea] = await ada.proposals.list();
  await ada.proposals.accept(units!.id);
  for (const { memory } of [tea!, units!])
    await ada.memory.update(memory!.id, { until: now + 60_000 });
  now += 120_000;
  expect((await ada.tidy()).expired).toBeGreaterThanOrEqual(2);
  const lines = page()
    .split("\n")
    .filter((line) => line.startsWith("- ["));
  expect(lines).toEqual([expect.stringMatching(/^- \[x\] Remember that I prefer metric units/)]);
  await ada.close();
});

it("what is forgotten is gone from the page and its copies, waiting or accepted; secrets never came there", async () => {
  const SECRET =
    "sk-ant-" + "api03-Ab3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zAb3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA";
  const { open, page, workspace } = room();
  await talk(open, [
    "Remember that I prefer metric units in every recipe.",
    `Remember that I prefer the key ${SECRET} for tests.`,
    "Remember that I prefer tea from Assam at four.",
  ]);
  expect(page()).not.toContain("sk-ant");
  const ada = await open();
  const all = await ada.proposals.list();
  const tea = all.find(({ memory }) => memory?.content.includes("Assam"))!;
  const units = all.find(({ memory }) => memory?.content.includes("metric"))!;
  await ada.proposals.accept(tea.id);
  await ada.memory.forget(tea.id);
  await ada.memory.forget(units.id);
  expect(page()).not.toMatch(/Assam|metric/);
  const copies = join(workspace, ".tidemark/backups/scopes/user/ada/USER.md");
  for (const name of readdirSync(copies))
    expect(readFileSync(join(copies, name), "utf8")).not.toMatch(/Assam|metric/);
  expect(readFileSync(join(workspace, ".tidemark/preferences.json"), "utf8")).not.toMatch(
    /Assam|metric/,
  );
  await ada.close();
});

it("an agent that edits the block about its user can neither tick a preference nor change one", async () => {
  const { open, page } = room({ inject: "self-edit" });
  await talk(open, ["Remember that I prefer metric units in every recipe.", "Well?", "So."]);
  const ada = await open();
  const tool = (name: string) => ada.tools().find((one) => one.name === name)!;
  const before = page();
  for (const [old, text] of [
    ["- [ ]", "- [x]"],
    ["metric units", "imperial units"],
    ["Remember that", "Remember: - [x] that"],
  ])
    expect(await tool("core_memory_replace").run({ block: "user", old, text })).toMatch(
      /^Error: what the user prefers, and whether it holds, is the user's to change\.$/,
    );
  expect(page()).toBe(before);
  expect(await tool("core_memory_append").run({ block: "user", text: "Likes jazz." })).toMatch(
    /^Done/,
  );
  expect(page()).toBe(`${before.trimEnd()}\nLikes jazz.\n`);
  expect(await tool("core_memory_view").run({ block: "user" })).not.toContain("metric");
  await ada.close();
});

it("a model that reads the same words later takes nothing off the page, and proposes them no second time", async () => {
  const { open, page, write, workspace } = room();
  const filler = Array.from(
    { length: 14 },
    (_, at) => `Now what of ${"the weather there ".repeat(20)}${at}?`,
  );
  const said = ["Remember that I prefer metric units in every recipe.", ...filler];
  await talk(open, said);
  expect(waiting(page())).toHaveLength(1);
  write(page().replace("- [ ]", "- [x]"));
  const before = page();
  let asked = 0;
  const facts = [
    {
      content: "The user prefers metric units in every recipe.",
      category: "preference",
      importance: 0.9,
      from: [1],
    },
  ];
  let now = Date.now();
  const reads = (): Promise<Tidemark> =>
    openTidemark({
      workspace,
      listen: false,
      now: () => (now += 1_000),
      identity: { user: "ada" },
      distil: async () => {
        asked += 1;
        return {
          text: JSON.stringify({ facts, summary: "They spoke of recipes and the weather." }),
        };
      },
    });
  const messages = said.flatMap((text) => [user(text), assistant("I see, thank you.")]);
  for (const text of ["And then?", "And after that?"]) {
    now += 7_200_000;
    const ada = await reads();
    const turn = await ada.begin(requestOf([...messages, user(text)]) as never);
    await turn.end(asReply(assistant("I see, thank you.")));
    messages.splice(0);
    await ada.idle();
    await ada.close();
  }
  expect(asked).toBeGreaterThan(0);
  const known = await open();
  const contents = (await known.memory.list()).map(({ content }) => content);
  expect(contents).toContain("The user prefers metric units in every recipe.");
  await known.close();
  expect(page()).toBe(before);
});
