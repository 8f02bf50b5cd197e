// What the cells find of the truly nearest ten, on vectors that cluster.
//   node memory-speed-clusters.ts SIZE …
import { onClusters } from "./memory-speed-exact.ts";

const found: Record<string, number> = {};
for (const size of process.argv.slice(2).map(Number)) found[size] = await onClusters(size);
console.log(`\n${JSON.stringify({ recallAgainstExact: found })}`);
