// Finds the Chromium that shows the page; `node scripts/chromium.ts` says how to get one where there is none.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const { CHROMIUM } = process.env;
const PLACES =
  CHROMIUM === undefined ? ["/usr/bin/chromium", "/usr/bin/chromium-browser"] : [CHROMIUM];

/** Throws where there is none. */
export function chromiumPath(): string {
  const found = PLACES.find((place) => existsSync(place));
  if (found !== undefined) return found;
  throw new Error(
    `No Chromium is at ${PLACES.join(" or ")}: install it with "apt-get install chromium", ` +
      "or name one as CHROMIUM=/path/to/chromium.",
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  try {
    chromiumPath();
  } catch (thrown) {
    console.error(thrown instanceof Error ? thrown.message : thrown);
    process.exitCode = 1;
  }
