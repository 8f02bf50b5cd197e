import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Identity, Options, Tidemark } from "../../src/index.ts";
import { freshFolder, noteIn } from "../support/workspace.ts";
import { freshTidemark } from "../support/anthropic.ts";

const WORKER: Identity = { agent: "w", team: "crew", user: "ada", project: "red" };

async function crew(options: Options = {}) {
  const rules = { embed: false, distil: "extractive", ...options } as const;
  const { tidemark: house } = await freshTidemark(rules);
  return {
    house,
    worker: house.as(WORKER),
    other: house.as({ agent: "o", team: "crew" }),
    lead: house.as({ agent: "boss", team: "crew", role: "lead" }),
  };
}
const names = async (view: Tidemark): Promise<string[]> =>
  (await view.notes.list()).map(({ scope, name }) => `${scope} ${name}`).sort();
const refused = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "done",
    (thrown: Error & { code?: string }) => `${thrown.code}: ${thrown.message}`,
  );

describe("promoting a note", () => {
  it("moves it at once to a scope of the agent's own, where its new readers find it", async () => {
    const { worker, other } = await crew();
    await worker.notes.write("doors/blue.md", "The blue door sticks in winter.");
    expect(
      await worker.as({ role: "human" }).notes.promote("doors/blue.md", { to: "team:crew" }),
    ).toMatchObject({
      name: "doors/blue.md",
      scope: "team:crew",
      bytes: 31,
    });
    expect([await names(worker), await names(other)]).toEqual([
      ["team:crew doors/blue.md"],
      ["team:crew doors/blue.md"],
    ]);
    expect((await other.memory.search("blue door", { in: ["files"] }))[0]?.text).toContain(
      "sticks",
    );
    expect(await worker.notes.read("doors/blue.md")).toBeUndefined();
    const back = { scope: "team:crew", to: "user:ada" } as const;
    expect(await worker.as({ role: "human" }).notes.promote("doors/blue.md", back)).toMatchObject({
      scope: "user:ada",
    });
    expect(await names(other)).toEqual([]);
  });

  it("waits for a lead or a person where an agent would share with its team, once", async () => {
    const { worker, other, lead } = await crew();
    await worker.notes.write("blue.md", "The blue door sticks.");
    const { proposal, scope } = await worker.notes.promote("blue.md", { to: "team:crew" });
    expect(scope).toBe("user:ada");
    expect((await worker.notes.promote("blue.md", { to: "team:crew" })).proposal).toBe(proposal);
    expect([await names(other), await other.proposals.list()]).toEqual([[], []]);
    expect(await lead.proposals.list()).toMatchObject([
      {
        id: proposal,
        kind: "note",
        to: "team:crew",
        by: "agent:w",
        note: { name: "blue.md", scope: "user:ada", text: "The blue door sticks." },
      },
    ]);
    expect(await refused(worker.proposals.accept(proposal!))).toMatch(/^scope-denied: /);
    expect(await refused(other.proposals.accept(proposal!))).toMatch(/^not-found: /);
    await worker.notes.write("blue.md", "The blue door opens.");
    expect(await refused(lead.proposals.accept(proposal!))).toMatch(/^conflict: .*blue door opens/);
    const [shown] = await lead.proposals.list();
    expect(await lead.proposals.accept(proposal!, shown)).toMatchObject({ scope: "team:crew" });
    expect([await names(other), await lead.proposals.list()]).toEqual([["team:crew blue.md"], []]);
  });

  it("does not happen where it was declined or the note is gone, of which no name is left", async () => {
    const root = join(freshFolder(), "ws");
    const { worker, lead, other } = await crew({ workspace: root });
    const read = () => noteIn(root, "proposals");
    await worker.notes.write("zwiebel.md", "x");
    const first = await worker.notes.promote("zwiebel.md", { to: "team:crew" });
    expect(await lead.proposals.decline(first.proposal!)).toBe(true);
    const second = await worker.notes.promote("zwiebel.md", { to: "team:crew" });
    expect(await read()).toContain("zwiebel");
    await worker.notes.remove("zwiebel.md");
    expect(await read()).toBe("[]");
    expect(await refused(lead.proposals.accept(second.proposal!))).toMatch(/^not-found: /);
    expect(await names(other)).toEqual([]);
  });

  it("keeps the file and its versions: what it said before stays with the scope it was in", async () => {
    const root = join(freshFolder(), "ws");
    const { worker } = await crew({
      workspace: root,
    });
    await worker.notes.write("blue.md", "The blue door is ajar.");
    await worker.notes.write("blue.md", "The blue door sticks.");
    const path = join(root, "scopes/user/ada/notes/blue.md");
    // A person's own, which no writer of ours has looked at.
    writeFileSync(
      path,
      `${readFileSync(path, "utf8")} api_key = "sk-ant-api03-${"Ab1".repeat(31)}AA"`,
    );
    await worker.as({ role: "human" }).notes.promote("blue.md", { to: "team:crew" });
    expect(existsSync(path)).toBe(false);
    const moved = readFileSync(join(root, "scopes/team/crew/notes/blue.md"), "utf8");
    expect([moved.includes("sticks"), moved.includes("Ab1Ab1")]).toEqual([true, false]);
    const kept = readdirSync(join(root, ".tidemark/backups/scopes/user/ada/notes/blue.md"));
    expect(kept.length).toBe(2);
    expect(existsSync(join(root, ".tidemark/backups/scopes/team/crew/notes"))).toBe(false);
  });

  it("refuses in one sentence what is not there, out of sight, or there already, and tells these apart no further", async () => {
    const { house, other, lead } = await crew();
    const worker = house.as({ agent: "w", team: "crew", project: "red" });
    await worker.notes.write("blue.md", "mine");
    const told = await refused(other.notes.promote("blue.md", { to: "team:crew" }));
    expect(told).toBe('not-found: There is no note "blue.md" to promote.');
    for (const scope of ["agent:w", "agent:nobody", "team:elsewhere"] as const)
      expect(await refused(other.notes.promote("blue.md", { to: "team:crew", scope }))).toBe(told);
    for (const to of ["team:other", "agent:nobody"] as const)
      expect(await refused(worker.notes.promote("blue.md", { to }))).toMatch(
        new RegExp(`^scope-denied: This identity may not propose for the scope "${to}"`),
      );
    expect(await refused(worker.notes.promote("blue.md", { to: 7 as never }))).toMatch(
      /^config: scope/,
    );
    expect(await refused(worker.notes.promote("../blue.md", { to: "team:crew" }))).toMatch(
      /^config: /,
    );
    await lead.notes.write("blue.md", "theirs", { scope: "team:crew" });
    expect(await refused(worker.notes.promote("blue.md", { to: "team:crew" }))).toMatch(
      /^conflict: team:crew has a note "blue.md" already/,
    );
    // A lead gives a note to an agent of its team, whose own of that name it neither sees nor touches.
    await lead.notes.write("blue.md", "given");
    const given = await lead.notes.promote("blue.md", { to: "agent:w" });
    expect(given).toMatchObject({ name: "blue.md", scope: "agent:w" });
    const [beside = ""] = (await worker.notes.list()).map(({ name }) => name).sort();
    expect(beside).toMatch(/^blue-\w{7}\.md$/);
    expect(await Promise.all(["blue.md", beside].map((name) => worker.notes.read(name)))).toEqual([
      "mine",
      "given",
    ]);
  });
});
