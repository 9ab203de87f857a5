import { formatKey } from '../../meta/key.js';
import { checkOptions } from '../../meta/options/known-options.js';
import { requireString } from '../../meta/options/validate.js';
import { parseApiVersion } from '../../meta/resource.js';
import type { ObjectFacts } from '../store/item-view.js';

/**
 * For `enqueueInto(queue, { items: ownerKeys(…) })`: returns the keys of the owners of this kind, in any version. An update
 * returns the owners of the old and of the new state, so that both are reconciled when an object changes its owner.
 *
 * @example
 * pods.enqueueInto(queue, { items: ownerKeys({ group: 'apps', kind: 'ReplicaSet' }) });
 */
export function ownerKeys(owner: {
  readonly group: string;
  readonly kind: string;
  /** Whether the owners are namespaced; false for a cluster-scoped kind. @default true */
  readonly namespaced?: boolean | undefined;
}): (event: { readonly facts: ObjectFacts; readonly oldFacts?: ObjectFacts }) => Iterable<string> {
  const { group, namespaced = true } = checkOptions('ownerKeys', owner, { group: true, kind: true, namespaced: true });
  const kind = requireString('kind', owner.kind);
  const collect = (facts: ObjectFacts, keys: Set<string>) => {
    for (const reference of facts.ownerReferences) {
      if (reference.kind !== kind || parseApiVersion(reference.apiVersion).group !== group) continue;
      keys.add(formatKey(namespaced ? facts.namespace : '', reference.name));
    }
  };
  return ({ facts, oldFacts }) => {
    const keys = new Set<string>();
    collect(facts, keys);
    if (oldFacts !== undefined) collect(oldFacts, keys);
    return keys;
  };
}
