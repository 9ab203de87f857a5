import { describe, expectTypeOf, it } from 'vitest';
import {
  type DeepReadonly,
  type KubernetesList,
  type KubernetesObject,
  type MergePatch,
  mutableCopy,
  type New,
  type PartialObjectMetadata,
  type Unstructured,
} from '../meta/objects.js';
import { defineResource, type Resource } from '../meta/resource.js';
import type { WatchEvent } from '../meta/watch-event.js';
import { resources } from '../resources/resources.js';
import type { Scale } from '../resources/types/autoscaling-v1.js';
import type {
  ComponentStatus,
  ConfigMap,
  Deployment,
  Node,
  Pod,
  PodStatus,
  SubjectAccessReview,
  TokenReview,
} from '../resources/types/index.js';
import type { Client } from './client.js';
import type { CollectionClient, LogClient, ResourceClient, SubresourceClient } from './resource-client.js';
import type { PodClient } from './streams/pod-client.js';

interface Widget extends KubernetesObject {
  spec: { size: number };
}
interface Gadget extends KubernetesObject {
  status?: { ready?: number };
}
const widgets = defineResource<Widget>({
  group: 'example.com',
  version: 'v1',
  resource: 'widgets',
  kind: 'Widget',
  namespaced: true,
});
const gadgets = defineResource<Gadget>({ ...widgets, resource: 'gadgets', kind: 'Gadget', namespaced: true });

/** Only for the compiler: the body is checked and never run. */
function typesOf(_check: (client: Client) => unknown): void {}

