/** Room for a few works at once; the others wait in the order they came. */
export interface Slots {
  /** Resolves, when it is this work's turn, with how to leave again; rejects when the signal aborts first. */
  take(signal: AbortSignal): Promise<() => void>;
}

interface Waiting {
  readonly enter: () => void;
}

export function createSlots(most: number): Slots {
  let taken = 0;
  const line = new Set<Waiting>();

  function leaver(): () => void {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const [next] = line;
      if (next === undefined) taken--;
      else {
        line.delete(next);
        next.enter();
      }
    };
  }

  return {
    take: async (signal) => {
      signal.throwIfAborted();
      if (taken < most) {
        taken++;
        return leaver();
      }
      return new Promise((resolve, reject) => {
        const giveUp = (): void => {
          line.delete(waiting);
          reject(signal.reason);
        };
        const waiting: Waiting = {
          enter: () => {
            signal.removeEventListener("abort", giveUp);
            resolve(leaver());
          },
        };
        line.add(waiting);
        signal.addEventListener("abort", giveUp, { once: true });
      });
    },
  };
}
