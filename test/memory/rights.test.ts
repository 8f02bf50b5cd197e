import fc from "fast-check";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Identity, Tidemark } from "../../src/index.ts";
import { scopesOf, type Scope, type Act, rightsOf } from "../../src/core/identity.ts";
import { freshFolder, noteIn } from "../support/workspace.ts";
import { runs } from "../support/runs.ts";
import { freshTidemark } from "../support/anthropic.ts";

const NOW = Date.UTC(2026, 10, 24, 12);
const ALL: Identity = { agent: "a", team: "t", project: "p", user: "u", org: "o" };
const ACTS = ["add", "change", "forget", "promote", "propose", "inject", "decide"] as const;
const ROLES = ["worker", "lead", "human"] as const;
const contents = async (view: Tidemark): Promise<string[]> =>
  (await view.memory.list()).map(({ content }) => content).sort();

describe("the table of rights", () => {
  it("says for each role what may be done in scopes of its own and in another agent's of its team", () => {
    const told = Object.fromEntries(
      ROLES.map((role) => {
        const rights = rightsOf({ ...ALL, role }, { seen: ["a", "b"] });
        const scopes: Scope[] = [...scopesOf(ALL), "agent:b", "agent:c", "user:v"];
        return [
          role,
          scopes.map(
            (scope) => `${scope} ${ACTS.filter((act) => rights.may(act, scope)).join(" ")}`,
          ),
        ];
      }),
    );
    expect(told).toMatchInlineSnapshot(`
      {
        "human": [
          "agent:a add change forget promote decide",
          "team:t add change forget promote decide",
          "project:p add change forget promote decide",
          "user:u add change forget promote decide",
          "org:o add change forget promote decide",
          "agent:b ",
          "agent:c ",
          "user:v ",
        ],
        "lead": [
          "agent:a add change forget promote inject decide",
          "team:t add change forget promote inject decide",
          "project:p add change forget promote inject decide",
          "user:u add change forget promote inject decide",
          "org:o add change forget promote inject decide",
          "agent:b add promote inject",
          "agent:c ",
          "user:v ",
        ],
        "worker": [
          "agent:a add change forget promote",
          "team:t add change forget propose",
          "project:p add change forget propose",
          "user:u add change forget promote",
          "org:o ",
          "agent:b ",
          "agent:c ",
          "user:v ",
        ],
      }
    `);
  });

  it("leaves what all users of an agent share out of the reach of tools made for one of them", () => {
    for (const role of ["worker", "human"] as const) {
      const may = (identity: Identity) => rightsOf({ ...identity, role }, { byTools: true });
      expect(may(ALL).where("add")).toEqual(["team:t", "project:p", "user:u"]);
      expect(may({ agent: "a", team: "t" }).where("change")).toEqual(["agent:a", "team:t"]);
      expect(may(ALL).where("decide")).toEqual([]);
    }
  });

  it("gives nobody anything in a scope that is neither its own nor an agent's of its team, by any role", () => {
    const id = fc.option(fc.constantFrom("x", "y", "z"), { nil: undefined });
    fc.assert(
      fc.property(
        fc.record({ agent: id, team: id, project: id, user: fc.constant("x"), org: id }),
        fc.constantFrom(...ROLES),
        fc.array(fc.constantFrom<string>("x", "y", "z")),
        fc.constantFrom("agent", "team", "project", "user", "org"),
        fc.constantFrom("x", "y", "z", "default"),
        (identity, role, seen, kind, name) => {
          const scope = `${kind}:${name}` as Scope;
          const rights = rightsOf({ ...identity, role }, { seen });
          const own = scopesOf(identity).includes(scope);
          const may = ACTS.filter((act) => rights.may(act, scope));
          if (own) return;
          const theirs: Act[] = ["add", "promote", "inject"];
          expect(may).toEqual(
            role === "lead" && kind === "agent" && seen.includes(name) ? theirs : [],
          );
        },
      ),
      { numRuns: runs(200) },
    );
  });
});

describe("a lead", () => {
  const team = async (workspace: string | false = false) => {
    const identity = { agent: "boss", team: "crew", role: "lead" } as const;
    const { tidemark: house } = await freshTidemark({ workspace, identity, now: () => NOW });
    const worker = house.as({ agent: "w", role: "worker" });
    return { house, worker };
  };

  it("changes nothing of what an agent has: no key, no word, no forgetting, and learns nothing of it", async () => {
    const { house, worker } = await team();
    const own = await worker.memory.save({
      content: "The key is in the drawer",
      key: "place",
      importance: 0.4,
    });
    const again = await house.memory.save({
      content: "The key is in the drawer",
      scope: "agent:w",
    });
    const other = await house.memory.save({
      content: "The key is lost",
      key: "place",
      scope: "agent:w",
    });
    expect(again).toMatchObject({ version: 1, uses: 0, importance: 0.5 });
    expect(again.id).not.toBe(own.id);
    expect(other.key).toBeUndefined();
    expect(await contents(worker)).toEqual(["The key is in the drawer", "The key is lost"]);
    expect((await worker.memory.get(own.id))?.content).toBe("The key is in the drawer");
    for (const id of [own.id, other.id]) {
      expect(await house.memory.forget(id)).toBe(0);
      await expect(house.memory.update(id, { content: "x" })).rejects.toMatchObject({
        code: "not-found",
      });
    }
  });

  it("is told the same of an agent of another team and of one that was never there", async () => {
    const { house, worker } = await team();
    const stranger = house.as({ agent: "stranger", team: "others", role: "worker" });
    await stranger.memory.save("private");
    await worker.memory.list();
    const refusal = async (scope: string) =>
      house.memory
        .save({ content: "x", scope })
        .catch((thrown: Error) => thrown.message.replaceAll(scope, "SCOPE"));
    const told = await refusal("agent:stranger");
    expect(told).toBe(await refusal("agent:nobody"));
    expect(told).toBe(await refusal("user:bob"));
    expect(told).toBe(
      'This identity may not save to the scope "SCOPE"; it may do so in agent:boss and team:crew.',
    );
    await expect(worker.memory.save({ content: "x", scope: "agent:boss" })).rejects.toMatchObject({
      code: "scope-denied",
    });
  });

  it("knows the agents of earlier processes, and its word stands in their log under its name", async () => {
    const root = join(freshFolder(), "ws");
    const first = await team(root);
    await first.worker.memory.list();
    await first.house.close();
    const { house } = await team(root);
    await house.memory.save({ content: "Deploy on Mondays only", scope: "agent:w" });
    await house.close();
    expect(readFileSync(join(root, "scopes/agent/w/memory/2026-11-24.md"), "utf8")).toContain(
      "lead+agent:boss+team:crew",
    );
    expect(readFileSync(join(root, "scopes/agent/w/MEMORY.md"), "utf8")).toContain(
      "Deploy on Mondays only",
    );
    expect(JSON.parse((await noteIn(root, "agents")) ?? "")).toEqual([
      { agent: "boss", team: "crew" },
      { agent: "w", team: "crew" },
    ]);
  });
});
