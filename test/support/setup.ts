import fc from "fast-check";
import { afterAll, afterEach } from "vitest";
import { cleanFile, cleanTest } from "./afterwards.ts";

// The same cases every time: whether a change may land must not depend on luck. New ones are looked for by hand (CONTRIBUTING.md).
const { TIDEMARK_SEED: seed = "20261125" } = process.env;
if (seed !== "random") fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });

afterEach(cleanTest);
afterAll(cleanFile);
