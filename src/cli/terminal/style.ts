import type { CommandContext, OutputStream } from '../command.js';

/** Adds colour codes to texts, or returns them unchanged. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

/** Colours for a terminal, unless NO_COLOR is not empty (no-color.org) or TERM is `dumb`. */
export function styleFor(stream: OutputStream, { env = process.env }: Pick<CommandContext, 'env'>): Style {
  const colourful = stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  const wrap = (begin: number, end: number) => (text: string) =>
    colourful && text !== '' ? `\u001b[${begin}m${text}\u001b[${end}m` : text;
  return {
    bold: wrap(1, 22),
    dim: wrap(2, 22),
    red: wrap(31, 39),
    green: wrap(32, 39),
    yellow: wrap(33, 39),
    cyan: wrap(36, 39),
  };
}
