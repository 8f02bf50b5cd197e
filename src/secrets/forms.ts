/** A place in a text where a secret stands: behind a flag, in an address, in a file of passwords. */
export interface Form {
  readonly kind: string;
  /** Its first group is the value, and the match ends with it. All repeats are bounded. */
  readonly shape: RegExp;
  readonly judge: (value: string) => boolean;
  /** A text without it is not read for this form: quicker to look for than the shape. */
  readonly near?: RegExp;
}

export const foundBy =
  (forms: readonly Form[], hint: RegExp) =>
  (text: string): Secret[] =>
    hint.test(text) ? forms.flatMap((form) => foundIn(text, form)) : [];

function foundIn(text: string, { kind, shape, judge, near }: Form): Secret[] {
  const found: Secret[] = [];
  if (near !== undefined && !near.test(text)) return found;
  for (const { 0: whole, 1: value = "", index } of text.matchAll(shape)) {
    const end = index + whole.length;
    if (value !== "" && judge(value)) found.push({ start: end - value.length, end, kind });
  }
  return found;
}

/** A secret in a text: characters `start` up to `end`. */
export interface Secret {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
}
