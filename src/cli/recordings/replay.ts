import { RecordingError } from '../../apiserver/replay/recording.js';
import { openRecording, recordingOnDisk } from '../../apiserver/replay/recording-file.js';
import { type ApiServer, startApiServer } from '../../apiserver/server.js';
import { printGroupResource } from '../../meta/resource.js';
import { durationMs, parseArguments, wholeNumber } from '../arguments.js';
import { type Command, type CommandContext, CommandError, EXIT, UsageError } from '../command.js';
import { announce, checkOverwritable, listenError } from '../serving.js';

/** `kubeflect replay`: a recording as an API server. */
export const replay: Command = {
  name: 'replay',
  summary: 'Serve a recording of kubeflect record as an API server, at any speed, from any moment.',
  help: `Usage: kubeflect replay FILE [options]

Serves the resources of a recording as they were: lists have the objects of the replayed moment, watches get the recorded changes
in their order and at their times. Writes are refused. After its end it serves the last state, until it is interrupted.

Options:
      --speed N|max      Let the recorded time pass N times as fast; 0.5 is half as fast. max: as fast as watches can send,
                         while there is one. Default: 1.
      --from TIME|+TIME  Begin at this moment: 2026-07-24T10:00:00Z, or +10m after the start of the recording. Default: when
                         everything has been listed.
      --port N           Listen on this port. Default: any free one.
      --host ADDRESS     Listen on this address. Default: 127.0.0.1. Others expose the recording to your network.
      --kubeconfig FILE  Write a kubeconfig that kubectl and every client library can use.
      --tls              Serve HTTPS, with certificates generated at start.
  -h, --help             Show this.

Exit codes: 0 stopped by a signal, 1 could not start, 2 wrong options.
`,
  async run(args, context) {
    const options = readOptions(args);
    if (options.kubeconfig !== undefined) await checkOverwritable(options.kubeconfig);
    const names = await readNames(options.file, context);
    const api = await start(options, context);
    try {
      await announce(api, options.kubeconfig, names[0] ?? 'all', context);
    } finally {
      await api.stop();
    }
    return EXIT.success;
  },
};

interface ReplayCommandOptions {
  readonly file: string;
  readonly speed: number | 'max';
  readonly from: Date | number | undefined;
  readonly port: number | undefined;
  readonly host: string;
  readonly kubeconfig: string | undefined;
  readonly tls: boolean;
}

function readOptions(args: readonly string[]): ReplayCommandOptions {
  const { values, positionals } = parseArguments({
    args: [...args],
    allowPositionals: true,
    options: {
      speed: { type: 'string' },
      from: { type: 'string' },
      port: { type: 'string' },
      host: { type: 'string' },
      kubeconfig: { type: 'string' },
      tls: { type: 'boolean' },
    },
  });
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0)
    throw new UsageError('which file? For instance: kubeflect replay pods.kfr');
  return {
    file,
    speed: speedOf(values.speed ?? '1'),
    from: values.from === undefined ? undefined : momentOf(values.from),
    port: values.port === undefined ? undefined : wholeNumber('--port', values.port, 65_535),
    host: values.host ?? '127.0.0.1',
    kubeconfig: values.kubeconfig,
    tls: values.tls ?? false,
  };
}

function speedOf(text: string): number | 'max' {
  if (text === 'max') return text;
  const speed = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (speed >= 0.001 && speed <= 1e6) return speed;
  throw new UsageError(`--speed must be max or a number from 0.001 to 1000000, got '${text}'`);
}

function momentOf(text: string): Date | number {
  if (text.startsWith('+')) return durationMs('--from', text.slice(1));
  const moment = new Date(text);
  if (/^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(moment.getTime())) return moment;
  throw new UsageError(`--from must be a time such as 2026-07-24T10:00:00Z or +10m, got '${text}'`);
}

async function start(options: ReplayCommandOptions, { stderr }: CommandContext): Promise<ApiServer> {
  const { file, speed, from, port, host, tls } = options;
  try {
    const onWarning = (message: string): void => void stderr.write(`${message}\n`);
    const onError = (error: unknown): void => void stderr.write(`${(error as Error).message}\n`);
    return await startApiServer({ replay: { file, speed, from }, port, host, tls, onWarning, onError });
  } catch (error) {
    if (error instanceof RecordingError) throw new CommandError(error.message);
    const refused = listenError(error, host, port);
    if (refused !== undefined) throw refused;
    const wrong = error instanceof TypeError ? /^(?:replay\.)?(from|host) (must .*)$/s.exec(error.message) : null;
    if (wrong !== null) throw new UsageError(`--${wrong[1]} ${wrong[2]}`);
    throw error;
  }
}

/** The names of the recorded resources; says what the file has. */
async function readNames(file: string, { stderr }: CommandContext): Promise<readonly string[]> {
  try {
    const recording = await openRecording(recordingOnDisk(file));
    recording.close();
    const { header, start, end } = recording;
    const names = header.resources.map(printGroupResource);
    const range = `${new Date(start).toISOString()} to ${new Date(end).toISOString()}`;
    stderr.write(`${file} has ${names.join(', ')} from ${range}\n`);
    return names;
  } catch (error) {
    throw error instanceof RecordingError ? new CommandError(error.message) : error;
  }
}
