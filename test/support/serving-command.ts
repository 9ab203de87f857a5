import { run } from '../../src/cli/run.js';

/** A command that serves until it is stopped. */
export interface ServingCommand {
  readonly ended: Promise<number>;
  readonly stop: () => Promise<number>;
  readonly output: () => string;
  readonly errors: () => string;
  /** Resolves with the URL when the server is up; rejects if the command ends before. */
  readonly url: Promise<string>;
}

/** Runs a command in this process that prints the address at which it serves. */
export function startServing(...args: string[]): ServingCommand {
  const controller = new AbortController();
  let output = '';
  let errors = '';
  let up: (url: string) => void = () => {};
  const url = new Promise<string>((resolve) => {
    up = resolve;
  });
  const ended = run(args, {
    stdout: {
      write: (text) => {
        output += text;
        const found = /at (https?:\S+)/.exec(output);
        if (found !== null) up(found[1]!);
      },
    },
    stderr: {
      write: (text) => {
        errors += text;
      },
    },
    signal: controller.signal,
  });
  const early = ended.then((code) => Promise.reject(new Error(`ended with ${code}: ${errors}`)));
  early.catch(() => {});
  return {
    ended,
    output: () => output,
    errors: () => errors,
    url: Promise.race([url, early]),
    stop: () => {
      controller.abort();
      return ended;
    },
  };
}
