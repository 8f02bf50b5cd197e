import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DOORS, PAYLOADS, USUALLY } from "../support/attacks.ts";
import { faultsOf, outcomeOf, play } from "../support/attacks-world.ts";
import { freshFolder } from "../support/workspace.ts";

describe("words of an attacker, through every door, end as the corpus says", () => {
  for (const payload of PAYLOADS) {
    it(payload.name, async () => {
      const played = await play(payload, join(freshFolder(), "ws"));
      const { printed, ...fenced } = played.surfaces;
      for (const [name, text] of Object.entries(fenced)) expect(faultsOf(text), name).toEqual([]);
      expect(printed).not.toMatch(
        /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e\u{e0000}-\u{e01ef}]/u,
      );
      const came = Object.fromEntries(DOORS.map((door) => [door, outcomeOf(door, played)]));
      expect(came).toEqual(
        Object.fromEntries(DOORS.map((door) => [door, payload.but?.[door] ?? USUALLY[door]])),
      );
    });
  }
});
