#!/usr/bin/env node
import "../node-version.ts";
import * as module from "node:module";
import { setFlagsFromString } from "node:v8";

// The engine lets what is young grow to 128 MB from the first module on, which a server for one
// page and the reading of an export need not.
if (/^(?:inspect|serve|import)$/.test(process.argv[2] ?? ""))
  setFlagsFromString("--semi-space-growth-factor=1");

// Behind the check, so that an older Node never reads what it cannot.
// A hook is waited for: what was compiled once is kept.
module.enableCompileCache?.();
const { main } = await import("./run.ts");
await main();
