import type { Json } from '../../golden/part.js';

/** One request of the differential test. */
export interface RandomRequest {
  readonly method: string;
  readonly path: string;
  /** The path of the object that it is about, if it is about one. */
  readonly object?: string | undefined;
  readonly contentType?: string | undefined;
  readonly body?: string | undefined;
}

/** A kind that requests are made for: where it is, and a valid object of it. */
interface RandomKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly cluster?: true;
  readonly subresources?: readonly string[];
  readonly isCustom?: true;
  readonly content: Json;
}

const podSpec: Json = {
  containers: [{ name: 'c', image: 'i:1', ports: [{ containerPort: 80 }], env: [{ name: 'A', value: 'b' }] }],
};
const template: Json = { metadata: { labels: { a: 'b' } }, spec: podSpec };
const status = ['status'];

/** Ten built-in kinds and two custom ones. */
const kinds: readonly RandomKind[] = [
  { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps', content: { data: { a: 'b' }, immutable: false } },
  { apiVersion: 'v1', kind: 'Secret', plural: 'secrets', content: { type: 'Opaque', data: { a: 'Yg==' } } },
  {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    plural: 'serviceaccounts',
    content: { automountServiceAccountToken: true },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    plural: 'services',
    subresources: status,
    content: { spec: { selector: { a: 'b' }, ports: [{ port: 80 }] } },
  },
  { apiVersion: 'v1', kind: 'Pod', plural: 'pods', subresources: status, content: { spec: podSpec } },
  {
    apiVersion: 'v1',
    kind: 'Node',
    plural: 'nodes',
    cluster: true,
    subresources: status,
    content: { spec: { unschedulable: true } },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    plural: 'deployments',
    subresources: ['status', 'scale'],
    content: { spec: { replicas: 2, selector: { matchLabels: { a: 'b' } }, template } },
  },
  {
    apiVersion: 'batch/v1',
    kind: 'Job',
    plural: 'jobs',
    subresources: status,
    content: { spec: { template: { spec: { ...podSpec, restartPolicy: 'Never' } } } },
  },
  {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    plural: 'leases',
    content: { spec: { holderIdentity: 'h', leaseDurationSeconds: 15 } },
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    plural: 'roles',
    content: { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
  },
  {
    apiVersion: 'differential.example.com/v1',
    kind: 'Widget',
    plural: 'widgets',
    isCustom: true,
    subresources: ['status', 'scale'],
    content: { spec: { replicas: 1, text: 'x', list: [{ k: 'a', v: 1 }] } },
  },
  {
    apiVersion: 'differential.example.com/v1',
    kind: 'Thing',
    plural: 'things',
    isCustom: true,
    cluster: true,
    content: { free: { a: [1, 'b'] } },
  },
];

/** The definitions of the two custom kinds. */
export const randomDefinitions: readonly Json[] = [
  definition('Widget', 'widgets', 'Namespaced', {
    subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: {
            type: 'object',
            required: ['text'],
            properties: {
              replicas: { type: 'integer', minimum: 0, default: 1 },
              text: { type: 'string', maxLength: 10, pattern: '^[a-z]+$' },
              list: {
                type: 'array',
                'x-kubernetes-list-type': 'map',
                'x-kubernetes-list-map-keys': ['k'],
                items: {
                  type: 'object',
                  required: ['k'],
                  properties: { k: { type: 'string' }, v: { type: 'integer' } },
                },
              },
            },
          },
          status: { type: 'object', properties: { replicas: { type: 'integer' } } },
        },
      },
    },
  }),
  definition('Thing', 'things', 'Cluster', {
    schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  }),
];

function definition(kind: string, plural: string, scope: string, version: Json): Json {
  return {
    metadata: { name: `${plural}.differential.example.com` },
    spec: {
      group: 'differential.example.com',
      scope,
      names: { plural, kind },
      versions: [{ name: 'v1', served: true, storage: true, ...version }],
    },
  };
}

