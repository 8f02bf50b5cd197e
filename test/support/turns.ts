/** What `work` answers, and how often anything else had its turn meanwhile. */
export async function counted<T>(work: () => Promise<T>): Promise<{ made: T; turns: number }> {
  let [turns, working] = [0, true];
  const count = (): void => {
    turns += 1;
    if (working) setImmediate(count);
  };
  setImmediate(count);
  try {
    return { made: await work(), turns };
  } finally {
    working = false;
  }
}
