import { serveLoopback } from "../../src/adapters/http/serve-loopback.ts";
import { addressesBelow, createProxy } from "../../src/cli/proxy/proxy.ts";
import type { Tidemark } from "../../src/index.ts";
import { afterwards } from "./afterwards.ts";

export interface TestProxy {
  readonly url: string;
  readonly anthropic: string;
  readonly openai: string;
}

/** A proxy in front of local providers, which the environment names. Closed after the test. */
export async function startProxy(tidemark: Tidemark, env: NodeJS.ProcessEnv): Promise<TestProxy> {
  const { url, close } = await serveLoopback(createProxy(tidemark, { env }));
  afterwards(close);
  const { ANTHROPIC_BASE_URL = "", OPENAI_BASE_URL = "" } = addressesBelow(url);
  return { url, anthropic: ANTHROPIC_BASE_URL, openai: OPENAI_BASE_URL };
}
