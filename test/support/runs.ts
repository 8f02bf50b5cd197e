/** How many random cases a law is held against: `npm test` plays a share, `npm run test:thorough` all of test/laws, TIDEMARK_RUNS=10 ten times as many. */
export const runs = (cases: number): number =>
  Math.ceil(cases * Number(process.env.TIDEMARK_RUNS ?? 1));