/** A generator of numbers from 0 (included) to 1 (excluded), the same for each seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const strangeValues: readonly Json[] = [
  null,
  5,
  -1,
  1.5,
  true,
  '',
  'x',
  'A_B',
  'a b',
  {},
  [],
  { x: 1 },
  ['x'],
  3_000_000_000,
];
const strangeQueries = [
  'dryRun=All',
  'dryRun=',
  'dryRun=x',
  'fieldValidation=Strict',
  'fieldValidation=Ignore',
  'fieldValidation=x',
  'fieldManager=m',
  'fieldManager=a%07b',
  'force=true',
  'propagationPolicy=Orphan',
  'propagationPolicy=x',
  'gracePeriodSeconds=0',
  'gracePeriodSeconds=x',
  'resourceVersion=abc',
  'limit=x',
  'limit=1',
  'labelSelector=a%3Db',
  'labelSelector=%3D%3D',
  'fieldSelector=metadata.name%3Da',
  'fieldSelector=nope%3Da',
  'resourceVersionMatch=Exact',
];

/** Makes the same requests for each seed, in the namespace `differential`. */
export function* randomRequests(seed: number, count: number): Generator<RandomRequest> {
  const random = seeded(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const chance = (probability: number): boolean => random() < probability;
  for (let i = 0; i < count; i++) yield one();

  function one(): RandomRequest {
    const kind = pick(kinds);
    const prefix = kind.apiVersion === 'v1' ? '/api/v1' : `/apis/${kind.apiVersion}`;
    const collection = `${prefix}${kind.cluster ? '' : '/namespaces/differential'}/${kind.plural}`;
    const name = pick(['a', 'b', 'c']);
    const object = `${collection}/${kind.cluster ? `differential-${name}` : name}`;
    const part = kind.subresources !== undefined && chance(0.12) ? `/${pick(kind.subresources)}` : '';
    const query = chance(0.2) ? `?${pick(strangeQueries)}` : '';
    const at = (method: string, path: string, body?: string, contentType?: string): RandomRequest => ({
      method,
      path: path + query,
      object,
      body,
      contentType,
    });
    switch (
      pick(['create', 'create', 'create', 'update', 'update', 'patch', 'patch', 'patch', 'delete', 'get', 'list'])
    ) {
      case 'create':
        return at('POST', collection, text(sent(kind, object)), bodyType());
      case 'update':
        return at('PUT', object + part, text(sent(kind, object, part)), bodyType());
      case 'patch':
        return patch(kind, object, part, at);
      case 'delete':
        return at(
          'DELETE',
          object,
          chance(0.2)
            ? text(
                pick<Json>([
                  { dryRun: ['All'] },
                  { dryRun: 'All' },
                  { gracePeriodSeconds: 0 },
                  { preconditions: { uid: 'x' } },
                  { propagationPolicy: '' },
                  [],
                ]),
              )
            : undefined,
        );
      case 'get':
        return at('GET', object + part);
      default:
        return at('GET', collection);
    }
  }

  function bodyType(): string | undefined {
    // JSON is YAML too.
    return chance(0.9)
      ? undefined
      : pick(['application/yaml', 'application/json; charset=utf-8', 'text/plain', 'application/yaml']);
  }

  function text(value: Json): string {
    return chance(0.01) ? JSON.stringify(value).slice(0, -1) : JSON.stringify(value);
  }

  /** A valid object, or one with a fault. */
  function sent(kind: RandomKind, path: string, part = ''): Json {
    const metadata: Json = { name: path.slice(path.lastIndexOf('/') + 1) };
    if (chance(0.3)) metadata.labels = { a: pick(['b', 'c', '']) };
    if (part === '/scale') return { metadata, spec: { replicas: pick<Json>([0, 3, -1, 'x']) } };
    const { apiVersion, kind: name, content } = kind;
    const whole: Json = structuredClone({ apiVersion, kind: name, metadata, ...content });
    if (!kind.isCustom && chance(0.1)) delete whole.kind;
    if (part === '/status') whole.status = pick<Json>([{}, { replicas: 1 }, { phase: 'Running' }, { conditions: [] }]);
    if (chance(0.35)) spoil(whole);
    return whole;
  }

  /** Changes one place of a document. */
  function spoil(value: Json): void {
    const places: [Json, string | number][] = [];
    const visit = (container: Json): void => {
      for (const key of Array.isArray(container) ? container.keys() : Object.keys(container)) {
        places.push([container, key]);
        if (container[key] !== null && typeof container[key] === 'object') visit(container[key]);
      }
    };
    visit(value);
    const [container, key] = pick(places);
    const change = Array.isArray(container) ? 'replace' : pick(['remove', 'add', 'replace', 'replace', 'replace']);
    if (change === 'remove') delete container[key];
    else if (change === 'add') container[pick(['unknown', 'Data', 'name', 'namespace'])] = pick(strangeValues);
    else container[key] = structuredClone(pick(strangeValues));
  }

  function patch(
    kind: RandomKind,
    object: string,
    part: string,
    at: (method: string, path: string, body?: string, contentType?: string) => RandomRequest,
  ): RandomRequest {
    const type = pick(['merge', 'merge', 'json', 'strategic', 'apply']);
    const path = object + part;
    if (type === 'apply') {
      const { path: asked, ...rest } = at(
        'PATCH',
        path,
        text(sent(kind, object, part)),
        'application/apply-patch+yaml',
      );
      const manager = `fieldManager=${pick(['one', 'two'])}`;
      return { ...rest, path: asked.includes('?') ? `${asked}&${manager}` : `${asked}?${manager}` };
    }
    if (type === 'json') {
      const operation = {
        op: pick(['add', 'remove', 'replace', 'copy', 'move', 'test', 'nope']),
        path: pick([
          '/metadata/labels',
          '/metadata/labels/a',
          '/data/a',
          '/spec/replicas',
          '/spec',
          '/nope/deep',
          '/metadata/annotations',
          '',
        ]),
        ...(chance(0.7) ? { value: pick<Json>(['x', 5, null, { a: 'b' }, []]) } : {}),
        ...(chance(0.3) ? { from: '/metadata/labels' } : {}),
      };
      return at('PATCH', path, text(chance(0.05) ? operation : [operation]), 'application/json-patch+json');
    }
    const document = sent(kind, object, part);
    for (const field of ['apiVersion', 'kind']) if (chance(0.8)) delete document[field];
    if (chance(0.5)) delete document.metadata;
    const format = type === 'merge' ? 'application/merge-patch+json' : 'application/strategic-merge-patch+json';
    return at('PATCH', path, text(document), chance(0.02) ? 'application/json' : format);
  }
}
