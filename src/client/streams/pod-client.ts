import type { Duplex, Writable } from 'node:stream';
import type { WritableStream } from 'node:stream/web';
import type { Abortable, DeepReadonly, LabelSelector } from '../../meta/objects.js';
import { abortableNames, type OptionNames } from '../../meta/options/known-options.js';
import type { Pod } from '../../resources/types/core-v1.js';
import type { TerminalSize } from '../../streams/channel-streams.js';
import { type LogLineOptions, logLineNames, type ResourceClient } from '../resource-client.js';

/** A terminal that says when its size changes: `process.stdout` is one. */
interface Terminal {
  readonly columns: number;
  readonly rows: number;
  on(event: 'resize', listener: () => void): unknown;
  off(event: 'resize', listener: () => void): unknown;
}

/** The streams between this program and a process in a container. */
export interface AttachOptions extends Abortable {
  /** @default the pod's only container; a pod of several needs this */
  readonly container?: string | undefined;
  /**
   * Sent to the process: a node or web stream, any other async iterable, or the whole input. Its end closes stdin of the process,
   * if the server speaks `v5.channel.k8s.io` (Kubernetes 1.30). A node stream stays open if the process ends first.
   * @default none: the process has no stdin
   */
  readonly stdin?: AsyncIterable<Uint8Array | string> | Uint8Array | string | undefined;
  /** Receives the output, and is ended after it, unless it is `process.stdout` or `process.stderr`. @default dropped */
  readonly stdout?: Writable | WritableStream<Uint8Array> | undefined;
  /** As `stdout`; a terminal has no stderr of its own. @default dropped */
  readonly stderr?: Writable | WritableStream<Uint8Array> | undefined;
  /** Whether the process has a terminal. @default false */
  readonly tty?: boolean | undefined;
  /** The size of the terminal and its changes: `process.stdout`, or sizes as they come. @default chosen by the container runtime */
  readonly resize?: AsyncIterable<TerminalSize> | Terminal | undefined;
}

export const attachNames: OptionNames<AttachOptions> = {
  ...abortableNames,
  container: true,
  stdin: true,
  stdout: true,
  stderr: true,
  tty: true,
  resize: true,
};

/** A command in a container, and its streams. */
export interface ExecOptions extends AttachOptions {
  /** The program and its arguments. No shell interprets them. */
  readonly command: readonly string[];
}

export const execNames: OptionNames<ExecOptions> = { ...attachNames, command: true };

/** A port of a pod: its number, or with the local port that is forwarded to it. */
export type ForwardedPort = number | { readonly remote: number; readonly local?: number | undefined };

/** Options of a port-forward. */
export interface PortForwardOptions extends Abortable {
  /** The local address to listen at. @default '127.0.0.1' */
  readonly address?: string | undefined;
  /** Called with the error of each connection that failed; the forward goes on. @default a process warning */
  readonly onError?: ((error: Error) => void) | undefined;
}

export const portForwardNames: OptionNames<PortForwardOptions> = { ...abortableNames, address: true, onError: true };

/** Local ports that are forwarded to a pod. */
export interface PortForward extends AsyncDisposable {
  /** In the order of the call. */
  readonly ports: readonly { readonly local: number; readonly remote: number }[];
  /** Stops listening and closes all connections; resolves when they are closed. Idempotent. */
  close(): Promise<void>;
}

/** How far a copy is. */
export interface CopyProgress {
  /** The file, folder or link that was copied last, below the copied path; empty for the path itself. */
  readonly path: string;
  readonly files: number;
  /** The contents of files that were copied. */
  readonly bytes: number;
}

/** Options of a copy. */
export interface CopyOptions extends Abortable {
  /** @default the pod's only container; a pod of several needs this */
  readonly container?: string | undefined;
  /** Called after each file, folder and link. @default none */
  readonly onProgress?: ((progress: CopyProgress) => void) | undefined;
  /** Leaves out symbolic links that lead out of the copied folder, instead of rejecting at the first one. @default false */
  readonly skipLinks?: boolean | undefined;
}

export const copyNames: OptionNames<CopyOptions> = {
  ...abortableNames,
  container: true,
  onProgress: true,
  skipLinks: true,
};

/** Which pods' logs are read: one by its name, or those that match a selector now. */
export type LogSource = string | { readonly labelSelector: string | DeepReadonly<LabelSelector> };

/** Which parts of the logs are read, and whether they are followed. */
export interface LogsOptions extends Omit<LogLineOptions, 'container' | 'timestamps' | 'limitBytes'> {
  /** @default all containers of each pod, without init containers */
  readonly containers?: readonly string[] | undefined;
  /** The most logs at once; more reject before any is read. @default 50 */
  readonly maxRequests?: number | undefined;
}

const { container: _container, timestamps: _timestamps, limitBytes: _limitBytes, ...lineNames } = logLineNames;
export const logsNames: OptionNames<LogsOptions> = { ...lineNames, containers: true, maxRequests: true };

/** A line of a log. */
export interface LogLine {
  readonly pod: string;
  readonly container: string;
  /** When it was written, in RFC 3339 with up to nine digits after the second; empty if the server gave no time. */
  readonly time: string;
  readonly text: string;
  /** The pod and the container as `kubectl logs --prefix` writes them: `[pod/web-0/app]`. */
  readonly prefix: string;
}

/** Reads and writes pods, and reaches into them: processes, ports, files and logs. */
export interface PodClient extends ResourceClient<Pod> {
  /**
   * Runs a command in a container. Resolves with its exit code, after all output was written; rejects if the command cannot be
   * run, the connection breaks, or a stream fails.
   *
   * @example
   * const code = await pods.exec('web-0', { command: ['ls', '-l'], stdout: process.stdout });
   */
  exec(name: string, options: ExecOptions): Promise<number>;
  /** Attaches to the process of a container until it ends. Resolves as {@link exec}; kubelets say 0 whatever the exit code. */
  attach(name: string, options?: AttachOptions): Promise<number>;
  /** Opens a connection to a port of a pod, as a socket would. Errors of the server destroy it. */
  connect(name: string, port: number, options?: Abortable): Promise<Duplex>;
  /**
   * Listens at local ports and forwards each connection to a port of a pod, until it is closed or `signal` aborts. A local port
   * that is not given is a free one.
   *
   * @example
   * await using forward = await pods.portForward('web-0', 8080);
   * await fetch(`http://127.0.0.1:${forward.ports[0].local}/healthz`);
   */
  portForward(
    name: string,
    ports: ForwardedPort | readonly ForwardedPort[],
    options?: PortForwardOptions,
  ): Promise<PortForward>;
  /**
   * Copies a local file or folder into a container, where it gets the path `remote`; a folder that is there is merged with it.
   * The container needs `tar`.
   */
  copyTo(name: string, local: string, remote: string, options?: CopyOptions): Promise<CopyProgress>;
  /**
   * Copies a file or folder out of a container, to the path `local`. The container needs `tar`. Entries that would be written
   * outside of `local` reject the copy, as do symbolic links that lead out of it; devices and pipes are left out.
   */
  copyFrom(name: string, remote: string, local: string, options?: CopyOptions): Promise<CopyProgress>;
  /**
   * Yields the lines of one or more logs, in the order of their times. With `follow` it waits for new lines, also after a
   * container has restarted or a connection broke, and ends when no container of these pods will write any more.
   */
  logs(source: LogSource, options?: LogsOptions): AsyncIterableIterator<LogLine>;
}
