import { defined } from "../../base/defined.ts";
/** One thing looked at. `advice` says what to do about it. */
export interface Check {
  readonly state: "well" | "look" | "broken";
  readonly says: string;
  readonly advice?: string;
  /** What --fix does about it. */
  readonly fix?: Fix;
}

export interface Fix {
  /** "make …", "put …": behind "--fix would". */
  readonly does: string;
  /** Answers what was done, in a sentence. */
  readonly run: () => Promise<string>;
}

export const well = (says: string): Check => ({ state: "well", says });
export const look = (says: string, advice: string, fix?: Fix): Check => ({
  state: "look",
  says,
  advice,
  ...defined({ fix }),
});
export const broken = (says: string, advice: string, fix?: Fix): Check => ({
  state: "broken",
  says,
  advice,
  ...defined({ fix }),
});
