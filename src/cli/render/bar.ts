const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"] as const;

/** A bar of `columns` characters, filled to an eighth of a character. */
export function bar(share: number, columns: number): string {
  const eighths = Math.round(Math.min(1, Math.max(0, share)) * columns * 8);
  const filled = "█".repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? "");
  return filled + "░".repeat(columns - filled.length);
}
