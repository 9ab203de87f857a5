/** A document as protobuf, and the JSON that Go prints for it. */
export interface GoldenLine {
  readonly document: Buffer;
  readonly json: string;
}

/** Reads the output of test/real/protobuf-golden. */
export function readGoldenLines(text: string): GoldenLine[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const tab = line.indexOf('\t');
      return { document: Buffer.from(line.slice(0, tab), 'base64'), json: line.slice(tab + 1) };
    });
}
