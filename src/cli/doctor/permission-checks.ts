import type { ApiResource } from '../../client/discovery-documents.js';
import { printGroupResource } from '../../meta/resource.js';
import { type Finding, failure, type Patient } from './finding.js';

/** Which permissions are checked. */
export interface PermissionQuestion {
  readonly resource: ApiResource;
  /** Undefined for all namespaces, and for a resource without namespaces. */
  readonly namespace: string | undefined;
  readonly verbs: readonly string[];
}

/** Asks the server what the user may do with a resource. */
export async function checkPermissions(
  { client, signal }: Patient,
  { resource, namespace, verbs }: PermissionQuestion,
): Promise<Finding> {
  const check = 'permissions';
  const { group, namespaced } = resource;
  const shown = printGroupResource(resource);
  const place = namespaced ? (namespace === undefined ? ' in all namespaces' : ` in namespace ${namespace}`) : '';
  const unsupported = verbs.filter((verb) => !resource.verbs.includes(verb));
  try {
    const denied: string[] = [];
    for (const verb of verbs) {
      const resourceAttributes = { verb, group, resource: resource.resource, namespace };
      const reviews = client.authorization.v1.selfSubjectAccessReviews();
      const { status } = await reviews.create({ metadata: {}, spec: { resourceAttributes } }, { signal });
      if (status?.allowed !== true) denied.push(verb);
    }
    if (denied.length > 0) {
      const role = namespace === undefined ? 'ClusterRole' : 'Role';
      const rule = `apiGroups: ["${group}"], resources: ["${resource.resource}"], verbs: [${denied.map((verb) => `"${verb}"`).join(', ')}]`;
      const message = `you may not ${denied.join(', ')} ${shown}${place}`;
      return { level: 'fail', check, message, fix: `Have a ${role} with this rule bound to you: ${rule}` };
    }
    if (unsupported.length > 0) {
      return { level: 'warn', check, message: `the server has no ${unsupported.join(', ')} for ${shown}` };
    }
    return { level: 'ok', check, message: `you may ${verbs.join(', ')} ${shown}${place}` };
  } catch (error) {
    signal.throwIfAborted();
    return failure(check, error);
  }
}
