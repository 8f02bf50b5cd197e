import { afterAll, afterEach } from "vitest";
import { cleanFile, cleanTest } from "./afterwards.ts";

afterEach(cleanTest);
afterAll(cleanFile);
