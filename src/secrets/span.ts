/** A secret in a text: characters `start` up to `end`. */
export interface Secret {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
}
