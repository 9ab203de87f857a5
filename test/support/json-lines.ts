/** A line of `kubeflect watch -o json`. */
export interface JsonLine {
  readonly type: string;
  readonly key?: string;
  readonly [field: string]: unknown;
}

/** A program in a process of its own, or a command in this one. */
interface Printed {
  /** The lines that are complete. */
  readonly lines: readonly string[];
}

/** What a program has written so far, line by line. */
export function linesOf({ lines }: Printed): JsonLine[] {
  return lines.map((line) => JSON.parse(line) as JsonLine);
}

/** For `program.seen`: whether there is such a line. */
export function hasLine(type: string, key?: string): (program: Printed) => boolean {
  return (program) => linesOf(program).some((line) => line.type === type && (key === undefined || line.key === key));
}
