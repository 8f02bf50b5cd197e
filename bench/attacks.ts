// npm run bench -- attacks: each payload of the corpus through every door of a workspace, and what became of it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DOORS, PAYLOADS, USUALLY } from "../test/support/attacks.ts";
import { faultsOf, outcomeOf, play } from "../test/support/attacks-world.ts";
import { record } from "./support.ts";

const outcomes: Record<string, number> = {};
const failed: string[] = [];
let tried = 0;
for (const payload of PAYLOADS) {
  const root = mkdtempSync(join(tmpdir(), "tidemark-attacks-"));
  const played = await play(payload, root);
  const { printed: _seen, ...fenced } = played.surfaces;
  for (const [name, text] of Object.entries(fenced))
    failed.push(...faultsOf(text).map((fault) => `${payload.name}, ${name}: ${fault}`));
  for (const door of DOORS) {
    tried += 1;
    const came = outcomeOf(door, played);
    outcomes[came] = (outcomes[came] ?? 0) + 1;
    if (came !== (payload.but?.[door] ?? USUALLY[door]))
      failed.push(`${payload.name}, ${door}: ${came}`);
  }
  rmSync(root, { recursive: true, force: true });
}
record("attacks", {
  payloads: PAYLOADS.length,
  doors: DOORS.length,
  tried,
  survived: tried - failed.length,
  outcomes,
  failed,
});
