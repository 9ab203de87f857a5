import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kubernetesVersion } from '../../resources/catalogue.js';
import { compareVersionPriority, Discovery, type ServedResource } from './discovery.js';

const ALL = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const STATUS = ['get', 'patch', 'update'];
const RESOURCES: readonly ServedResource[] = [
  {
    group: '',
    version: 'v1',
    resource: 'pods',
    singular: 'pod',
    kind: 'Pod',
    namespaced: true,
    verbs: ALL,
    shortNames: ['po'],
    categories: ['all'],
    subresources: [
      { name: 'eviction', kind: 'Eviction', group: 'policy', version: 'v1', verbs: ['create'] },
      { name: 'status', kind: 'Pod', verbs: STATUS },
    ],
  },
  { group: '', version: 'v1', resource: 'nodes', singular: 'node', kind: 'Node', namespaced: false, verbs: ALL },
  ...['v1', 'v2', 'v2beta1'].map((version) => ({
    group: 'autoscaling',
    version,
    resource: 'horizontalpodautoscalers',
    singular: 'horizontalpodautoscaler',
    kind: 'HorizontalPodAutoscaler',
    namespaced: true,
    verbs: ALL,
    shortNames: ['hpa'],
    subresources: [],
  })),
];
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const discovery = new Discovery(RESOURCES, { serverAddress: '127.0.0.1:6443' });

function read(path: string, accept?: string): unknown {
  const document = discovery.find(path, accept);
  if (document === undefined || document === 'notAcceptable') throw new Error(`${path}: ${document}`);
  return JSON.parse(Buffer.from(document.body).toString());
}

describe('Discovery', () => {
  it('lists the versions of the core', () => {
    expect(read('/api')).toEqual({
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '127.0.0.1:6443' }],
    });
  });

  it('lists groups with their preferred version first', () => {
    const groupVersion = (version: string) => ({ groupVersion: `autoscaling/${version}`, version });
    const group = {
      name: 'autoscaling',
      versions: [groupVersion('v2'), groupVersion('v1'), groupVersion('v2beta1')],
      preferredVersion: groupVersion('v2'),
    };
    expect(read('/apis')).toEqual({ kind: 'APIGroupList', apiVersion: 'v1', groups: [group] });
    expect(read('/apis/autoscaling')).toEqual({ kind: 'APIGroup', apiVersion: 'v1', ...group });
  });

  it('lists resources with their subresources after them', () => {
    expect(read('/api/v1/')).toEqual({
      kind: 'APIResourceList',
      groupVersion: 'v1',
      resources: [
        {
          name: 'pods',
          singularName: 'pod',
          namespaced: true,
          kind: 'Pod',
          verbs: ALL,
          shortNames: ['po'],
          categories: ['all'],
        },
        {
          name: 'pods/eviction',
          singularName: '',
          namespaced: true,
          group: 'policy',
          version: 'v1',
          kind: 'Eviction',
          verbs: ['create'],
        },
        { name: 'pods/status', singularName: '', namespaced: true, kind: 'Pod', verbs: STATUS },
        { name: 'nodes', singularName: 'node', namespaced: false, kind: 'Node', verbs: ALL },
      ],
    });
    expect(read('/apis/autoscaling/v2')).toMatchObject({ apiVersion: 'v1', groupVersion: 'autoscaling/v2' });
  });

  it('gives the aggregated document to clients that accept it', () => {
    expect(discovery.find('/api', AGGREGATED)).toMatchObject({ contentType: AGGREGATED });
    expect(read('/api', AGGREGATED)).toEqual({
      kind: 'APIGroupDiscoveryList',
      apiVersion: 'apidiscovery.k8s.io/v2',
      metadata: {},
      items: [
        {
          metadata: {},
          versions: [
            {
              version: 'v1',
              resources: [
                {
                  resource: 'pods',
                  responseKind: { group: '', version: '', kind: 'Pod' },
                  scope: 'Namespaced',
                  singularResource: 'pod',
                  verbs: ALL,
                  shortNames: ['po'],
                  categories: ['all'],
                  subresources: [
                    {
                      subresource: 'eviction',
                      responseKind: { group: 'policy', version: 'v1', kind: 'Eviction' },
                      verbs: ['create'],
                    },
                    { subresource: 'status', responseKind: { group: '', version: '', kind: 'Pod' }, verbs: STATUS },
                  ],
                },
                {
                  resource: 'nodes',
                  responseKind: { group: '', version: '', kind: 'Node' },
                  scope: 'Cluster',
                  singularResource: 'node',
                  verbs: ALL,
                },
              ],
              freshness: 'Current',
            },
          ],
        },
      ],
    });
    expect(read('/apis', AGGREGATED)).toMatchObject({
      items: [
        { metadata: { name: 'autoscaling' }, versions: [{ version: 'v2' }, { version: 'v1' }, { version: 'v2beta1' }] },
      ],
    });
    expect(discovery.find('/apis', undefined)).toMatchObject({ contentType: 'application/json' });
  });

  it('serves /version as JSON only', () => {
    expect(discovery.find('/version', 'application/vnd.kubernetes.protobuf')).toBe('notAcceptable');
    expect(read('/version', 'application/vnd.kubernetes.protobuf,application/json')).toMatchObject({
      major: '1',
      minor: expect.stringMatching(/^\d+$/),
      gitVersion: `${kubernetesVersion}+kubeflect`,
    });
  });

  it.each([
    '/',
    '/api/v2',
    '/api/v1/pods',
    '/apis/nosuch',
    '/apis/autoscaling/v9',
    '/apis//v1',
    '/nosuch',
    '/version/a',
  ])('knows nothing of %s', (path) => expect(discovery.find(path, undefined)).toBeUndefined());

  it('answers 406 if it has no accepted media type', () => {
    expect(discovery.find('/apis', 'text/html')).toBe('notAcceptable');
    expect(discovery.find('/api/v1', AGGREGATED)).toBe('notAcceptable');
  });

  it('builds a document once', () => {
    expect(discovery.find('/apis', undefined)).toBe(discovery.find('/apis/', '*/*'));
  });
});

describe('compareVersionPriority', () => {
  it('sorts as the API machinery documents it', () => {
    const sorted = ['v10', 'v2', 'v1', 'v11beta2', 'v10beta3', 'v3beta1', 'v12alpha1', 'v11alpha2', 'foo1', 'foo10'];
    fc.assert(
      fc.property(fc.shuffledSubarray(sorted, { minLength: sorted.length }), (shuffled) => {
        expect(shuffled.sort(compareVersionPriority)).toEqual(sorted);
      }),
    );
  });
});
