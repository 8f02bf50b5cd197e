import { digest } from "../../text/hash.ts";

/** What a reply is found by: its content within one identity and label. */
export const anchorOf = (root: string, label: string | undefined, content: string): string =>
  digest(root, label ?? "", content);
