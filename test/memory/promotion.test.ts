import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Identity, Options, Tidemark } from "../../src/index.ts";
import { freshFolder } from "../support/workspace.ts";
import { freshTidemark } from "../support/anthropic.ts";

const START = Date.UTC(2026, 10, 24, 12);
const WORKER: Identity = { agent: "w", team: "crew", user: "ada" };

/** A worker, its colleague and its lead, with a clock to turn. */
async function crew(options: Options = {}) {
  const clock = { now: START };
  const now = () => clock.now;
  const rules = { embed: false, distil: "extractive", now, ...options } as const;
  const { tidemark: house } = await freshTidemark(rules);
  const views = {
    worker: house.as(WORKER),
    other: house.as({ agent: "o", team: "crew" }),
    lead: house.as({ agent: "boss", team: "crew", role: "lead" }),
  };
  return { house, clock, ...views };
}
const contents = async (view: Tidemark, asOf?: number): Promise<string[]> =>
  (await view.memory.recall("blue door harbour", { asOf })).map(({ content }) => content);
const refused = (code: string, words: RegExp) => ({ code, message: expect.stringMatching(words) });

describe("promoting a memory", () => {
  it("moves it at once to a scope of the agent's own, with its id, origin, key, end and uses", async () => {
    const { house, worker, clock } = await crew();
    const until = START + 5_000;
    const scope = "agent:w";
    const given = { content: "The blue door sticks", key: "door", until, scope };
    const saved = await worker.memory.save(given);
    await worker.memory.get(saved.id, { use: true });
    clock.now += 1_000;
    const moved = await worker.memory.promote(saved.id, { to: "user:ada" });
    expect(moved).toMatchObject({
      ...saved,
      scope: "user:ada",
      version: 2,
      updatedAt: clock.now,
      uses: 1,
    });
    expect(moved.expiresAt).toBe(until);
    expect("proposal" in moved).toBe(false);
    expect(await contents(house.as({ agent: "w" }))).toEqual([]);
    expect(await contents(house.as({ agent: "x", user: "ada" }))).toEqual(["The blue door sticks"]);
    clock.now = until;
    expect(await contents(worker)).toEqual([]);
  });

  it("still finds it where it was for those who ask what held before", async () => {
    const { house, worker, other, clock } = await crew();
    const { id } = await worker.memory.save("The blue door sticks");
    clock.now += 1_000;
    await worker.as({ role: "human" }).memory.promote(id, { to: "team:crew" });
    expect([await contents(other), await contents(other, START)]).toEqual([
      ["The blue door sticks"],
      [],
    ]);
    const alone = house.as({ user: "ada", team: "elsewhere" });
    expect([await contents(alone), await contents(alone, START)]).toEqual([
      [],
      ["The blue door sticks"],
    ]);
  });

  it("waits for a lead or a person where an agent would share with its team", async () => {
    const { worker, other, lead, clock } = await crew();
    const { id } = await worker.memory.save("The blue door sticks");
    const waits = await worker.memory.promote(id, { to: "team:crew" });
    expect(waits).toMatchObject({ id, scope: "user:ada" });
    const proposal = waits.proposal!;
    expect((await worker.memory.promote(id, { to: "team:crew" })).proposal).toBe(proposal);
    expect(await contents(other)).toEqual([]);
    expect([await other.proposals.list(), (await worker.proposals.list()).length]).toEqual([[], 1]);
    await expect(worker.proposals.accept(proposal)).rejects.toMatchObject(
      refused("scope-denied", /^What is proposed for team:crew is accepted by a lead or a person/),
    );
    for (const name of [proposal, "nothing"])
      await expect(other.proposals.accept(name)).rejects.toMatchObject(
        refused("not-found", /^There is no proposal/),
      );
    expect(await other.proposals.decline(proposal)).toBe(false);
    expect(await lead.proposals.list()).toMatchObject([
      {
        id: proposal,
        kind: "promotion",
        to: "team:crew",
        by: "agent:w",
        at: START,
        memory: { id, content: "The blue door sticks" },
      },
    ]);
    clock.now += 1_000;
    expect(await lead.proposals.accept(proposal)).toMatchObject({
      id,
      scope: "team:crew",
      origin: "host",
    });
    expect([await contents(other), await lead.proposals.list()]).toEqual([
      ["The blue door sticks"],
      [],
    ]);
  });

  it("does not happen where it was declined or where the memory is forgotten", async () => {
    const { worker, other, lead } = await crew();
    const { id } = await worker.memory.save("The blue door sticks");
    const { proposal: first } = await worker.memory.promote(id, { to: "team:crew" });
    expect([await lead.proposals.decline(first!), await lead.proposals.decline(first!)]).toEqual([
      true,
      false,
    ]);
    const { proposal: second } = await worker.memory.promote(id, { to: "team:crew" });
    await worker.memory.forget(id);
    expect(await lead.proposals.list()).toEqual([]);
    await expect(lead.proposals.accept(second!)).rejects.toMatchObject({ code: "not-found" });
    expect(await contents(other)).toEqual([]);
  });

  it("refuses in one sentence what is not there, not its own, out of reach, or there already", async () => {
    const { worker, other, lead } = await crew();
    const own = await worker.memory.save({ content: "The blue door sticks", key: "door" });
    const promote = (view: Tidemark, id: string, to: unknown) =>
      view.memory.promote(id, { to: to as "team:crew" }).catch((thrown: Error) => thrown.message);
    expect([
      await promote(other, own.id, "team:crew"),
      await promote(other, "nothing", "team:crew"),
    ]).toEqual([
      `There is no memory "${own.id}" to promote.`,
      'There is no memory "nothing" to promote.',
    ]);
    for (const scope of ["team:other", "agent:nobody"])
      expect(await promote(worker, own.id, scope)).toMatch(
        new RegExp(
          `^This identity may not propose for the scope "${scope}"; it may do so in team:crew\\.$`,
        ),
      );
    expect(await promote(worker, own.id, 7)).toMatch(/^scope must be one of/);
    await lead.memory.save({ content: "The door is green", key: "door", scope: "team:crew" });
    expect(await promote(worker, own.id, "team:crew")).toMatch(
      /^team:crew holds another value under the key "door", as memory \w+: update or forget that one/,
    );
    const bare = await worker.memory.save("Green doors are locked");
    await lead.memory.save({ content: "green doors are locked", scope: "team:crew" });
    expect(await promote(worker, bare.id, "team:crew")).toMatch(/^team:crew says this already/);
  });

  it("is forgotten everywhere it has been, in files and index, and comes back with no rebuild", async () => {
    const root = join(freshFolder(), "ws");
    const { house, worker, lead, clock } = await crew({
      workspace: root,
    });
    const { id } = await worker.memory.save("The zwiebel door sticks");
    clock.now += 1_000;
    await worker.as({ role: "human" }).memory.promote(id, { to: "team:crew" });
    expect(await house.as({ agent: "w", team: "elsewhere" }).memory.forget(id)).toBe(0);
    expect(await house.as({ agent: "w", team: "elsewhere" }).memory.undo(id)).toBeUndefined();
    expect(await lead.memory.forget(id)).toBe(1);
    await house.close();
    for (const scope of ["agent/w", "team/crew"])
      for (const file of ["memory/2026-11-24.md", "MEMORY.md"]) {
        const path = join(root, "scopes", scope, file);
        expect(existsSync(path) ? readFileSync(path, "utf8") : "", path).not.toContain("zwiebel");
      }
  });
});

