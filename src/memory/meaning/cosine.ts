/** 0 for a vector without a direction. */
export function cosine(one: Float32Array, other: Float32Array): number {
  let [both, a, b] = [0, 0, 0];
  one.forEach((value, at) => {
    const beside = other[at] ?? 0;
    both += value * beside;
    a += value * value;
    b += beside * beside;
  });
  return a > 0 && b > 0 ? both / Math.sqrt(a * b) : 0;
}
