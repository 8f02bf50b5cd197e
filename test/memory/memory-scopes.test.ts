import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Identity } from "../../src/index.ts";
import { scopesOf, rightsOf } from "../../src/core/identity.ts";
import { freshFolder } from "../support/workspace.ts";
import { freshTidemark } from "../support/anthropic.ts";

const NOW = Date.UTC(2026, 7, 22, 12);
const open = async (identity: Identity, more = {}) =>
  (await freshTidemark({ identity, now: () => NOW, ...more })).tidemark;

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
  });

  it("is not without a role", async () => {
    const nobody = await open({ org: "acme" });
    await expect(nobody.memory.save({ content: "x", scope: "org:acme" })).rejects.toMatchObject({
      code: "scope-denied",
    });
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
    await human.idle();
    const told = readFileSync(join(root, "scopes/org/acme/memory/2026-08-22.md"), "utf8");
    expect(told.match(/(?<=\(by )\S+(?=\) <)/g)).toEqual([
      "human+agent:desk+user:ada+org:acme",
      "human+agent:desk+user:ada+org:acme",
    ]);
    await human.as({ role: "lead", user: "bob" }).memory.forget(id);
    await human.memory.save("private words");
    await human.close();
    const log = readFileSync(join(root, "scopes/org/acme/memory/2026-08-22.md"), "utf8");
    expect(log.match(/(?<=\(by )\S+(?=\) <)/g)).toEqual(["lead+agent:desk+user:bob+org:acme"]);
    expect(log).not.toContain("private words");
    const own = readFileSync(join(root, "scopes/agent/desk/memory/2026-08-22.md"), "utf8");
    expect(own).toContain("private words");
    expect(own).not.toContain("(by ");
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
});
