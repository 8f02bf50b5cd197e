// A disk that is full from the first write of a deed on, from its second, and so on. A child that does deeds there imports this
// before all else: writes are counted from then on.
import { fillDisk } from "../../../drill/boundaries.ts";

export interface Tried {
  readonly writes: number;
  readonly refused: boolean;
  readonly broken: readonly string[];
}

/** Does the work where the disk is full from its n-th write on; 0: where there is room. */
export async function onFullDisk(
  from: number,
  work: () => Promise<unknown>,
): Promise<Omit<Tried, "broken">> {
  fillDisk(from);
  const refused = await work().then(
    () => false,
    () => true,
  );
  return { writes: fillDisk(0), refused };
}

/** Tries each deed at every so-manieth of its writes, the first among them, and prints what was broken and how often which was refused. */
export async function atWrites(
  deeds: readonly string[],
  tried: (deed: string, from: number) => Promise<Tried>,
  step = 1,
): Promise<void> {
  const broken: string[] = [];
  const counts: Record<string, [refused: number, writes: number]> = {};
  for (const deed of deeds) {
    const { writes } = await tried(deed, 0);
    let refusals = 0;
    for (let from = 1; from <= writes; from += step) {
      const one = await tried(deed, from);
      broken.push(...one.broken.map((what) => `${deed}, full from ${from} of ${writes}: ${what}`));
      if (one.refused) refusals += 1;
    }
    counts[deed] = [refusals, writes];
  }
  console.log(JSON.stringify({ broken, counts }));
}
