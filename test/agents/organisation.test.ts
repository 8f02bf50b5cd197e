import { describe, expect, it } from "vitest";
import type { Identity, Options, TidemarkEvent } from "../../src/index.ts";
import { openTidemark } from "../../src/index.ts";
import { freshFolder } from "../support/anthropic.ts";
import { runs } from "../support/runs.ts";
import { play } from "../support/talk.ts";

const ORG = { org: "acme" };

async function company(options: Options = {}) {
  const events: TidemarkEvent[] = [];
  const tidemark = await openTidemark({
    workspace: freshFolder(),
    listen: (event) => void events.push(event),
    ...options,
  });
  const as = (identity: Partial<Identity>) => tidemark.as({ ...ORG, ...identity });
  const human = as({ role: "human" });
  const policy = (content: string) =>
    human.org.write({ category: "core_policy", content, author: "ada" });
  return { tidemark, as, human, policy, events };
}

const systemOf = (request: object): string => JSON.stringify(Reflect.get(request, "system") ?? "");

describe("core policies", () => {
  it("stand first in every agent's system text, word for word, in whatever way memory enters it", async () => {
    for (const inject of ["context", "tools", "self-edit"] as const) {
      const { tidemark, as, policy } = await company({ inject });
      await as({ agent: "a1" }).workspace.write("SOUL.md", "I am calm.", "agent:a1");
      await policy("Card numbers never stand in a chat. <b>Not even masked.</b>");
      await policy("Refunds above 500 euro wait for a person.");
      for (const agent of ["a1", "a2"]) {
        const turn = await as({ agent }).begin({
          model: "claude-sonnet-5-5",
          max_tokens: 100,
          messages: [{ role: "user", content: "Hello there" }],
        });
        const system = systemOf(turn.request);
        expect(turn.injected[0]?.section).toBe("rules");
        expect(system).toContain("Card numbers never stand in a chat. <b>Not even masked.</b>");
        expect(system).toContain("Refunds above 500 euro wait for a person.");
      }
      await tidemark.close();
    }
  });

  it("stand byte for byte in every request of every agent, ten folds each", async () => {
    const { tidemark, as, policy } = await company({
      ...{
        workspace: false,
        distil: "extractive",
        recall: false,
        window: { tokens: 3_000, keepLast: 1 },
      },
    });
    const policies = ['No card numbers in chats. <b>None</b>\t&amp; no "CVC".', "Refunds wait."];
    for (const content of policies) await policy(content);
    const text = "We go on with the next shelf of the cellar now. ".repeat(100);
    // TIDEMARK_RUNS=4 plays 240 agents.
    for (let agent = 0; agent < runs(60); agent += 1) {
      let folds = 0;
      await play(as({ agent: `a${agent}` }), {
        calls: (call) => `${call} ${text}`,
        until: ({ request, folded }) => {
          const said = JSON.stringify(request);
          for (const content of policies)
            expect(said).toContain(JSON.stringify(content).slice(1, -1));
          folds += folded ? 1 : 0;
          return folds === 10;
        },
      });
      expect(folds).toBe(10);
    }
    await tidemark.close();
  }, 60_000);

  it("are ten at most, of 2,000 characters: one more is refused with the list", async () => {
    const { human, policy } = await company();
    for (let at = 0; at < 10; at += 1) await policy(`Rule ${at}: nobody pushes on day ${at}.`);
    await expect(policy("An eleventh rule.")).rejects.toThrow(
      /has 10 core policies.*Rule 0: nobody pushes[\s\S]*Rule 9/s,
    );
    const [first] = await human.org.policies();
    await expect(
      human.memory.update(first?.id ?? "", { content: "x".repeat(2_001) }),
    ).rejects.toThrow(/2000 characters at most, got 2001/);
    expect(await human.org.retract(first?.id ?? "")).toBe(true);
    await policy("An eleventh rule.");
    expect(await human.org.policies()).toHaveLength(10);
  });

  it("that may contradict both stay, and it is told without their words", async () => {
    const { policy, human, events } = await company();
    await policy("The office closes at 18:00.");
    await policy("The office closes at 20:00.");
    expect(await human.org.policies()).toHaveLength(2);
    const told = events.find(
      (event) => event.type === "notice" && event.about === "policies-differ",
    );
    expect(told).toBeDefined();
    expect(JSON.stringify(told)).not.toContain("office");
  });
});

