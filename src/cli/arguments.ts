import { type ParseArgsConfig, parseArgs } from 'node:util';
import { UsageError } from './command.js';

/** `parseArgs` whose complaints are {@link UsageError}s, and for which `--for -1` is an option and its value. */
export function parseArguments<C extends ParseArgsConfig>(config: C): ReturnType<typeof parseArgs<C>> {
  try {
    const args = withNumbersAttached(config.args ?? []);
    return parseArgs<C>({ ...config, args });
  } catch (error) {
    throw new UsageError(complaintOf(error instanceof Error ? error.message : String(error)));
  }
}

/** Arguments in which a negative number belongs to the option before it; whether that likes it is another question. */
function withNumbersAttached(args: readonly string[]): string[] {
  const attached: string[] = [];
  for (const arg of args) {
    const last = attached.at(-1);
    if (/^-\d/.test(arg) && last !== undefined && /^--[^=]+$/.test(last))
      attached[attached.length - 1] = `${last}=${arg}`;
    else attached.push(arg);
  }
  return attached;
}

/** The first sentence of what `parseArgs` has to say, in the tone of the other complaints; the rest is for programmers. */
function complaintOf(message: string): string {
  const withoutValue = /^Option '(?:-\w, )?(--[\w-]+).*' argument (?:is ambiguous|missing)/.exec(message);
  if (withoutValue !== null) return `${withoutValue[1]} needs a value`;
  const [sentence = message] = message.split(/\. |\.?\n/, 1);
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
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
