import { digest } from "../../text/hash.ts";

/** All of a memory's mark; a line shows as much of it as tells it from others. */
export const wholeMark = (id: string): string =>
  BigInt(`0x${digest("mark", id)}`)
    .toString(36)
    .padStart(25, "0");
