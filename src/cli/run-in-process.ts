import { linkSignals } from '../time/signals.js';
import { terminationSignal } from '../time/termination-signal.js';
import type { CommandContext } from './command.js';

/**
 * Runs a program on the arguments, the streams and the signals of this process, and sets its exit code. A reader that goes
 * away ends it quietly.
 */
export async function runInProcess(
  run: (args: readonly string[], context: CommandContext) => Promise<number>,
): Promise<void> {
  const { stdout, stderr } = process;
  const ending = linkSignals([terminationSignal()]);
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    // Whoever read the output has seen enough, as `head` does: that is no failure.
    if (error.code !== 'EPIPE') throw error;
    ending.abort(error);
  });
  // Nobody reads what goes wrong: that must not be one more thing that does.
  stderr.on('error', () => {});
  try {
    process.exitCode = await run(process.argv.slice(2), { stdout, stderr, signal: ending.signal });
  } finally {
    ending.release();
  }
}
