import { type ParseArgsConfig, parseArgs } from 'node:util';
import { UsageError } from './command.js';

/** `parseArgs` that throws {@link UsageError}, and that reads `--for -1` as an option and its value. */
export function parseArguments<C extends ParseArgsConfig>(config: C): ReturnType<typeof parseArgs<C>> {
  try {
    const args = withNumbersAttached(config.args ?? []);
    return parseArgs<C>({ ...config, args });
  } catch (error) {
    throw new UsageError(shortMessage(error instanceof Error ? error.message : String(error)));
  }
}

/** Joins a negative number with the option before it: `--for -1` becomes `--for=-1`, which the option then checks. */
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

/** The first sentence of a message of `parseArgs`, in lower case; the rest is about the API of `parseArgs`. */
function shortMessage(message: string): string {
  const withoutValue = /^Option '(?:-\w, )?(--[\w-]+).*' argument (?:is ambiguous|missing)/.exec(message);
  if (withoutValue !== null) return `${withoutValue[1]} needs a value`;
  const [sentence = message] = message.split(/\. |\.?\n/, 1);
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

/** Parses the value of an option as a whole number. */
export function wholeNumber(option: string, text: string, max: number): number {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(number <= max)) throw new UsageError(`${option} must be a whole number from 0 to ${max}, got '${text}'`);
  return number;
}

/** Parses the value of an option as seconds, with a fraction if given, and returns milliseconds. */
export function secondsToMs(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!(seconds > 0 && seconds <= 2_000_000_000)) {
    throw new UsageError(`${option} must be a number of seconds above 0, got '${text}'`);
  }
  return seconds * 1000;
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Parses the value of an option as a duration as kubectl takes it, such as `90s` or `1m30s`, and returns milliseconds. */
export function durationMs(option: string, text: string): number {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/.test(text)) {
    throw new UsageError(`${option} must be a time such as 30s or 5m, got '${text}'`);
  }
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
    sum += Number(amount) * UNIT_MS[unit as string]!;
  }
  return sum;
}

/** Parses the value of an option as one of some words. */
export function oneOf<W extends string>(option: string, text: string, words: readonly W[]): W {
  const found = words.find((word) => word === text);
  if (found === undefined) throw new UsageError(`${option} must be one of ${words.join(', ')}, got '${text}'`);
  return found;
}
