/** A random number from 0 to 1, the same sequence for the same seed. */
export type Random = () => number;

function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A request, without the host. */
export interface Step {
  readonly method: 'PATCH' | 'POST' | 'PUT';
  readonly path: string;
  readonly contentType: string;
  readonly body: unknown;
}

type Doc = Record<string, unknown>;

/** One kind of objects that a plan writes. */
interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly path: (namespace: string) => string;
  /** The fields besides metadata of a random object; `isPart`: those that one of several appliers names. */
  readonly content: (random: Random, isPart: boolean) => Doc;
  readonly status?: (random: Random) => Doc;
  readonly hasScale?: boolean;
  readonly isCustom?: boolean;
}

const MANAGERS = ['one', 'two', 'three', 'kubectl'] as const;

const pick = <T>(random: Random, items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
const maybe = (random: Random, chance = 0.5): boolean => random() < chance;

/** Some of these entries. */
function some(random: Random, entries: readonly (readonly [string, () => unknown])[], chance = 0.5): Doc {
  return Object.fromEntries(entries.filter(() => maybe(random, chance)).map(([name, value]) => [name, value()]));
}

const text = (random: Random): string => pick(random, ['1', '2', '3']);
const number = (random: Random): number => pick(random, [1, 2, 3]);
const strings = (random: Random): Doc => {
  return some(
    random,
    ['a', 'b', 'c'].map((key) => [key, () => text(random)] as const),
  );
};

function container(random: Random, name: string): Doc {
  return {
    name,
    image: `image:${text(random)}`,
    ...some(random, [
      ['command', () => [text(random)]],
      ['env', () => ['A', 'B'].filter(() => maybe(random)).map((key) => ({ name: key, value: text(random) }))],
      ['ports', () => [80, 81].filter(() => maybe(random)).map((port) => ({ containerPort: port, name: `p${port}` }))],
      [
        'resources',
        () => ({
          limits: some(random, [
            ['cpu', () => number(random)],
            ['memory', () => '64Mi'],
          ]),
        }),
      ],
    ]),
  };
}

function podTemplate(random: Random): Doc {
  const names = ['main', 'side', 'third'].filter((_, at) => at === 0 || maybe(random, 0.4));
  return {
    metadata: { labels: { app: 'x', ...strings(random) } },
    spec: {
      containers: (maybe(random) ? names : [...names].reverse()).map((name) => container(random, name)),
      ...some(
        random,
        [
          ['nodeSelector', () => strings(random)],
          ['tolerations', () => [{ key: text(random), operator: 'Exists' }]],
          ['hostNetwork', () => false],
        ],
        0.3,
      ),
    },
  };
}

const KINDS: Readonly<Record<string, Kind>> = {
  configmaps: {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    path: (namespace) => `/api/v1/namespaces/${namespace}/configmaps`,
    content: (random) =>
      some(
        random,
        [
          ['data', () => strings(random)],
          ['binaryData', () => some(random, [['d', () => 'AAAA']])],
        ],
        0.8,
      ),
  },
  deployments: {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    path: (namespace) => `/apis/apps/v1/namespaces/${namespace}/deployments`,
    content: (random, isPart) => ({
      spec: {
        ...(isPart && maybe(random, 0.3)
          ? {}
          : { selector: { matchLabels: { app: 'x' } }, template: podTemplate(random) }),
        ...some(random, [
          ['replicas', () => number(random)],
          ['paused', () => true],
          ['strategy', () => ({ type: 'RollingUpdate', rollingUpdate: { maxSurge: number(random) } })],
        ]),
      },
    }),
    status: (random) =>
      some(random, [
        ['replicas', () => number(random)],
        ['observedGeneration', () => number(random)],
        ['conditions', () => [{ type: 'Available', status: pick(random, ['True', 'False']), reason: text(random) }]],
      ]),
    hasScale: true,
  },
  services: {
    apiVersion: 'v1',
    kind: 'Service',
    path: (namespace) => `/api/v1/namespaces/${namespace}/services`,
    content: (random) => ({
      spec: {
        clusterIP: 'None',
        ports: [80, 81, 82]
          .filter((port) => port === 80 || maybe(random))
          .map((port) => ({
            port,
            name: `p${port}`,
            ...some(random, [
              ['protocol', () => 'TCP'],
              ['targetPort', () => pick(random, [8080, 'web'])],
            ]),
          })),
        ...some(random, [
          ['selector', () => strings(random)],
          ['publishNotReadyAddresses', () => true],
        ]),
      },
    }),
  },
  widgets: {
    apiVersion: 'managed.example.com/v1',
    kind: 'Widget',
    path: (namespace) => `/apis/managed.example.com/v1/namespaces/${namespace}/widgets`,
    content: (random) => ({
      spec: some(random, [
        ['size', () => number(random)],
        ['color', () => text(random)],
        ['labels', () => strings(random)],
        ['atomic', () => strings(random)],
        ['names', () => ['x', 'y', 'z'].filter(() => maybe(random))],
        ['list', () => [number(random), number(random)]],
        [
          'parts',
          () =>
            ['a', 'b', 'c']
              .filter(() => maybe(random))
              .map((name) => ({ name, ...some(random, [['count', () => number(random)]]) })),
        ],
        ['free', () => ({ deep: strings(random), list: [number(random)], ...strings(random) })],
      ]),
    }),
    status: (random) => some(random, [['phase', () => text(random)]]),
    isCustom: true,
  },
};

export const kindNames: readonly string[] = Object.keys(KINDS);

const string = { type: 'string' };
const integer = { type: 'integer' };
const map = { type: 'object', additionalProperties: string };

/** The definition of the custom resource that plans write. */
export const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.managed.example.com' },
  spec: {
    group: 'managed.example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  size: { ...integer, default: 7 },
                  color: string,
                  labels: map,
                  atomic: { ...map, 'x-kubernetes-map-type': 'atomic' },
                  names: { type: 'array', items: string, 'x-kubernetes-list-type': 'set' },
                  list: { type: 'array', items: integer },
                  parts: {
                    type: 'array',
                    items: { type: 'object', required: ['name'], properties: { name: string, count: integer } },
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name'],
                  },
                  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                },
              },
              status: { type: 'object', properties: { phase: string } },
            },
          },
        },
      },
    ],
  },
};

