import assert from 'node:assert/strict';
import { type ApiServer, startApiServer } from '../../../src/apiserver/index.js';
import { bodyFormat, negotiate, patchFormat } from '../../../src/apiserver/wire/media-types.js';
import { parseRequestInfo } from '../../../src/apiserver/wire/request-info.js';
import { FakeClock } from '../../../src/time/fake-clock.js';
import { jsonObject, jsonValue } from '../json-text.js';
import { mutateText } from '../mutate.js';
import type { Random } from '../random.js';
import { target } from '../target.js';

interface Sent {
  readonly method: string;
  readonly target: string;
  readonly type: string;
  readonly body: string;
}

const segments = [
  'api',
  'apis',
  'v1',
  'apps',
  'namespaces',
  'default',
  'pods',
  'configmaps',
  'deployments',
  'a',
  'status',
  'scale',
  'proxy',
  'log',
  'exec',
  'watch',
  '',
  '..',
  '%2F',
  '%zz',
  'ä',
  '*',
  'nodes',
  'apiextensions.k8s.io',
  'customresourcedefinitions',
  'openapi',
  'v2',
  'healthz',
];
const paths = [
  '/api/v1/namespaces/default/configmaps',
  '/api/v1/namespaces/default/configmaps/a',
  '/apis/apps/v1/namespaces/default/deployments/a',
  '/api/v1/namespaces/default/pods/a',
  '/api/v1/pods',
  '/apis/apps/v1/namespaces/default/deployments',
  '/api/v1/namespaces/default/pods',
  '/api',
  '/apis',
  '/version',
  '/api/v1',
  '/openapi/v2',
  '/openapi/v3',
];

function someTarget(random: Random): string {
  const path = random.oneIn(4) ? `/${random.list(1, 6, () => random.pick(segments)).join('/')}` : random.pick(paths);
  return random.oneIn(2) ? path : `${path}?${random.list(1, 3, () => parameter(random)).join('&')}`;
}

function parameter(random: Random): string {
  const continued = (): string =>
    Buffer.from(
      JSON.stringify({
        v: 'meta.k8s.io/v1',
        rv: random.pick([1, 5, -1, 0, 1e20, '5']),
        start: random.pick(['a', 'default/a\0', '', '../a', 5]),
      }),
    ).toString('base64url');
  const value = random.pick<() => string>([
    () =>
      random.pick([
        '1',
        '0',
        '-1',
        'true',
        '',
        'All',
        'Strict',
        'a=b',
        'metadata.name=a',
        '500',
        '18446744073709551616',
        'NotOlderThan',
        'Exact',
        'Orphan',
        'application/json',
        '%00',
        '%ff',
        'a,b in (c',
      ]),
    continued,
    () => mutateText(random, continued(), ['=', '.', '_', '-', '%']),
  ])();
  const name = random.pick([
    'limit',
    'continue',
    'resourceVersion',
    'resourceVersionMatch',
    'labelSelector',
    'fieldSelector',
    'dryRun',
    'fieldManager',
    'fieldValidation',
    'force',
    'pretty',
    'gracePeriodSeconds',
    'propagationPolicy',
    'sendInitialEvents',
    'allowWatchBookmarks',
    'timeoutSeconds',
    'includeObject',
    'shardSelector',
    '__proto__',
    '',
  ]);
  return `${name}=${value}`;
}

function someBody(random: Random): string {
  if (random.oneIn(6)) return '';
  const object = {
    apiVersion: random.pick(['v1', 'apps/v1', '', 5]),
    kind: random.pick(['ConfigMap', 'Pod', 'Deployment', 'DeleteOptions', '']),
    metadata: random.oneIn(10)
      ? jsonValue(random, 2)
      : {
          name: random.pick(['a', 'b', 'A', '', 5]),
          labels: jsonObject(random, 1),
          resourceVersion: random.pick(['', '1', 'x']),
          managedFields: random.oneIn(10) ? jsonValue(random, 2) : undefined,
          ownerReferences: random.oneIn(10) ? jsonValue(random, 2) : undefined,
          finalizers: random.oneIn(10) ? jsonValue(random, 2) : undefined,
        },
    ...(random.oneIn(2) ? { data: random.oneIn(4) ? jsonValue(random, 2) : { a: 'b' } } : {}),
    ...(random.oneIn(2)
      ? {
          spec: random.oneIn(3)
            ? jsonValue(random, 3)
            : {
                replicas: random.pick([1, -1, '1']),
                selector: { matchLabels: { a: 'b' } },
                containers: [{ name: 'a', image: 'x' }],
                template: {
                  metadata: { labels: { a: 'b' } },
                  spec: { containers: [{ name: 'a', image: 'x', resources: jsonValue(random, 2) }] },
                },
              },
        }
      : {}),
  };
  const text = random.oneIn(6)
    ? JSON.stringify(jsonValue(random, 3))
    : random.oneIn(8)
      ? JSON.stringify([
          { op: 'add', path: random.pick(['/data', '/metadata/labels/a', '/x']), value: jsonValue(random, 2) },
        ])
      : JSON.stringify(object);
  return random.oneIn(6) ? mutateText(random, text, ['{', '}', '"', '\\', 'null', ',', '[', '\u0000']) : text;
}

