import { isDeepStrictEqual } from 'node:util';
import type { KubernetesObject } from '../../../../meta/objects.js';
import type { ControllerRevision } from '../../../../resources/types/apps-v1.js';
import type { PodTemplateSpec } from '../../../../resources/types/core-v1.js';
import type { Steps } from '../../../../time/steps.js';
import { hashOf } from '../pod-template.js';
import { controllerReference, type World } from '../world.js';

/** The revisions of a StatefulSet or DaemonSet: the present one, and all in the order of their numbers. */
export interface Revisions {
  readonly present: ControllerRevision;
  readonly all: readonly ControllerRevision[];
}

/** The template that a revision keeps. */
export function templateOf({ data }: ControllerRevision): PodTemplateSpec {
  const { $patch: _patch, ...template } = (data as unknown as RevisionData).spec.template;
  return template as PodTemplateSpec;
}

interface RevisionData {
  readonly spec: { readonly template: PodTemplateSpec & { readonly $patch: 'replace' } };
}

/** The revisions that an object owns, by number. */
export function revisionsOf(world: World, owner: KubernetesObject): ControllerRevision[] {
  return world.views.controllerrevisions.ownedBy(owner.metadata.uid).sort((a, b) => a.revision - b.revision);
}

/**
 * Finds or creates the revision of the present template. An older revision of the same template becomes the newest, as
 * after a rollback.
 *
 * @param hashLabel the label of a revision that has its hash
 */
export function* syncRevisions(
  world: World,
  owner: KubernetesObject,
  template: PodTemplateSpec,
  collisions: number,
  hashLabel: string,
): Steps<Revisions> {
  const { controllerrevisions } = world.views;
  const { namespace = '', name } = owner.metadata;
  const all = revisionsOf(world, owner);
  const data = { spec: { template: { ...template, $patch: 'replace' } } };
  const last = all.at(-1);
  const same = all.findLast((one) => isDeepStrictEqual(one.data, data));
  if (same !== undefined && same === last) return { present: same, all };
  const revision = (last?.revision ?? 0) + 1;
  if (same !== undefined) {
    yield* world.update(controllerrevisions, same, (latest) => {
      latest.revision = revision;
    });
  } else {
    const hash = hashOf(template, collisions);
    yield* world.create(controllerrevisions, namespace, {
      metadata: {
        name: `${name}-${hash}`,
        labels: { ...template.metadata?.labels, [hashLabel]: hash },
        ownerReferences: [controllerReference(owner)],
      },
      data: structuredClone(data),
      revision,
    });
  }
  const next = revisionsOf(world, owner);
  return { present: next.at(-1)!, all: next };
}

/** Deletes the oldest revisions beyond the limit, except those in use. */
export function* trimRevisions(
  world: World,
  revisions: readonly ControllerRevision[],
  inUse: ReadonlySet<string>,
  limit: number,
): Steps<void> {
  const unused = revisions.filter(({ metadata }) => !inUse.has(metadata.name));
  for (const revision of unused.slice(0, Math.max(0, unused.length - limit))) {
    yield* world.remove(world.views.controllerrevisions, revision);
  }
}