describe("a lead's word", () => {
  const systemOf = async (view: Tidemark): Promise<string> =>
    JSON.stringify(
      (
        await view.begin({
          model: "claude-sonnet-5-5",
          max_tokens: 10,
          system: "Be brief.",
          messages: [{ role: "user", content: "Hello" }],
        })
      ).request.system,
    );

  it("reaches exactly its target, marked, first in its next epoch, whatever was saved there before", async () => {
    const { worker, other, lead } = await crew();
    await worker.memory.list();
    await other.memory.list();
    for (let at = 0; at < 60; at += 1)
      await worker.memory.save({
        content: `House rule number ${at} speaks of the harbour at length`,
        importance: 1,
      });
    const given = await lead.memory.inject({
      to: "agent:w",
      content: "Ask before you touch the blue door",
      category: "best-practice",
    });
    expect(given).toMatchObject({
      scope: "agent:w",
      source: "lead",
      origin: "host",
      category: "best-practice",
    });
    const text = await systemOf(worker);
    expect(text).toContain("<tidemark-lead>\\n- Ask before you touch the blue door (");
    expect([await systemOf(other), await systemOf(lead)].join()).not.toContain("blue door");
  });

  it("is a lead's to give and no other's, to agents of its team alone", async () => {
    const { house, worker, lead } = await crew();
    await worker.memory.list();
    await house.as({ agent: "s", team: "strangers" }).memory.list();
    const inject = (view: Tidemark, to: string, content: unknown = "x") =>
      view.memory
        .inject({ to: to as "agent:w", content: content as string, category: "preference" })
        .then(
          () => "given",
          (thrown: Error) => thrown.message.replaceAll(to, "TARGET"),
        );
    const told = await inject(lead, "agent:s");
    expect(told).toBe(await inject(lead, "agent:nobody"));
    expect(told).toBe(
      'This identity may not inject into the scope "TARGET"; it may do so in agent:boss and team:crew.',
    );
    expect(await inject(worker, "team:crew")).toMatch(
      /^This identity reads TARGET but may not inject into it: that takes the role "lead"\./,
    );
    await expect(worker.memory.save({ content: "x", source: "lead" })).rejects.toMatchObject(
      refused("config", /only memory\.inject gives it/),
    );
    expect(await inject(lead, "team:crew")).toBe("given");
    const word = { to: "team:crew", content: "y", category: "gossip" } as const;
    await expect(lead.memory.inject(word)).rejects.toMatchObject(
      refused("config", /"category" must be "mistake-pattern" or .*, got "gossip"/),
    );
  });
});

describe("an end", () => {
  it("is kept whatever is said of the memory again, until another is given", async () => {
    const { worker, clock } = await crew();
    const until = START + 10_000;
    const { id } = await worker.memory.save({
      content: "The harbour is closed",
      category: "incident",
      until,
    });
    clock.now += 1_000;
    await worker.memory.save("The harbour is closed");
    expect((await worker.memory.get(id))?.expiresAt).toBe(until);
    expect((await worker.memory.update(id, { content: "The harbour is shut" })).expiresAt).toBe(
      until,
    );
    const later = new Date(START + 20_000).toISOString();
    expect((await worker.memory.update(id, { until: later })).expiresAt).toBe(START + 20_000);
    clock.now = START + 20_000;
    expect(await worker.memory.list()).toEqual([]);
  });
});
