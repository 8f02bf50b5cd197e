import fc from "fast-check";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseLogLine } from "../../src/workspace/log/daily-log.ts";
import { openTidemark, type Identity, type Tidemark } from "../../src/index.ts";
import { scopesOf } from "../../src/model/identity.ts";
import { rightsOf } from "../../src/model/rights.ts";
import { freshFolder } from "../support/workspace.ts";
import { runs } from "../support/runs.ts";

const NOW = Date.UTC(2026, 7, 22, 12);
const open = (identity: Identity, more = {}) =>
  openTidemark({ workspace: false, identity, now: () => NOW, ...more });

describe("an organisation's memory", () => {
  it("is written by people and leads, and read by all", async () => {
    const lead = await open({ agent: "a", org: "acme", role: "lead" });
    const policy = await lead.memory.save({
      content: "Invoices are paid within 30 days",
      scope: "org:acme",
      kind: "policy",
    });
    for (const role of ["human", "lead"] as const)
      expect(
        (await lead.as({ role }).memory.save({ content: `said by a ${role}`, scope: "org:acme" }))
          .scope,
      ).toBe("org:acme");
    for (const worker of [lead.as({ role: "worker" }), lead.as({ agent: "b", role: "worker" })]) {
      expect((await worker.memory.recall("invoices paid"))[0]?.id).toBe(policy.id);
      await expect(worker.memory.save({ content: "x", scope: "org:acme" })).rejects.toMatchObject({
        code: "scope-denied",
        message: expect.stringMatching(
          /reads org:acme but may not save to it.*role "human" or "lead".*or save to agent:[ab] instead\.$/,
        ),
      });
    }
    await lead.close();
  });

  it("is not without a role", async () => {
    const nobody = await open({ org: "acme" });
    await expect(nobody.memory.save({ content: "x", scope: "org:acme" })).rejects.toMatchObject({
      code: "scope-denied",
    });
    await nobody.close();
  });

  it("is neither changed nor forgotten by others, and is found unchanged", async () => {
    const human = await open({ org: "acme", role: "human" });
    const policy = await human.memory.save({
      content: "Invoices are paid within 30 days",
      scope: "org:acme",
      key: "invoices",
      source: "handbook",
    });
    const worker = human.as({ role: "worker" });
    await expect(
      worker.memory.update(policy.id, { content: "Invoices are never paid" }),
    ).rejects.toMatchObject({
      code: "scope-denied",
      message: expect.stringContaining("may not change it"),
    });
    await expect(worker.memory.update(policy.id, { importance: 0 })).rejects.toMatchObject({
      code: "scope-denied",
    });
    for (const target of [policy.id, { key: "invoices" }, { source: "handbook" }])
      await expect(worker.memory.forget(target)).rejects.toMatchObject({
        code: "scope-denied",
        message: expect.stringContaining("may not forget from it"),
      });
    expect(await human.memory.get(policy.id)).toEqual(policy);
    await human.close();
  });

  it("keeps every value it had when its writers change it: it only grows", async () => {
    let now = NOW;
    const human = await open({ org: "acme", role: "human" }, { now: () => now });
    await human.memory.save({
      content: "Invoices are paid within 30 days",
      scope: "org:acme",
      key: "invoices",
    });
    now += 1000;
    const second = await human.memory.save({
      content: "Invoices are paid within 14 days",
      scope: "org:acme",
      key: "invoices",
    });
    now += 1000;
    await human.memory.update(second.id, { content: "Invoices are paid within 7 days" });
    const then = async (asOf: number) =>
      (await human.memory.recall("when are invoices paid?", { asOf })).map(({ text }) => text);
    expect([await then(NOW), await then(NOW + 1000), await then(NOW + 2000)]).toEqual([
      ["Invoices are paid within 30 days"],
      ["Invoices are paid within 14 days"],
      ["Invoices are paid within 7 days"],
    ]);
    await human.close();
  });

  it("lets a worker forget its own of a source that the organisation uses too", async () => {
    const human = await open({ org: "acme", role: "human" });
    await human.memory.save({
      content: "policy of the house",
      scope: "org:acme",
      source: "handbook",
    });
    const worker = human.as({ role: "worker" });
    await worker.memory.save({ content: "my own notes", source: "handbook" });
    expect(await worker.memory.forget({ source: "handbook" })).toBe(1);
    expect((await worker.memory.list()).map(({ content }) => content)).toEqual([
      "policy of the house",
    ]);
    await human.close();
  });

  it("says in its daily log who did what", async () => {
    const root = join(freshFolder(), "ws");
    const human = await open(
      { agent: "desk", user: "ada", org: "acme", role: "human" },
      { workspace: root },
    );
    const { id } = await human.memory.save({
      content: "Invoices are paid within 30 days",
      scope: "org:acme",
    });
    await human.memory.update(id, { content: "Invoices are paid within 14 days" });
    await human.as({ role: "lead", user: "bob" }).memory.forget(id);
    await human.memory.save("private words");
    await human.close();
    const log = readFileSync(join(root, "scopes/org/acme/memory/2026-08-22.md"), "utf8");
    const lines = log
      .split("\n")
      .flatMap((line) => parseLogLine(line) ?? [])
      .filter((line) => line.id === id);
    expect(lines.map(({ author }) => author)).toEqual([
      "human+agent:desk+user:ada+org:acme",
      "human+agent:desk+user:ada+org:acme",
      "lead+agent:desk+user:bob+org:acme",
    ]);
    expect(log).not.toContain("private words");
    const own = readFileSync(join(root, "scopes/agent/desk/memory/2026-08-22.md"), "utf8");
    expect(own).toContain("private words");
    expect(own).not.toContain("author=");
  });
});