const types = [
  'application/json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/json-patch+json',
  'application/apply-patch+yaml',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'text/plain',
  '',
];

/** A server for all inputs of this process: its objects have few names, so that there are never many. */
class Server {
  #server: ApiServer | undefined;
  readonly #clock = new FakeClock();
  /** What the server could not handle. */
  readonly errors: unknown[] = [];

  async send({ method, target: path, type, body }: Sent): Promise<number> {
    this.#server ??= await startApiServer({
      clock: this.#clock,
      listen: false,
      seed: 7,
      onError: (error) => void this.errors.push(error),
    });
    const { connection } = this.#server;
    let status = 0;
    let isOver = false;
    const headers = { ...(type === '' ? {} : { 'content-type': type }) };
    const exchange = connection.send(
      { method, target: path, headers, ...(body === '' ? {} : { body: Buffer.from(body) }) },
      {
        head: (code) => {
          status = code;
        },
        chunk() {},
        end: () => {
          isOver = true;
        },
        error: () => {
          isOver = true;
        },
      },
    );
    await this.#clock.runUntilIdle();
    // A watch, a log that is followed, and a list of a version that does not exist yet stay open.
    if (!isOver) exchange.abort();
    await this.#clock.runUntilIdle();
    return status;
  }
}

const server = new Server();

export const serverTargets = [
  target(
    'request-paths',
    'a method and a target have a meaning, or none',
    (random) => ({
      method: random.pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']),
      path: random.oneIn(4)
        ? mutateText(random, someTarget(random), ['/', '?', '&', '=', '%', '%2', 'watch'])
        : someTarget(random),
    }),
    ({ method, path }: { method: string; path: string }) => {
      const info = parseRequestInfo(method, path);
      if (info === undefined) return false;
      if (info.isResourceRequest)
        for (const text of [info.group, info.version, info.namespace, info.resource, info.name, info.subresource])
          assert.equal(typeof text, 'string');
      return true;
    },
  ),

  target(
    'media-types',
    'an Accept header is negotiated, or not acceptable; a Content-Type has a format, or none',
    (random) => {
      const text = random
        .list(
          1,
          3,
          () =>
            `${random.pick(['application/json', '*/*', 'application/*', 'application/yaml', 'application/vnd.kubernetes.protobuf', 'text/html'])}${random.pick(['', ';q=0.5', ';as=Table;v=v1;g=meta.k8s.io', ';stream=watch', '; charset=utf-8', ';as=PartialObjectMetadata;g=meta.k8s.io;v=v1'])}`,
        )
        .join(', ');
      return random.oneIn(2) ? mutateText(random, text, [';', '=', ',', '/', '*', 'q', '"', ' ']) : text;
    },
    (header: string) => {
      bodyFormat(header);
      patchFormat(header, ['json', 'merge', 'strategic', 'apply']);
      const accepted = negotiate(header, ['Table', 'PartialObjectMetadata']);
      return accepted !== undefined;
    },
  ),

  target(
    'server-requests',
    'is answered with a status below 500, or with one that kube-apiserver would answer too',
    (random) => ({
      method: random.pick(['GET', 'POST', 'POST', 'PUT', 'PATCH', 'PATCH', 'DELETE']),
      target: someTarget(random),
      type: random.oneIn(3) ? random.pick(types) : 'application/json',
      body: someBody(random),
    }),
    async (sent: Sent) => {
      const status = await server.send(sent);
      assert.deepEqual(server.errors.splice(0), []);
      return status > 0 && status < 300;
    },
  ),
];
