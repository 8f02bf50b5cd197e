/** Room for a few works at once, and for one of each kind; the others wait in the order they came. */
export interface Slots {
  /** Resolves, when it is this work's turn, with how to leave again; rejects when the signal aborts first. `of`: one of them at a time. */
  take(signal: AbortSignal, of?: string): Promise<() => void>;
}

interface Waiting {
  readonly of: string | undefined;
  readonly enter: () => void;
}

export function createSlots(most: number): Slots {
  let taken = 0;
  const inside = new Set<string>();
  const line = new Set<Waiting>();

  const mayEnter = ({ of }: Pick<Waiting, "of">): boolean =>
    taken < most && (of === undefined || !inside.has(of));

  function enter({ of }: Pick<Waiting, "of">): () => void {
    taken++;
    if (of !== undefined) inside.add(of);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      taken--;
      if (of !== undefined) inside.delete(of);
      const next = [...line].find(mayEnter);
      if (next === undefined) return;
      line.delete(next);
      next.enter();
    };
  }

  return {
    take: async (signal, of) => {
      signal.throwIfAborted();
      if (mayEnter({ of })) return enter({ of });
      return new Promise((resolve, reject) => {
        const giveUp = (): void => {
          line.delete(waiting);
          reject(signal.reason);
        };
        const waiting: Waiting = {
          of,
          enter: () => {
            signal.removeEventListener("abort", giveUp);
            resolve(enter({ of }));
          },
        };
        line.add(waiting);
        signal.addEventListener("abort", giveUp, { once: true });
      });
    },
  };
}
