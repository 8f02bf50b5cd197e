/** How many random cases a law is held against: `npm test` takes a share, TIDEMARK_RUNS=10 ten times as many. */
export const runs = (cases: number): number =>
  Math.ceil(cases * Number(process.env.TIDEMARK_RUNS ?? 1));
