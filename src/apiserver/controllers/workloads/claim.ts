import type { KubernetesObject, LabelSelector } from '../../../meta/objects.js';
import { labelSelectorFromObject, ParsedLabelSelector } from '../../../meta/selectors/label-selector.js';
import type { Steps } from '../../../time/steps.js';
import type { ObjectView } from './object-view.js';
import { controllerReference, type World } from './world.js';

/**
 * The objects that a controller manages for `owner`: those that it owns. Orphans that its selector matches are adopted, and
 * owned objects that it no longer matches are released, as the controllers of Kubernetes do.
 */
export function* claim<T extends KubernetesObject>(
  world: World,
  view: ObjectView<T>,
  owner: KubernetesObject,
  selector: ParsedLabelSelector,
): Steps<T[]> {
  const { uid, namespace = '', deletionTimestamp } = owner.metadata;
  const owned = view.ownedBy(uid);
  const claimed: T[] = [];
  for (const object of owned) {
    if (selector.matches(object.metadata.labels ?? {})) claimed.push(object);
    else yield* release(world, view, object, uid);
  }
  if (deletionTimestamp !== undefined) return claimed;
  for (const orphan of view.orphans(namespace)) {
    if (orphan.metadata.deletionTimestamp !== undefined) continue;
    if (!selector.matches(orphan.metadata.labels ?? {})) continue;
    yield* world.update(view, orphan, (latest) => {
      const owners = latest.metadata.ownerReferences ?? [];
      if (owners.some(({ controller }) => controller === true)) return;
      latest.metadata.ownerReferences = [...owners, controllerReference(owner)];
    });
    const adopted = view.find(namespace, orphan.metadata.name);
    if (adopted !== undefined && view.keysOwnedBy(uid).has(`${namespace}/${orphan.metadata.name}`)) {
      claimed.push(adopted);
    }
  }
  return claimed;
}

function* release<T extends KubernetesObject>(world: World, view: ObjectView<T>, object: T, uid: string): Steps<void> {
  yield* world.update(view, object, (latest) => {
    latest.metadata.ownerReferences = (latest.metadata.ownerReferences ?? []).filter((owner) => owner.uid !== uid);
  });
}

const parsedSelectors = new WeakMap<object, ParsedLabelSelector>();

/** A selector that is parsed once: it belongs to a parsed object, which never changes. */
export function selectorOf(selector: LabelSelector | undefined): ParsedLabelSelector {
  if (selector === undefined) return ParsedLabelSelector.nothing;
  let parsed = parsedSelectors.get(selector);
  if (parsed === undefined) parsedSelectors.set(selector, (parsed = labelSelectorFromObject(selector)));
  return parsed;
}
