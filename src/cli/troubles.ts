import { readTroubles, type Trouble } from "../engine/options/troubles.ts";
import { ago, count } from "./render/numbers.ts";
import { plain } from "./render/text.ts";

/** What troubles a person should know of, and what to do. */
export interface Told {
  readonly says: string;
  readonly advice: string;
}

/** Troubles older than this are history. ms. */
const RECENT = 14 * 24 * 3_600_000;

export function troublesOf(folder: string, now: number): Told[] {
  const recent = readTroubles(folder).filter(({ at }) => now - at < RECENT);
  return recent.map((trouble) => ({
    says: `${said(trouble)}, the last ${ago(trouble.at, now)}`,
    advice: adviceFor(trouble),
  }));
}

const said = ({ kind, about, times }: Trouble): string =>
  kind === "passed"
    ? `${count(times, "request")} passed without Tidemark (${plain(about)})`
    : `${times === 1 ? "once" : `${times} times`} something failed and the chat went on without it (${plain(about)})`;

const adviceFor = ({ kind }: Trouble): string =>
  kind === "passed"
    ? "nothing of them is folded; change the call as the reason says"
    : "run your program with TIDEMARK_DEBUG=1: each failure is a line there, with its reason";
