export function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  // A typed array holds numbers all over its length, which the compiler cannot know.
  for (let at = 0; at < one.length; at += 1) sum += (one[at] as number) * (other[at] as number);
  return sum;
}

/** The vector at length 1, so that a dot product is a cosine; one without direction stays zero. */
export function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector));
  return length > 0 ? vector.map((value) => value / length) : new Float32Array(vector.length);
}
