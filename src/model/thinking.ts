/**
 * What becomes of thinking that was bound to what a fold takes away. "leave-out": it is not sent. "drop-block": it is sent,
 * and the provider drops what does not hold. "server": the provider writes a signed summary of its own, behind which it holds.
 * "auto": left out; dropped by the provider where it is certain that it can be.
 */
export type ThinkingOption = "auto" | "leave-out" | "drop-block" | "server";
