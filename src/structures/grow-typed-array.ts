/** Copies `array` into one of at least twice the length that has room for `index`. New elements are 0. */
export function growTypedArray<A extends Uint8Array | Int32Array | Float64Array>(array: A, index: number): A {
  const TypedArray = array.constructor as new (length: number) => A;
  const larger = new TypedArray(Math.max(2 * array.length, index + 1));
  larger.set(array);
  return larger;
}
