#!/usr/bin/env node
import "../node-version.ts";
import * as module from "node:module";

// Behind the check, so that an older Node never reads what it cannot.
// A hook is waited for: what was compiled once is kept.
module.enableCompileCache?.();
const { main } = await import("./run.ts");
await main();
