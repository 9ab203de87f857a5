import type { Duplex, Readable, Writable } from 'node:stream';
import type { DeepReadonly } from '../../../meta/objects.js';
import type { OptionNames } from '../../../meta/options/known-options.js';
import type { Pod } from '../../../resources/types/core-v1.js';
import type { TerminalSize } from '../../../streams/channel-streams.js';

/** A call that reaches into a pod. */
interface PodCall {
  readonly pod: DeepReadonly<Pod>;
  /** Aborts when the client has gone or the server stops. */
  readonly signal: AbortSignal;
}

/** A process in a container that a client is attached to. */
export interface AttachCall extends PodCall {
  readonly container: string;
  readonly tty: boolean;
  /** What the client sends; undefined if it sends nothing. */
  readonly stdin: Readable | undefined;
  /** Undefined if the client does not read it. */
  readonly stdout: Writable | undefined;
  /** Undefined if the client does not read it; a terminal has none. */
  readonly stderr: Writable | undefined;
  /** Calls back with each size of the client's terminal. */
  onResize(listener: (size: TerminalSize) => void): void;
}

/** A command that a client runs in a container. */
export interface ExecCall extends AttachCall {
  readonly command: readonly string[];
}

/** A client that reads the log of a container. */
export interface LogCall extends PodCall {
  readonly container: string;
  /** Whether the client waits for more at the end. */
  readonly follow: boolean;
  /** Whether the log of the container before its last restart is asked for. */
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly tailLines: number | undefined;
  readonly sinceSeconds: number | undefined;
  readonly sinceTime: string | undefined;
}

/** A connection to a port of a pod. */
export interface PortForwardCall extends PodCall {
  readonly port: number;
  /** The client's connection. */
  readonly connection: Duplex;
}

/** An HTTP request to a pod. */
export interface ProxyCall extends PodCall {
  /** The port in the path; undefined if it has none. */
  readonly port: string | undefined;
  /** The request as the pod gets it: with the path after `/proxy`. */
  readonly request: Request;
}

/** A text, or its parts as they come. */
export type LogOutput = string | Uint8Array | AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

/**
 * What a kubelet does for clients of pods. A function that is absent is answered with 501. What a function throws is told
 * to the client.
 */
export interface Kubelet {
  /** Runs a command. Returns its exit code; nothing is 0. @default 501 Not Implemented */
  readonly exec?: ((call: ExecCall) => number | void | Promise<number | void>) | undefined;
  /** Attaches to the process of a container. Returns its exit code, if it ends. @default 501 Not Implemented */
  readonly attach?: ((call: AttachCall) => number | void | Promise<number | void>) | undefined;
  /** Returns the log of a container. @default with `workloads` a line for each start, otherwise 501 Not Implemented */
  readonly log?: ((call: LogCall) => LogOutput | Promise<LogOutput>) | undefined;
  /** Serves a connection until it resolves. @default 501 Not Implemented */
  readonly portForward?: ((call: PortForwardCall) => void | Promise<void>) | undefined;
  /** Answers an HTTP request. @default 501 Not Implemented */
  readonly proxy?: ((call: ProxyCall) => Response | Promise<Response>) | undefined;
}

export const kubeletNames: OptionNames<Kubelet> = {
  exec: true,
  attach: true,
  log: true,
  portForward: true,
  proxy: true,
};
