import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../meta/json-values.js';
import type { LabelSelector } from '../../meta/objects.js';
import type { Steps } from '../../time/steps.js';
import { selects } from '../resources/kinds/label-rules.js';
import { ifPresent } from '../resources/write/object-writer.js';
import type { Revision } from '../storage/storage.js';
import { ControllerQueue } from './controller-queue.js';
import { ROLE_AGGREGATION, type ServerController, type ServerControllerContext } from './server-controller.js';

/** The fields of a ClusterRole that this controller reads. */
interface ClusterRole {
  readonly rules?: readonly JsonObject[] | null;
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelector[] | null } | null;
}

/** Gives each ClusterRole with an aggregationRule the rules of the ClusterRoles that its selectors select, in the order of names. */
export function startRoleAggregation(context: ServerControllerContext): ServerController {
  const { storage, registry, writer } = context;
  const roles = registry.find('rbac.authorization.k8s.io', 'v1', 'clusterroles')!;
  const { collection } = roles;
  /** The roles with an aggregationRule, so that a write of a role parses no other ones. */
  const aggregated = new Set<string>();
  const queue = new ControllerQueue(context.clock, 'role-aggregation', reconcile, context.onError);

  const unsubscribe = storage.subscribe((revision, changed) => {
    if (changed !== collection) return;
    note(revision);
    for (const name of aggregated) queue.add(name);
  });

  function note(revision: Revision): void {
    // Most roles have none, and need not be parsed.
    const { buffer, byteOffset, length } = revision.line;
    const mayHaveRule =
      revision.type !== 'DELETED' && Buffer.from(buffer, byteOffset, length).includes('"aggregationRule"');
    if (mayHaveRule && readRole(revision).aggregationRule) aggregated.add(revision.name);
    else aggregated.delete(revision.name);
  }

  function* reconcile(name: string): Steps<void> {
    const role = collection.get(name);
    if (role === undefined || role.isTerminating) return;
    const { aggregationRule, rules } = readRole(role);
    if (!aggregationRule) return;
    const wanted = yield* selectedRules(name, aggregationRule.clusterRoleSelectors ?? []);
    if (isDeepStrictEqual(wanted, rules ?? [])) return;
    const update = writer.update(roles, '', name, {
      change: (old) => ({ ...old, rules: wanted }),
      track: writer.fields.update(roles, '', ROLE_AGGREGATION),
    });
    yield* ifPresent(update);
  }

  function* selectedRules(name: string, selectors: readonly LabelSelector[]): Steps<JsonObject[]> {
    const wanted = new Map<string, JsonObject>();
    for (const selector of selectors) {
      yield* collection.scanInSteps(Number.POSITIVE_INFINITY, '', '', (other) => {
        if (other.name !== name && selects(selector, other.labels)) {
          for (const rule of readRole(other).rules ?? []) wanted.set(JSON.stringify(rule), rule);
        }
        return true;
      });
    }
    return [...wanted.values()];
  }

  collection.scan(Number.POSITIVE_INFINITY, '', '', (revision) => {
    note(revision);
    return true;
  });
  for (const name of aggregated) queue.add(name);

  return {
    stop() {
      unsubscribe();
      queue.stop();
    },
  };
}

function readRole(revision: Revision): ClusterRole {
  return revision.decode() as ClusterRole;
}
