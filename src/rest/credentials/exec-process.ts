import { type ChildProcess, spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { redact } from '../../meta/secret.js';
import type { ConfigEnvironment } from './config-environment.js';
import { CredentialsError } from './config-errors.js';
import type { ExecPluginConfig } from './exec-credential.js';

/** Long enough for a login in a browser. */
const DEFAULT_TIMEOUT_MS = 180_000;
/** Limit of a plugin's standard output. */
const MAX_STDOUT_BYTES = 1 << 20;
/** How much of the end of a plugin's standard error its error message contains. */
const MAX_STDERR_CHARACTERS = 2_000;

/** Parameters of one run of a plugin. */
export interface ExecRun {
  /** The value of `KUBERNETES_EXEC_INFO`. */
  readonly info: string;
  /** Whether the plugin inherits the standard input. */
  readonly interactive: boolean;
  readonly signal: AbortSignal;
}

/**
 * Runs a plugin and returns its standard output. Its standard error is printed as it comes, since it may ask a question, and
 * repeated in the error if the plugin fails.
 */
export function runExecPlugin(config: ExecPluginConfig, environment: ConfigEnvironment, run: ExecRun): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = start(config, environment, run);
    const stdout: Buffer[] = [];
    let bytes = 0;
    let stderr = '';
    const fail = (reason: string): void => reject(pluginError(config, reason, stderr));
    const { execTimeoutMs = DEFAULT_TIMEOUT_MS } = environment;
    const deadline =
      execTimeoutMs === 0
        ? undefined
        : environment.clock.setTimer(execTimeoutMs, () => {
            fail(
              `did not end within ${execTimeoutMs} ms and was killed: run it in a terminal to see why, or raise execTimeoutMs`,
            );
            end(child);
          });
    child.stdout?.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_STDOUT_BYTES) {
        fail(`printed more than ${MAX_STDOUT_BYTES} bytes`);
        end(child);
      } else {
        stdout.push(chunk);
      }
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      environment.writeStderr(text);
      stderr = (stderr + text).slice(-MAX_STDERR_CHARACTERS);
    });
    child.on('error', (error: NodeJS.ErrnoException) => {
      deadline?.cancel();
      if (run.signal.aborted) reject(run.signal.reason);
      else fail(describeSpawnError(error, config));
    });
    child.on('close', (code, signal) => {
      deadline?.cancel();
      if (code === 0) resolve(Buffer.concat(stdout).toString('utf8'));
      else fail(signal === null ? `ended with code ${code}` : `was ended by ${signal}`);
    });
  });
}

function start(config: ExecPluginConfig, environment: ConfigEnvironment, run: ExecRun): ChildProcess {
  const pluginEnv = Object.fromEntries([...config.env].map(([name, value]) => [name, value.reveal()]));
  try {
    return spawn(config.command, config.args, {
      env: { ...environment.env, ...pluginEnv, KUBERNETES_EXEC_INFO: run.info },
      stdio: [run.interactive ? 'inherit' : 'ignore', 'pipe', 'pipe'],
      signal: run.signal,
      windowsHide: true,
    });
  } catch (error) {
    // For invalid arguments spawn throws an error that contains them, and they may be secret.
    throw pluginError(config, describeSpawnError(error as NodeJS.ErrnoException, config), '');
  }
}

function end(child: ChildProcess): void {
  child.stdout?.destroy();
  child.stderr?.destroy();
  child.kill('SIGKILL');
}

function describeSpawnError(error: NodeJS.ErrnoException, config: ExecPluginConfig): string {
  const hint = config.installHint ? `. ${stripVTControlCharacters(config.installHint).trim()}` : '';
  const isPath = config.command.includes('/');
  if (error.code === 'ENOENT') return `was not found${isPath ? '' : ' on PATH'}: install it${hint}`;
  if (error.code === 'EACCES') return `has no permission to run: make it executable${hint}`;
  return `could not be started (${error.code ?? 'unknown error'})${hint}`;
}

function pluginError(config: ExecPluginConfig, reason: string, stderr: string): CredentialsError {
  const printed = redact(stripVTControlCharacters(stderr).trim(), config.env.values());
  const suffix = printed === '' ? '' : `; its standard error: ${printed}`;
  return new CredentialsError(`the credential plugin ${JSON.stringify(config.command)} ${reason}${suffix}`);
}
