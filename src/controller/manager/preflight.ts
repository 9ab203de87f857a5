import type { Client, Clock } from '../../index.js';
import { isForbidden, isNotFound, KubeflectError } from '../../index.js';
import { asError } from '../../meta/errors/errors.js';
import { apiVersionOf, printGroupResource, printResource } from '../../meta/resource.js';
import { customDefinitionOf, usedResources } from '../manifests/custom-definitions.js';
import { declaredRules, type ScopedRules } from '../manifests/declared-rules.js';
import type { Right } from '../manifests/rule-set.js';
import { bundleTargetsOf } from '../webhooks/configurations.js';
import { webhookDefinition } from '../webhooks/webhook.js';
import { reconcileDefinitions } from './definitions.js';
import type { ManagerOptions } from './manager-options.js';

/** `manager.run` cannot begin: `missing` names all that is missing. */
export class ManagerStartError extends KubeflectError {
  static {
    ManagerStartError.prototype.name = 'ManagerStartError';
  }

  /** Permissions, definitions and kinds, one sentence each. */
  readonly missing: readonly string[];

  constructor(manager: string, missing: readonly string[]) {
    const lines = missing.map((one) => `\n  - ${one}`).join('');
    super('MANAGER_START', `${manager} cannot start, because something is missing:${lines}`);
    this.missing = missing;
  }
}

/** What {@link preflight} checks, and with what. */
export interface PreflightOptions {
  readonly client: Client;
  readonly options: ManagerOptions;
  /** The namespace of the manager. */
  readonly home: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called with differences between definitions that do not keep the manager from starting. */
  readonly onError: (error: Error) => void;
}

/** What is checked in one cluster. */
export interface ClusterCheck extends PreflightOptions {
  /** What a controller uses with no client, or with this one. */
  readonly cluster: Client;
}

/**
 * Checks permissions, definitions and kinds. Rejects with a {@link ManagerStartError} that names everything that is missing in
 * the manager's cluster. What other clusters miss is reported when they answer: one that is away does not delay the start.
 */
export async function preflight(check: PreflightOptions): Promise<void> {
  const { client, options, onError, signal } = check;
  const used = [...usedResources(options)];
  for (const cluster of new Set(used.map((use) => use.client ?? client))) {
    if (cluster === client) continue;
    const { host } = cluster.rest;
    const report = (what: string, cause?: unknown): void => {
      if (!signal.aborted) onError(new Error(`${options.name} ${what}`, { cause }));
    };
    missingIn({ ...check, cluster }).then(
      (missing) => missing.length > 0 && report(`cannot work with ${host}: it misses ${missing.join('; ')}`),
      (error: unknown) =>
        report(`could not check its permissions and kinds in ${host}: ${asError(error).message}`, error),
    );
  }
  const missing = await missingIn({ ...check, cluster: client });
  if (missing.length > 0) throw new ManagerStartError(options.name, missing);
}

async function missingIn(check: ClusterCheck): Promise<string[]> {
  const permissions = await missingPermissions(check);
  const definitions = await reconcileDefinitions(check);
  const kinds = await missingKinds(check);
  const configurations = await missingConfigurations(check);
  return [...permissions, ...definitions, ...kinds, ...configurations];
}

/** Asks the server about every declared right, by self-reviews. */
async function missingPermissions({ client, cluster, options, home, signal }: ClusterCheck): Promise<string[]> {
  const scopes = declaredRules(options, home).filter((scope) => (scope.client ?? client) === cluster);
  const missing = await Promise.all(scopes.map((scope) => missingRights(scope, cluster, signal)));
  return missing.flat();
}

async function missingRights(
  { namespace, rules }: ScopedRules,
  client: Client,
  signal: AbortSignal,
): Promise<string[]> {
  const rights = [...rules];
  const answers = await Promise.all(rights.map((right) => isAllowed(client, right, namespace, signal)));
  const refused = new Map<string, string[]>();
  rights.forEach((right, i) => {
    if (answers[i]) return;
    const target = describeTarget(right);
    refused.set(target, [...(refused.get(target) ?? []), right.verb]);
  });
  const where = namespace === undefined ? 'in the whole cluster' : `in the namespace ${JSON.stringify(namespace)}`;
  const advice = 'apply the Roles that `npx kubeflect manifests` prints';
  return [...refused].map(([target, verbs]) => `permission to ${verbs.join(', ')} ${target} ${where}: ${advice}`);
}

async function isAllowed(
  client: Client,
  right: Right,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  const { verb, group, resource = '', name, path } = right;
  const [plural, subresource] = resource.split('/');
  const spec =
    path !== undefined
      ? { nonResourceAttributes: { verb, path } }
      : { resourceAttributes: { verb, group, resource: plural, subresource, name, namespace } };
  const review = await client.authorization.v1.selfSubjectAccessReviews().create({ spec }, { signal });
  return review.status?.allowed === true;
}

function describeTarget({ group = '', resource = '', name, path }: Right): string {
  if (path !== undefined) return path;
  const [plural = '', subresource] = resource.split('/');
  const full = `${printGroupResource({ group, resource: plural })}${subresource === undefined ? '' : `/${subresource}`}`;
  return name === undefined ? full : `${full} named ${JSON.stringify(name)}`;
}

/** Kinds that the server does not serve. Those with a definition are missing with it, and not named twice. */
async function missingKinds({ client, cluster, options, signal }: ClusterCheck): Promise<string[]> {
  const missing = new Set<string>();
  for (const use of usedResources(options)) {
    const { resource } = use;
    if (customDefinitionOf(resource) !== undefined || (use.client ?? client) !== cluster) continue;
    const { apis } = cluster;
    const [served, failures] = await Promise.all([apis.resources({ signal }), apis.failures({ signal })]);
    const isSame = (one: { group: string; version: string }): boolean =>
      one.group === resource.group && one.version === resource.version;
    if (served.some((one) => isSame(one) && one.resource === resource.resource) || failures.some(isSame)) continue;
    missing.add(
      `kind ${printResource(resource)}: the server does not serve it; install what defines it, ${apiVersionOf(resource)}`,
    );
  }
  return [...missing];
}

/** Configurations of webhooks that do not exist. Without the right to write the authority into them, they are not looked for. */
async function missingConfigurations({ client, cluster, options, signal }: ClusterCheck): Promise<string[]> {
  if (cluster !== client) return [];
  const { certificates = 'managed' } = options.webhookServer ?? {};
  if (certificates !== 'managed' && certificates.caFile === undefined) return [];
  const targets = bundleTargetsOf((options.webhooks ?? []).map(webhookDefinition), options.name);
  const missing: string[] = [];
  for (const { resource, name } of targets) {
    // Definitions are checked as such.
    if (resource.group === 'apiextensions.k8s.io') continue;
    try {
      await client.forResource(resource).get(name, { signal });
    } catch (error) {
      if (isNotFound(error))
        missing.push(`${resource.kind} ${name}: it does not exist; apply what \`npx kubeflect manifests\` prints`);
      // A missing permission is in the list already.
      else if (!isForbidden(error)) throw error;
    }
  }
  return missing;
}
