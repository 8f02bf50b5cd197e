/** Timers that go off when the test says so. */
export function handTimer() {
  const set: { ms: number; work: () => void }[] = [];
  return {
    timer: (ms: number, work: () => void) => {
      const made = { ms, work };
      set.push(made);
      return () => void (set.includes(made) && set.splice(set.indexOf(made), 1));
    },
    /** Those that wait for longer than a call may hang. */
    quiet: () => set.filter(({ ms }) => ms > 60_000),
    fire: (one: { ms: number; work: () => void }) => {
      set.splice(set.indexOf(one), 1);
      one.work();
    },
    all: set,
  };
}
