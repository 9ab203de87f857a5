import { type Readable, Writable } from 'node:stream';
import { runAttached } from '../../client/streams/attached-process.js';
import type { AttachOptions } from '../../client/streams/pod-client.js';
import { StatusError } from '../../meta/errors/errors.js';
import type { KubeConfigLike } from '../../rest/config/kubeconfig-like.js';
import { ApiClient } from '../api/api-client.js';
import { officialError } from '../api/api-exception.js';
import type { V1Status } from '../models.js';
import { PodSession } from './pod-session.js';

/** Runs commands in containers. */
export class Exec {
  readonly #client: ApiClient;

  constructor(config: KubeConfigLike) {
    this.#client = new ApiClient(config);
  }

  /** Resolves when the command runs; `statusCallback` gets its end. The streams are not ended. */
  exec(
    namespace: string,
    podName: string,
    containerName: string,
    command: string | string[],
    stdout: Writable | null,
    stderr: Writable | null,
    stdin: Readable | null,
    tty: boolean,
    statusCallback?: (status: V1Status) => void,
  ): Promise<PodSession> {
    const query = { container: containerName, command: [command].flat() };
    const path = [namespace, podName, 'exec'] as const;
    return attached(this.#client, path, query, streamsOf(stdout, stderr, stdin, tty), statusCallback);
  }
}

/** Attaches to the processes of containers. */
export class Attach {
  readonly #client: ApiClient;

  constructor(config: KubeConfigLike) {
    this.#client = new ApiClient(config);
  }

  /** Resolves when the streams are connected, which are not ended. */
  attach(
    namespace: string,
    podName: string,
    containerName: string,
    stdout: Writable | null,
    stderr: Writable | null,
    stdin: Readable | null,
    tty: boolean,
  ): Promise<PodSession> {
    const path = [namespace, podName, 'attach'] as const;
    return attached(this.#client, path, { container: containerName }, streamsOf(stdout, stderr, stdin, tty));
  }
}

function streamsOf(
  stdout: Writable | null,
  stderr: Writable | null,
  stdin: Readable | null,
  tty: boolean,
): AttachOptions {
  return {
    tty,
    ...(stdout === null ? {} : { stdout: kept(stdout) }),
    ...(stderr === null ? {} : { stderr: kept(stderr) }),
    ...(stdin === null ? {} : { stdin }),
    ...(tty && stdout !== null && isTerminal(stdout) ? { resize: stdout } : {}),
  };
}

type Terminal = Extract<NonNullable<AttachOptions['resize']>, { readonly columns: number }>;

function isTerminal(stream: Writable): stream is Writable & Terminal {
  return typeof (stream as Partial<Terminal>).columns === 'number';
}

/** Writes to a stream, and does not end it. */
function kept(stream: Writable): Writable {
  return new Writable({ write: (chunk, _encoding, done) => void stream.write(chunk, done) });
}

async function attached(
  client: ApiClient,
  [namespace, name, subresource]: readonly [string, string, string],
  query: { readonly container: string; readonly command?: readonly string[] },
  streams: AttachOptions,
  statusCallback: (status: V1Status) => void = () => {},
): Promise<PodSession> {
  const rest = await client.rest();
  const session = new PodSession();
  const request = rest.get().namespace(namespace).resource('pods').name(name).subresource(subresource);
  if (query.container) request.param('container', query.container);
  for (const part of query.command ?? []) request.param('command', [part]);
  return new Promise((resolve, reject) => {
    let isOpen = false;
    const open = (): void => {
      isOpen = true;
      resolve(session);
    };
    runAttached(request, { ...streams, signal: session.signal }, rest.clock, open).then(
      (code) => {
        statusCallback(statusOf(code));
        session.end();
      },
      (error: unknown) => {
        if (!isOpen) return reject(officialError(error));
        if (error instanceof StatusError) statusCallback(error.document as V1Status);
        session.end(error);
      },
    );
  });
}

/** The Status that a server sends for an exit code. */
function statusOf(code: number): V1Status {
  if (code === 0) return { metadata: {}, status: 'Success' };
  return {
    metadata: {},
    status: 'Failure',
    reason: 'NonZeroExitCode',
    message: `command terminated with non-zero exit code: exit status ${code}`,
    details: { causes: [{ reason: 'ExitCode', message: `${code}` }] },
  };
}