describe('the types of a client', () => {
  it('infers what built-in resources hold', () => {
    typesOf((client) => {
      expectTypeOf(client.core.v1.pods('a')).toEqualTypeOf<PodClient>();
      expectTypeOf(client.core.v1.pods()).toEqualTypeOf<CollectionClient<Pod>>();
      expectTypeOf(client.core.v1.nodes()).toEqualTypeOf<ResourceClient<Node>>();
      expectTypeOf(client.apps.v1.deployments('a').get('x')).resolves.toEqualTypeOf<Deployment>();
      expectTypeOf(client.core.v1.configMaps().list()).resolves.toEqualTypeOf<KubernetesList<ConfigMap>>();
      expectTypeOf(client.core.v1.pods().watch()).toEqualTypeOf<AsyncIterableIterator<WatchEvent<Pod>>>();
      expectTypeOf(client.autoscaling.v2.horizontalPodAutoscalers).toBeFunction();
    });
  });

  it('has only methods that read without a namespace', () => {
    typesOf((client) => {
      // @ts-expect-error get needs a namespace
      client.core.v1.pods().get('x');
      // @ts-expect-error so does a deletion
      client.core.v1.pods().deleteCollection();
      // @ts-expect-error nodes have no namespace
      client.core.v1.nodes('a');
      // @ts-expect-error a namespace that may be missing gives what can be read without one
      client.core.v1.pods(process.env['NAMESPACE']).get('x');
      return client.core.v1.pods(process.env['NAMESPACE']).list();
    });
  });

  it('has only create for access reviews', () => {
    typesOf((client) => {
      const reviews = client.authorization.v1.subjectAccessReviews();
      expectTypeOf(reviews.create({ metadata: {}, spec: {} })).resolves.toEqualTypeOf<SubjectAccessReview>();
      client.authentication.v1.tokenReviews().create({ spec: { token: 't' } });
      client.authentication.v1.selfSubjectReviews().create({});
      client.authorization.v1.selfSubjectAccessReviews().create({ spec: {} });
      client.authorization.v1.selfSubjectRulesReviews().create({ spec: { namespace: 'a' } });
      client.authorization.v1.localSubjectAccessReviews('a').create({ spec: { user: 'me' } });
      expectTypeOf<{ spec: { token: string } }>().toExtend<New<TokenReview>>();
      // @ts-expect-error what is stored needs metadata
      client.core.v1.pods('a').create({ spec: { containers: [] } });
      // @ts-expect-error reviews are not kept
      reviews.list();
      expectTypeOf(client.core.v1.componentStatuses().get('x')).resolves.toEqualTypeOf<ComponentStatus>();
      // @ts-expect-error the namespace of a local review is part of the question
      client.authorization.v1.localSubjectAccessReviews();
    });
  });

  it('knows the type of a custom resource', () => {
    typesOf((client) => {
      expectTypeOf(client.forResource(widgets, 'a')).toEqualTypeOf<ResourceClient<Widget>>();
      const unknown = client.forResource({ group: 'a', version: 'v1', resource: 'b' });
      expectTypeOf(unknown).toEqualTypeOf<ResourceClient<Unstructured>>();
      unknown.create({ metadata: { name: 'x' }, spec: { any: 1 } });
      unknown.patchStatus('x', { anything: 1 });
      client.forResource(widgets, 'a').create({ metadata: { name: 'x' }, spec: { size: 1 } });
      // @ts-expect-error spec is required
      client.forResource(widgets, 'a').create({ metadata: { name: 'x' } });
      // @ts-expect-error a widget has no status
      client.forResource(widgets, 'a').patchStatus('x', { ready: 1 });
      client.forResource(gadgets, 'a').patchStatus('x', { ready: 1 });
      // @ts-expect-error a gadget's status has no such field
      client.forResource(gadgets, 'a').patchStatus('x', { reedy: 1 });
    });
  });

  it('resolve returns a resource of Unstructured that clients and factories take', () => {
    typesOf(async (client) => {
      const resource: Resource = await client.resolve('po');
      expectTypeOf(client.forResource(resource, 'a')).toEqualTypeOf<ResourceClient<Unstructured>>();
      expectTypeOf(client.metadata(resource).list()).resolves.toEqualTypeOf<KubernetesList<PartialObjectMetadata>>();
      expectTypeOf(client.metadata(widgets, 'a').get('x')).resolves.toEqualTypeOf<PartialObjectMetadata>();
    });
  });

  it('takes DeepReadonly objects from caches, and literals', () => {
    typesOf(async (client) => {
      const pods = client.core.v1.pods('a');
      const cached = (await pods.get('x')) as DeepReadonly<Pod>;
      pods.update(cached);
      pods.updateStatus({ ...cached, status: { ...cached.status, phase: 'Running' } });
      expectTypeOf(mutableCopy(cached)).toEqualTypeOf<Pod>();
      const fresh: New<Pod> = { metadata: { generateName: 'x-' }, spec: { containers: [] } };
      pods.create(fresh);
      pods.apply(fresh, { fieldManager: 'me' });
      // @ts-expect-error an apply says whose it is
      pods.apply(fresh);
      const signal: AbortSignal | undefined = undefined;
      pods.get('x', { signal });
    });
  });

  it('compiles the sample of docs/client.md, with exactOptionalPropertyTypes', () => {
    function podFor({ metadata, spec }: DeepReadonly<Deployment>): DeepReadonly<New<Pod>> {
      return { metadata: { generateName: `${metadata.name}-` }, spec: spec?.template.spec };
    }
    expectTypeOf(podFor).toBeFunction();
  });

  it('takes undefined for every optional option', () => {
    typesOf((client) => {
      const labels: Record<string, string> | undefined = undefined;
      client.core.v1.pods('a').create({
        metadata: { name: 'x', labels, ownerReferences: undefined },
        spec: { containers: [{ name: 'a', image: undefined }], nodeName: undefined },
      });
      client.core.v1.pods('a').patch('p', { spec: undefined });
    });
  });

  it('infers the type of a built-in resource that is passed as a value', () => {
    typesOf((client) => {
      expectTypeOf(client.forResource(resources.core.v1.pods, 'a')).toEqualTypeOf<ResourceClient<Pod>>();
      expectTypeOf(resources.apps.v1.deployments).toEqualTypeOf<Resource<Deployment>>();
      expectTypeOf(resources.authentication.v1.tokenReviews).toEqualTypeOf<Resource<TokenReview>>();
      // @ts-expect-error no such resource
      resources.core.v1.podss;
    });
  });

  it('tells patches apart and finds typos in them', () => {
    typesOf((client) => {
      const pods = client.core.v1.pods('a');
      pods.patch('p', { metadata: { labels: { gone: null, set: 'yes' } } });
      pods.patch('p', { spec: null }, { type: 'strategic' });
      pods.patch('p', [{ op: 'remove', path: '/metadata/labels/x' }]);
      // @ts-expect-error a typo
      pods.patch('p', { metadta: {} });
      // @ts-expect-error no such operation
      pods.patch('p', [{ op: 'delete', path: '/x' }]);
      expectTypeOf(pods.patchStatus).parameter(1).toEqualTypeOf<MergePatch<PodStatus>>();
    });
  });

  it('yields bookmarks only with allowWatchBookmarks', () => {
    typesOf(async (client) => {
      const pods = client.core.v1.pods();
      for await (const event of pods.watch({ labelSelector: { matchLabels: { app: 'web' } } })) {
        expectTypeOf(event.object).toEqualTypeOf<Pod>();
      }
      for await (const event of pods.watch({ allowWatchBookmarks: true })) {
        if (event.type === 'BOOKMARK') expectTypeOf(event.object.metadata.resourceVersion).toEqualTypeOf<string>();
      }
    });
  });

  it('knows the types of well-known subresources', () => {
    typesOf((client) => {
      expectTypeOf(client.apps.v1.deployments('a').subresource('scale')).toEqualTypeOf<SubresourceClient<Scale>>();
      const pods = client.core.v1.pods('a');
      expectTypeOf(pods.subresource('log')).toEqualTypeOf<LogClient>();
      expectTypeOf(pods.subresource('status').get('x')).resolves.toEqualTypeOf<Pod>();
      expectTypeOf(pods.subresource<Widget>('other').get('x')).resolves.toEqualTypeOf<Widget>();
      pods.subresource('eviction').create('x', {});
      pods.subresource('binding').create('x', { target: { kind: 'Node', name: 'n' } });
    });
  });
});
