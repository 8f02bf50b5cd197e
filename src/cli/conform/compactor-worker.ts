import { parentPort, workerData } from "node:worker_threads";
import { reasonOf } from "../../model/errors.ts";
import { type Message } from "../../model/request.ts";
import { type Answer, type Asked, type Compact } from "./compactor-words.ts";
import { countTokens } from "./canary.ts";

/** Time for what a compactor left behind to go wrong before its last answer counts. */
const SETTLES_MS = 10;

const tell = (answer: Answer): void => parentPort?.postMessage(answer);
const firstLine = (thrown: unknown): string =>
  (reasonOf(thrown).trim().split("\n")[0] ?? "").trim() || "something went wrong without a word";

async function answer(compact: Compact, { messages, limit }: Asked): Promise<Answer> {
  const result: unknown = await compact(messages, { limit, countTokens });
  if (!Array.isArray(result))
    return { returned: result === null ? "null" : `a value of type ${typeof result}` };
  if (
    !result.every(
      (one) =>
        typeof one === "object" &&
        one !== null &&
        typeof (one as Partial<Message>).role === "string",
    )
  )
    return { returned: "a list with something that is no message" };
  const wrong = notJson(result);
  return wrong === undefined ? { result: JSON.stringify(result) } : { unsendable: wrong };
}

// A module that waits for ever as it is loaded must be seen to wait, not to end.
const awake = setInterval(() => undefined, 1_000);
try {
  const module = (await import((workerData as { url: string }).url)) as {
    default?: unknown;
    compact?: unknown;
  };
  // A CommonJS module stands as a whole where a default export would: what a compiler wrote of one is inside.
  const inner =
    typeof module.default === "object" && module.default !== null
      ? (module.default as typeof module)
      : {};
  const compact = [module.default, module.compact, inner.default, inner.compact].find(
    (one) => typeof one === "function",
  ) as Compact | undefined;
  parentPort?.on("message", (asked: Asked | "end") => {
    if (asked === "end") setTimeout(() => tell({ ready: true }), SETTLES_MS);
    else if (compact !== undefined)
      answer(compact, asked).then(tell, (thrown: unknown) => {
        tell({ threw: firstLine(thrown) });
      });
  });
  tell(compact === undefined ? { missing: true } : { ready: true });
} catch (thrown) {
  tell({ unloadable: firstLine(thrown) });
} finally {
  clearInterval(awake);
}

/** Deeper than any message is. */
const DEEPEST = 200;

/** Where a list of messages holds what no request can carry, and what that is; undefined: all of it is JSON. */
function notJson(messages: readonly unknown[]): string | undefined {
  for (const [at, message] of messages.entries()) {
    const found = look(message, "", []);
    if (found !== undefined) return `message ${at + 1} ${found}`;
  }
  return undefined;
}

function look(value: unknown, path: string, above: readonly object[]): string | undefined {
  const at = path === "" ? "" : ` (${path})`;
  if (typeof value === "bigint") return `holds a BigInt${at}`;
  if (typeof value === "function" || typeof value === "symbol")
    return `holds a ${typeof value}${at}`;
  if (typeof value === "number" && !Number.isFinite(value)) return `holds the number ${value}${at}`;
  if (typeof value !== "object" || value === null) return undefined;
  if (above.includes(value)) return `holds itself${at}`;
  if (above.length >= DEEPEST) return `is nested more than ${DEEPEST} deep`;
  if (typeof (value as { toJSON?: unknown }).toJSON === "function") return undefined;
  for (const [name, member] of Object.entries(value)) {
    const found = look(member, path === "" ? name : `${path}.${name}`, [...above, value]);
    if (found !== undefined) return found;
  }
  return undefined;
}