describe("who may write what the organisation keeps", () => {
  it("is said by role and category, whichever door is tried", async () => {
    const { as, human, policy } = await company();
    const rule = await policy("Invoices are in euro.");
    const lead = as({ role: "lead", agent: "boss" });
    const senior = as({ role: "senior", agent: "s1" });
    const worker = as({ agent: "w1" });
    const core = { content: "Invoices are in francs.", category: "core_policy" };
    const tries: (() => Promise<unknown>)[] = [];
    for (const one of [lead, senior, worker]) {
      const save = one.tools().find(({ name }) => name === "memory_save");
      tries.push(
        () => one.org.write({ ...core, category: "core_policy", author: "eve" }),
        () => one.memory.save({ ...core, kind: "policy", scope: "org:acme" }),
        () => one.memory.save({ ...core, key: "invoices", scope: "org:acme" }),
        () => one.memory.update(rule.id, { content: core.content }),
        () => one.memory.update(rule.id, { category: "general" }),
        () => one.memory.promote(rule.id, { to: "agent:w1" }),
        () => one.memory.forget(rule.id),
        () => one.memory.end(rule.id),
        () => one.org.retract(rule.id, { author: "eve" }),
        async () => {
          const told = await save?.run({ ...core, scope: "org:acme" });
          if (told?.startsWith("Error") !== false) throw new Error(told);
        },
      );
    }
    for (const attempt of tries) await expect(attempt()).rejects.toThrow();
    const house = await human.memory.save({
      content: "Offices close at six.",
      scope: "org:acme",
    });
    for (const one of [senior, worker])
      await expect(one.org.retract(house.id)).rejects.toMatchObject({ code: "scope-denied" });
    const moved = await lead.memory.save({ ...core, kind: "policy" });
    await expect(lead.memory.promote(moved.id, { to: "org:acme" })).rejects.toMatchObject({
      code: "scope-denied",
    });
    expect(await human.org.policies()).toMatchObject([{ id: rule.id, version: 1 }]);
  });

  it("is any word the option names; a role that none names is refused in one sentence", async () => {
    const { as } = await company({ writers: { adr: ["architect"] } });
    const adr = { category: "adr", content: "We use PostgreSQL.", author: "grace" } as const;
    await as({ role: "architect" }).org.write(adr);
    await expect(as({ role: "senior" }).org.write(adr)).rejects.toThrow(
      'Only architect may write adr of org:acme; the role of this identity is "senior".',
    );
    await expect(as({}).org.write(adr)).rejects.toThrow(/role of this identity is "worker"/);
    await expect(
      as({ role: "human" }).org.write({ ...adr, category: "gossip" as "adr" }),
    ).rejects.toThrow(/category/);
    await expect(
      openTidemark({ workspace: false }).then((one) => one.org.policies()),
    ).rejects.toThrow("This identity has no organisation");
  });
});

describe("what was written", () => {
  it("is found by a question, names its author, and is audited with what became of it", async () => {
    let now = Date.parse("2026-03-01T09:00:00Z");
    const { as, human } = await company({ now: () => now });
    const architect = as({ role: "senior", agent: "arch" });
    const first = await architect.org.write({
      category: "adr",
      content: "APIs are versioned in the path.",
      author: "grace",
      reason: "Clients cannot set headers.",
      key: "api-versions",
    });
    now += 86_400_000;
    await architect.org.write({
      category: "adr",
      content: "APIs are versioned by a header.",
      author: "ada",
      key: "api-versions",
    });
    const [hit] = await as({ agent: "other" }).org.query("how are APIs versioned?");
    expect(hit?.text).toBe("APIs are versioned by a header.");
    expect(hit?.memory?.tags).toContain("author:ada");
    now += 86_400_000;
    expect(await human.org.retract(first.id, { author: "bob", reason: "No APIs any more." })).toBe(
      true,
    );
    expect(await human.org.retract("nothing")).toBe(false);
    const lines = await human.org.audit();
    expect(lines.map(({ did, author, reason }) => [did, author, reason])).toEqual([
      ["wrote", "grace", "Clients cannot set headers."],
      ["changed", "ada", undefined],
      ["retracted", "bob", "No APIs any more."],
    ]);
    expect(lines.map(({ content }) => content)[0]).toBe("APIs are versioned in the path.");
    expect(await human.org.audit({ by: "ada" })).toHaveLength(1);
    expect(await human.org.audit({ since: now })).toMatchObject([{ did: "retracted" }]);
    expect(await human.org.audit({ scope: "org:other" })).toEqual([]);
    expect(await as({ agent: "other" }).org.query("how are APIs versioned?")).toEqual([]);
  });
});
