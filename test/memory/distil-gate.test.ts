import { describe, expect, it } from "vitest";
import { gated, isRefused } from "../../src/memory/extracting/gate.ts";

const REFUSED: readonly (readonly [why: string, line: string])[] = [
  ["empty", "User: ok"],
  ["harness", "User: [Request interrupted by user for tool use]"],
  [
    "harness",
    "This session is being continued from a previous conversation that ran out of context.",
  ],
  ["question", "User: Which port does the staging server use?"],
  ["applause", "Agent: Great, thanks!"],
  ["step", "Agent: Let me check the logs of the build first."],
  ["step", "Agent: Perfect! Now let me look at the config resources."],
  ["call", "Bash (git status --short): nothing to commit"],
  ["call", "book_flight(user_id=mia, seats=2)"],
  ["output", "Traceback (most recent call last) in worker 4"],
  ["output", '{"status": 200, "items": []}'],
  ["fragment", "2. `lib/session.ex` holds the session resource"],
  ["fragment", "The remaining steps of the release:"],
  ["secret", `User: My key is ${["sk", "ant", "api03"].join("-")}-${"Ab3dE5gH7jK9".repeat(6)}`],
  ["secret", "User: My password is [password, masked]."],
  ["files", "src/a/one.ts src/a/two.ts src/b/three.ts and docs/four.md"],
];
const KEPT = [
  "User: Never push directly to main.",
  "User: My user ID is mia_li_3668.",
  "Budget: 2000 euros for the whole trip.",
  "Open request: Upgrade the remaining reservations wherever possible.",
  "Agent: SQLite doesn't support ALTER TABLE modify, so each generated migration is rewritten by hand.",
  "User: The staging database of billing is reached with the password [password, masked].",
  "我对花生过敏。",
  "Themes use hex RGB values only, never palette indices.",
];

describe("the gate before memory", () => {
  it.each(REFUSED)("refuses what is %s: %s", (_, line) => expect(isRefused(line)).toBe(true));
  it.each(KEPT)("lets through %s", (line) => expect(isRefused(line)).toBe(false));

  it("lets a fact without words end another", () => {
    const fact = { importance: 0.5, from: [0], origin: "user" as const };
    const facts = gated([
      { ...fact, content: "", supersedes: "conversation/1/open-request" },
      { ...fact, content: "Thanks!" },
      { ...fact, content: KEPT[0]! },
    ]);
    expect(facts.map(({ content }) => content)).toEqual(["", KEPT[0]]);
  });
});
