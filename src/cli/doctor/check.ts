/** One thing looked at. `advice` says what to do about it. */
export interface Check {
  readonly state: "well" | "look" | "broken";
  readonly says: string;
  readonly advice?: string;
  /** Has the next start mend it. */
  readonly mend?: () => void;
}

const check =
  (state: "look" | "broken") =>
  (says: string, advice: string): Check => ({ state, says, advice });
export const well = (says: string): Check => ({ state: "well", says });
export const look = check("look");
export const broken = check("broken");
