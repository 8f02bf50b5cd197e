/** A made-up harbour whose water follows three real constituents; no table of numbers needs to lie in the repository. */
const CONSTITUENTS = [
  { hours: 12.4206, metres: 1.62, phase: 4.24 }, // M2, the moon twice a day
  { hours: 12, metres: 0.54, phase: 5.88 }, // S2, the sun twice a day
  { hours: 23.9345, metres: 0.21, phase: 2.6 }, // K1, once a day
] as const;
const MEAN_METRES = 3.1;
const HOUR = 3_600_000;

export const STATION = "PS-0417";

/** Metres of water over chart datum. */
export const heightAt = (time: number): number =>
  CONSTITUENTS.reduce(
    (sum, { hours, metres, phase }) =>
      sum + metres * Math.cos((2 * Math.PI * time) / (hours * HOUR) - phase),
    MEAN_METRES,
  );

export interface Row {
  readonly time: string;
  readonly metres: number;
  readonly rising: boolean;
}

export function rowsFrom(day: string, days: number, stepMinutes: number): Row[] {
  const start = Date.parse(`${day}T00:00:00Z`);
  const count = Math.round((days * 24 * 60) / stepMinutes);
  return Array.from({ length: count }, (_, index) => {
    const time = start + index * stepMinutes * 60_000;
    return {
      time: new Date(time).toISOString().slice(0, 16).replace("T", " "),
      metres: heightAt(time),
      rising: heightAt(time + 60_000) > heightAt(time),
    };
  });
}
