import { describe, expectTypeOf, it } from 'vitest';
import type { KubernetesObject, New } from '../meta/objects.js';
import type { BuiltinResource, ResourceEntry } from './builtin-resource.js';
import type { builtinResources } from './catalogue.js';
import type { BuiltinResources } from './tree.js';
import type {
  autoscalingV1,
  Container,
  Deployment,
  Event,
  eventsV1,
  HorizontalPodAutoscaler,
  IntOrString,
  Node,
  ObjectMeta,
  Pod,
  PodList,
  PodTemplateSpec,
  Quantity,
  StatefulSet,
  StoredObjectMeta,
  SubjectAccessReview,
} from './types/index.js';

describe('kubeflect/types', () => {
  it('requires the fields that the server always sets', () => {
    expectTypeOf<Pod['apiVersion']>().toEqualTypeOf<'v1'>();
    expectTypeOf<Deployment['apiVersion']>().toEqualTypeOf<'apps/v1'>();
    expectTypeOf<Deployment['kind']>().toEqualTypeOf<'Deployment'>();
    expectTypeOf<Pod['metadata']>().toEqualTypeOf<StoredObjectMeta>();
    expectTypeOf<Pod>().toExtend<KubernetesObject>();
    expectTypeOf<PodList['items']>().toEqualTypeOf<Pod[]>();
  });

  it('requires fewer fields of kinds that are embedded or never stored', () => {
    expectTypeOf<PodTemplateSpec['metadata']>().toEqualTypeOf<ObjectMeta | undefined>();
    expectTypeOf<NonNullable<StatefulSet['spec']>['volumeClaimTemplates']>()
      .exclude<undefined>()
      .items.toHaveProperty('metadata')
      .toEqualTypeOf<ObjectMeta>();
    expectTypeOf<SubjectAccessReview['metadata']>().toEqualTypeOf<ObjectMeta>();
  });

  it('has named scalars, and unions for enumerated strings', () => {
    expectTypeOf<NonNullable<Pod['status']>['phase']>().toEqualTypeOf<
      'Failed' | 'Pending' | 'Running' | 'Succeeded' | 'Unknown' | undefined
    >();
    expectTypeOf<Pod['metadata']['creationTimestamp']>().toEqualTypeOf<string>();
    expectTypeOf<NonNullable<NonNullable<Container['resources']>['limits']>>().toEqualTypeOf<
      Record<string, Quantity>
    >();
    expectTypeOf<
      NonNullable<NonNullable<Container['livenessProbe']>['httpGet']>['port']
    >().toEqualTypeOf<IntOrString>();
  });

  it('exports preferred versions by their bare names; the core group wins over others', () => {
    expectTypeOf<HorizontalPodAutoscaler['apiVersion']>().toEqualTypeOf<'autoscaling/v2'>();
    expectTypeOf<autoscalingV1.HorizontalPodAutoscaler['apiVersion']>().toEqualTypeOf<'autoscaling/v1'>();
    expectTypeOf<Event['apiVersion']>().toEqualTypeOf<'v1'>();
    expectTypeOf<eventsV1.Event['apiVersion']>().toEqualTypeOf<'events.k8s.io/v1'>();
  });

  it('accepts New<T> without the fields that the server sets', () => {
    const deployment: New<Deployment> = {
      metadata: { name: 'web' },
      spec: {
        selector: { matchLabels: { app: 'web' } },
        template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
      },
    };
    expectTypeOf(deployment.spec).toEqualTypeOf<Deployment['spec'] | undefined>();
    // @ts-expect-error the name of a container is required
    const nameless: Container = { image: 'web:1' };
    expectTypeOf(nameless).toEqualTypeOf<Container>();
  });
});

describe('BuiltinResources', () => {
  it('maps group, version and resource to types', () => {
    expectTypeOf<BuiltinResources['core']['v1']['pods']>().toEqualTypeOf<ResourceEntry<Pod, 'namespaced'>>();
    expectTypeOf<BuiltinResources['core']['v1']['nodes']>().toEqualTypeOf<ResourceEntry<Node, 'cluster'>>();
    expectTypeOf<BuiltinResources['authorization']['v1']['subjectAccessReviews']>().toEqualTypeOf<
      ResourceEntry<SubjectAccessReview, 'cluster', 'requests'>
    >();
    expectTypeOf<(typeof builtinResources)[number]>().toEqualTypeOf<BuiltinResource>();
  });
});
