/** What was done since the workspace was opened, on behalf of one identity. */
export interface Counted {
  turns: number;
  tokensRead: number;
  tokensWritten: number;
  memoryCalls: number;
}

/** By the identity's key: how busy the others are is not for everybody. */
export function createCounted(): (root: string) => Counted {
  const known = new Map<string, Counted>();
  return (root) => {
    const found = known.get(root) ?? { turns: 0, tokensRead: 0, tokensWritten: 0, memoryCalls: 0 };
    known.set(root, found);
    return found;
  };
}
