/** One thing looked at. `advice` says what to do about it. */
export interface Check {
  readonly state: "well" | "look" | "broken";
  readonly says: string;
  readonly advice?: string;
}

export const well = (says: string): Check => ({ state: "well", says });
export const look = (says: string, advice: string): Check => ({ state: "look", says, advice });
export const broken = (says: string, advice: string): Check => ({ state: "broken", says, advice });
