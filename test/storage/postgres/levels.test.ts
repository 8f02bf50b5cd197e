import { expect, it } from "vitest";
import { openTidemark } from "../../../src/index.ts";
import { postgresStorage } from "../../../src/storage/postgres/postgres-storage.ts";
import { pglite } from "../../support/pglite.ts";
import { play } from "../../support/talk.ts";

const { server, schema } = pglite();

/** All that stands in a schema, as text. */
async function textIn(name: string): Promise<string> {
  const tables = await server.send(
    "select tablename from pg_tables where schemaname = $1 order by 1",
    [name],
  );
  const all = await Promise.all(
    tables.map(({ tablename }) =>
      server.send(
        `select string_agg(t::text, e'\\n') as rows from "${name}"."${String(tablename)}" t`,
        [],
      ),
    ),
  );
  return all.map(([row]) => String(row?.rows)).join("\n");
}

it("levels hold over PostgreSQL: nothing of none and session stands there, of project what groups hold", async () => {
  const name = schema();
  const levels = {
    "agent:none": "none",
    "agent:session": "session",
    "agent:project": "project",
  } as const;
  const open = async () =>
    openTidemark({
      ...{ store: await postgresStorage(server, name), workspace: false, listen: false, levels },
      distil: "extractive",
    });
  const tidemark = await open();
  for (const agent of ["none", "session", "project", "kept"]) {
    const view = tidemark.as({ agent, project: "web" });
    await view.memory.save(`The deposit box of ${agent} is called quokka-${agent}.`);
    await play(view, { calls: [`I live in numbat-${agent} street.`, "Thanks."] });
    await view.notes.write("plan.md", `Sell wombat-${agent}.`);
  }
  const project = tidemark.as({ agent: "project", project: "web" });
  await project.memory.save({
    content: "The web project is built by bilby.",
    scope: "project:web",
  });
  const proposed = await project.memory.save("Releases are cut on echidna days.");
  await project.memory.promote(proposed.id, { to: "project:web" });
  const [hit] = await project.memory.recall("what is the web project built by?");
  expect(hit?.content).toContain("bilby");
  await tidemark.close();
  const text = await textIn(name);
  expect(text).not.toMatch(/(?:quokka|numbat|wombat)-(?:none|session|project)/);
  for (const word of ["quokka-kept", "numbat-kept", "wombat-kept", "bilby"])
    expect(text).toContain(word);
  const again = await open();
  const lead = again.as({ agent: "chief", project: "web", role: "lead" });
  const [waiting] = await lead.proposals.list();
  await lead.proposals.accept(waiting?.id ?? "", waiting);
  const found = await again.as({ agent: "session", project: "web" }).memory.list();
  expect(found.map(({ content }) => content).sort()).toEqual([
    proposed.content,
    "The web project is built by bilby.",
  ]);
  await again.close();
});
