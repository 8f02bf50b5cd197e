/** The first number from `from` on that the test does not hold for. */
export function endOfRun(from: number, holds: (at: number) => boolean): number {
  let at = from;
  while (holds(at)) at++;
  return at;
}