describe("a role", () => {
  it("decides about writing and nothing else", () => {
    const identity = { agent: "a", team: "t", project: "p", user: "u", org: "o" };
    expect(scopesOf(identity)).toEqual(["agent:a", "team:t", "project:p", "user:u", "org:o"]);
    expect(rightsOf(identity).where("change")).toEqual([
      "agent:a",
      "team:t",
      "project:p",
      "user:u",
    ]);
    for (const role of ["human", "lead"] as const)
      expect(rightsOf({ ...identity, role }).where("change")).toEqual(scopesOf(identity));
  });

  it("of one view is not the role of another with the same names", async () => {
    const lead = await open({ org: "acme", role: "lead" });
    const worker = lead.as({ role: "worker" });
    await lead.memory.save({ content: "one", scope: "org:acme" });
    await expect(worker.memory.save({ content: "two", scope: "org:acme" })).rejects.toMatchObject({
      code: "scope-denied",
    });
    await lead.as({}).memory.save({ content: "three", scope: "org:acme" });
    await lead.close();
  });
});

/** Two agents, two users, two projects, one organisation. */
const IDENTITIES: readonly Identity[] = [
  { agent: "one", user: "ada", project: "red", org: "acme", role: "worker" },
  { agent: "one", user: "bob", project: "blue", org: "acme", role: "human" },
  { agent: "two", user: "ada", project: "blue", org: "acme", role: "worker" },
  { agent: "two", user: "bob", project: "red", org: "acme", role: "lead" },
];
const SCOPES = [...new Set(IDENTITIES.flatMap(scopesOf))];
const WORDS = ["harbour", "lantern", "invoice", "violin"];

type Step =
  | { do: "save"; who: number; scope: number; word: string; keyed: boolean }
  | { do: "update"; who: number; which: number; word: string }
  | { do: "forget"; who: number; which: number }
  | { do: "recall"; who: number; word: string };
const word = fc.constantFrom(...WORDS);
const who = fc.nat(IDENTITIES.length - 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("save" as const),
      who,
      scope: fc.nat(9),
      word,
      keyed: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("update" as const), who, which: fc.nat(30), word }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("forget" as const), who, which: fc.nat(30) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("recall" as const), who, word }) },
);

/** A word that only memories of one scope hold. */
const secretOf = (scope: string): string => `secret${scope.replace(":", "")}`;

