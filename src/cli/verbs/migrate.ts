import { migratePostgres } from "../../storage/postgres/postgres-storage.ts";
import { UsageError, type Verb } from "../input/flags.ts";
import { paint, plain } from "../render/layout.ts";

/** For a role that may make tables, where the programs' own may not. */
export const migrate: Verb = {
  says: "make the schema of a server, or bring it up to date",
  flags: { rls: { says: "show its rows to members of its owner's role alone" } },
  examples: ['tidemark migrate --rls --workspace "postgres://db.example/memory?schema=acme"'],
  async run({ store, on }) {
    if (store === undefined)
      throw new UsageError("migrate works on a server: name it with --workspace postgres://…");
    const rls = on("rls");
    const where = await migratePostgres(store, { rls });
    const belted = rls ? " Rows are shown to members of its owner's role alone." : "";
    return {
      found: { where, rls },
      lines: [`${paint.green("✓")} ${plain(where)} is up to date.${belted}`],
    };
  },
};
