/** The same elements in an array of twice the length, or of more if `index` asks for that; the rest is 0. */
export function enlarged<A extends Uint8Array | Int32Array | Float64Array>(array: A, index: number): A {
  const TypedArray = array.constructor as new (length: number) => A;
  const larger = new TypedArray(Math.max(2 * array.length, index + 1));
  larger.set(array);
  return larger;
}
