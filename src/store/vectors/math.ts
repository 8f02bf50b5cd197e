/** Four sums at once: the processor need not wait for one addition before the next. */
export function dot(one: Float32Array, other: Float32Array): number {
  const size = one.length;
  const whole = size - (size % 4);
  let [a, b, c, d] = [0, 0, 0, 0];
  // A typed array holds numbers all over its length, which the compiler cannot know.
  for (let at = 0; at < whole; at += 4) {
    a += (one[at] as number) * (other[at] as number);
    b += (one[at + 1] as number) * (other[at + 1] as number);
    c += (one[at + 2] as number) * (other[at + 2] as number);
    d += (one[at + 3] as number) * (other[at + 3] as number);
  }
  for (let at = whole; at < size; at += 1) a += (one[at] as number) * (other[at] as number);
  return a + b + c + d;
}

/** The vector at length 1, so that a dot product is a cosine; one without direction stays zero. */
export function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector));
  return length > 0 ? vector.map((value) => value / length) : new Float32Array(vector.length);
}

export const isZero = (vector: Float32Array): boolean => vector.every((value) => value === 0);

export const toBlob = (vector: Float32Array): Buffer =>
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);

export function fromBlob(blob: Buffer): Float32Array {
  // A view needs its bytes at a multiple of four; where a database put them is its own affair.
  const bytes = blob.byteOffset % 4 === 0 ? blob : new Uint8Array(blob);
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
}

/** One bit a component: its sign. Vectors differ in about as many as their angle is wide. */
export function signsOf(vector: Float32Array): Buffer {
  const bits = Buffer.alloc(Math.ceil(vector.length / 8));
  vector.forEach((value, at) => {
    if (value > 0) bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7));
  });
  return bits;
}