/** Plays the steps; where an identity may see or not, only steps that touch scopes of `visible` are played. */
async function play(steps: readonly Step[], visible?: ReadonlySet<string>) {
  const house = await open({});
  const views = IDENTITIES.map((identity) => house.as(identity));
  const made: { id: string; scope: string }[] = [];
  const said: string[] = [];
  for (const [at, given] of steps.entries()) {
    const view = views[given.who] as Tidemark;
    const identity = IDENTITIES[given.who] ?? {};
    const attempt = async (
      scope: string | undefined,
      work: () => Promise<unknown>,
    ): Promise<void> => {
      if (visible !== undefined && (scope === undefined || !visible.has(scope))) return;
      try {
        await work();
      } catch (error) {
        const own = new Set(scopesOf(identity));
        const message = (error as Error).message;
        for (const other of SCOPES.filter((name) => !own.has(name)))
          if (message.includes(secretOf(other)) || message.includes(other)) said.push(message);
      }
    };
    if (given.do === "save") {
      const scopes = scopesOf(identity);
      const scope = scopes[given.scope % scopes.length] ?? "agent:one";
      const entry = { id: "", scope };
      made.push(entry);
      await attempt(scope, async () => {
        entry.id = (
          await view.memory.save({
            content: `${given.word} ${secretOf(scope)} number ${at}`,
            scope,
            ...(given.keyed ? { key: given.word } : {}),
          })
        ).id;
      });
    } else if (given.do === "recall") {
      // Recalling touches all that is seen; it is played alike in both worlds only for who sees it all.
      if (visible === undefined || scopesOf(identity).every((scope) => visible.has(scope)))
        await view.memory.search(given.word, { in: ["memory"] });
    } else {
      const target = made[given.which % Math.max(1, made.length)];
      const seen = target !== undefined && scopesOf(identity).includes(target.scope as never);
      if (target === undefined || target.id === "") continue;
      if (!seen) {
        expect(await view.memory.get(target.id)).toBeUndefined();
        if (given.do === "forget") expect(await view.memory.forget(target.id)).toBe(0);
        else {
          const refused = await view.memory
            .update(target.id, { importance: 1 })
            .catch((error: unknown) => error as Error);
          expect((refused as Error).message).toBe(
            `There is no memory ${JSON.stringify(target.id)} to update.`,
          );
        }
        continue;
      }
      await attempt(target.scope, () =>
        given.do === "forget"
          ? view.memory.forget(target.id)
          : view.memory.update(target.id, {
              content: `${given.word} ${secretOf(target.scope)} again ${at}`,
            }),
      );
    }
  }
  return { house, views, made, said };
}

async function everything(view: Tidemark): Promise<unknown> {
  const hits = [];
  for (const query of [...WORDS, "number again", ...SCOPES.map(secretOf)])
    hits.push(
      (await view.memory.recall(query, { limit: 50, asOf: NOW + 1 })).map(
        ({ text, score, why }) => ({ text, score, why }),
      ),
    );
  return {
    hits,
    list: (await view.memory.list()).map(({ content, scope, version, category }) => ({
      content,
      scope,
      version,
      category,
    })),
    memories: (await view.stats()).memories,
  };
}

describe("what is out of scope", () => {
  it("shows in no result, count, score, category or error, whatever anybody does", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        // Uses of what two share are part of its score, so recalls are left to the test below.
        const silent = steps.filter((given) => given.do !== "recall");
        const world = await play(silent);
        expect(world.said).toEqual([]);
        for (const [at, view] of world.views.entries()) {
          const own = new Set<string>(scopesOf(IDENTITIES[at] ?? {}));
          const shown = await everything(view);
          for (const scope of SCOPES.filter((name) => !own.has(name)))
            expect(JSON.stringify(shown)).not.toContain(secretOf(scope));
          // The same world in which only what this identity sees ever happened.
          const alone = await play(silent, own);
          expect(shown).toEqual(await everything(alone.views[at] as Tidemark));
          await alone.house.close();
        }
        await world.house.close();
      }),
      { numRuns: runs(12) },
    );
  });

  it("is never counted as used by who cannot see it", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        const { house, views, made } = await play(steps);
        const before = await Promise.all(
          views.map(async (view) =>
            (await view.memory.list()).map(({ id, uses }) => [id, uses] as const),
          ),
        );
        await (views[0] as Tidemark).memory.recall(WORDS.join(" "), { limit: 50 });
        const own = new Set<string>(scopesOf(IDENTITIES[0] ?? {}));
        const hidden = new Set(made.filter(({ scope }) => !own.has(scope)).map(({ id }) => id));
        const after = await Promise.all(
          views.map(async (view) =>
            (await view.memory.list()).map(({ id, uses }) => [id, uses] as const),
          ),
        );
        for (const [at, list] of before.entries())
          for (const [id, uses] of list)
            if (hidden.has(id)) expect(after[at]?.find(([other]) => other === id)?.[1]).toBe(uses);
        await house.close();
      }),
      { numRuns: runs(7) },
    );
  });
});