/** The requests of one seed: several managers write one object. */
export function* planOf(kindName: string, namespace: string, seed: number, length: number): Generator<Step> {
  const random = seededRandom(seed);
  const kind = KINDS[kindName]!;
  const collection = kind.path(namespace);
  const path = `${collection}/x`;
  const metadata = (): Doc => ({
    name: 'x',
    ...some(
      random,
      [
        ['labels', () => strings(random)],
        ['annotations', () => strings(random)],
        ['finalizers', () => ['example.com/f', 'example.com/g'].filter(() => maybe(random))],
      ],
      0.3,
    ),
  });
  const document = (isPart: boolean): Doc => ({
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: metadata(),
    ...kind.content(random, isPart),
  });
  const query = (force = false): string =>
    `?fieldManager=${pick(random, MANAGERS)}${force && maybe(random, 0.5) ? '&force=true' : ''}`;
  const send = (method: Step['method'], where: string, body: unknown, contentType = 'application/json'): Step => {
    return { method, path: where, contentType, body };
  };
  const apply = (where: string, body: unknown): Step => {
    return send('PATCH', `${where}${query(true)}`, body, 'application/apply-patch+yaml');
  };
  const patch = (where: string, type: string, body: unknown): Step => {
    return send('PATCH', `${where}${query()}`, body, `application/${type}+json`);
  };

  yield maybe(random) ? apply(path, document(false)) : send('POST', `${collection}${query()}`, document(false));
  for (let at = 1; at < length; at++) {
    const roll = random();
    if (roll < 0.45) yield apply(path, document(true));
    else if (roll < 0.6 && !kind.isCustom) yield send('PUT', `${path}${query()}`, document(false));
    else if (roll < 0.7) yield patch(path, 'merge-patch', { metadata: metadata(), ...kind.content(random, true) });
    else if (roll < 0.8 && !kind.isCustom) {
      yield patch(path, 'strategic-merge-patch', { metadata: metadata(), ...kind.content(random, true) });
    } else if (roll < 0.84) {
      yield patch(path, 'json-patch', [{ op: 'add', path: '/metadata/annotations', value: strings(random) }]);
    } else if (roll < 0.87) yield patch(path, 'merge-patch', { metadata: { managedFields: pick(random, [[], null]) } });
    else if (roll < 0.94 && kind.status !== undefined) {
      const status = {
        apiVersion: kind.apiVersion,
        kind: kind.kind,
        metadata: { name: 'x' },
        status: kind.status(random),
      };
      yield maybe(random) ? apply(`${path}/status`, status) : patch(`${path}/status`, 'merge-patch', status);
    } else if (kind.hasScale) {
      const scale = {
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: 'x' },
        spec: { replicas: number(random) },
      };
      yield maybe(random) ? apply(`${path}/scale`, scale) : patch(`${path}/scale`, 'merge-patch', { spec: scale.spec });
    } else yield apply(path, document(true));
  }
}
