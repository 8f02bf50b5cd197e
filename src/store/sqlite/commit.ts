import type { Unit } from "../../model/storage.ts";
import type { Desk } from "./database.ts";

/** Something is no longer what the unit was made on; leaves the transaction, never the store. */
class Overtaken extends Error {}

/** Each carries out its part of a unit; false where it was made on what is no longer so. */
export type Parts = {
  readonly [Name in keyof Unit]-?: (given: NonNullable<Unit[Name]>, unit: Unit) => unknown;
};

/** Carries out a unit as one transaction, its parts in the order in which they are given here. */
export function committer({ inOne }: Desk, parts: Parts): (unit: Unit) => boolean {
  const isDone = (name: keyof Unit, unit: Unit): boolean => {
    const part: (given: never, unit: Unit) => unknown = parts[name];
    return unit[name] === undefined || part(unit[name] as never, unit) !== false;
  };
  const carryOut = inOne((unit: Unit): void => {
    for (const name of Object.keys(parts) as (keyof Unit)[])
      if (!isDone(name, unit)) throw new Overtaken();
  });
  return (unit) => {
    try {
      carryOut(unit);
      return true;
    } catch (thrown) {
      if (thrown instanceof Overtaken) return false;
      throw thrown;
    }
  };
}
