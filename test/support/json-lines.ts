import type { Program } from './program.js';

/** A line of `kubeflect watch -o json`. */
export interface JsonLine {
  readonly type: string;
  readonly key?: string;
  readonly [field: string]: unknown;
}

/** What a program has written so far, line by line. */
export function linesOf({ lines }: Pick<Program, 'lines'>): JsonLine[] {
  return lines.map((line) => JSON.parse(line) as JsonLine);
}

/** For `program.seen`: whether there is such a line. */
export function hasLine(type: string, key?: string): (program: Program) => boolean {
  return (program) => linesOf(program).some((line) => line.type === type && (key === undefined || line.key === key));
}
