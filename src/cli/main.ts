#!/usr/bin/env node
import "../node-version.ts";

// Behind the check, so that an older Node never reads what it cannot.
const { main } = await import("./run.ts");
await main();
