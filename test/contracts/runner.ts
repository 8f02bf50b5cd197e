type Vitest = typeof import("vitest");

/** What a contract asks of a test runner: Vitest has it, and those that speak as Jest does. */
export type Runner = Pick<Vitest, "describe" | "it" | "expect" | "beforeEach" | "afterEach">;
