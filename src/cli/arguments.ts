import { type ParseArgsConfig, parseArgs } from 'node:util';
import { UsageError } from './command.js';

/** `parseArgs` whose complaints are {@link UsageError}s. */
export function parseArguments<C extends ParseArgsConfig>(config: C): ReturnType<typeof parseArgs<C>> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** The whole number that an option was given. */
export function wholeNumber(option: string, text: string, max: number): number {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(number <= max)) throw new UsageError(`${option} must be a whole number from 0 to ${max}, got '${text}'`);
  return number;
}

/** Seconds, a fraction allowed, as milliseconds; undefined where the option was not given. */
export function secondsToMs(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!(seconds > 0 && seconds <= 2_000_000_000)) {
    throw new UsageError(`${option} must be a number of seconds above 0, got '${text}'`);
  }
  return seconds * 1000;
}
