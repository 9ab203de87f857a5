import type { Client, KubernetesObject, New, Resource } from '../../index.js';
import type { CustomResourceDefinition } from '../../resources/types/apiextensions-v1.js';
import { type ControllerDefinition, definitionOf } from '../controller.js';
import type { ManagerOptions } from '../manager/manager-options.js';
import { conversionConfiguration } from '../webhooks/configurations.js';
import { conversionsOf } from '../webhooks/endpoints.js';
import { webhookDefinition } from '../webhooks/webhook.js';

/** A kind that a controller uses: in `for`, `owns` or `watches`. */
export interface UsedResource {
  readonly resource: Resource<unknown>;
  /** The client of another cluster; undefined for the manager's. */
  readonly client: Client | undefined;
}

/** All kinds that a controller uses. */
function* resourcesOf(definition: ControllerDefinition<KubernetesObject>): Generator<UsedResource> {
  const { client } = definition;
  yield { resource: definition.for, client };
  for (const resource of definition.owns) yield { resource, client };
  for (const { resource, options } of definition.watches) yield { resource, client: options.client ?? client };
}

/** The CustomResourceDefinition of a resource that was made with a schema. */
export function customDefinitionOf(resource: Resource<unknown>): New<CustomResourceDefinition> | undefined {
  return (resource as { readonly definition?: New<CustomResourceDefinition> }).definition;
}

/** A CustomResourceDefinition, and the cluster that it belongs to. */
export interface UsedDefinition {
  readonly definition: New<CustomResourceDefinition>;
  readonly client: Client | undefined;
}

/** All kinds that the controllers and webhooks of a manager use. */
export function* usedResources(options: Pick<ManagerOptions, 'controllers' | 'webhooks'>): Generator<UsedResource> {
  for (const controller of options.controllers ?? []) yield* resourcesOf(definitionOf(controller));
  for (const webhook of options.webhooks ?? []) {
    const definition = webhookDefinition(webhook);
    const resources =
      definition.type === 'convert' ? [definition.to, definition.from] : [definition.resource, ...definition.reads];
    for (const resource of resources) yield { resource, client: undefined };
  }
}

/**
 * The definitions of the custom resources that a manager uses, each once per cluster: of several versions of a kind that which
 * has the most. A definition whose objects the manager converts says so.
 *
 * @param home the namespace of the manager
 */
export function customDefinitions(
  options: Pick<ManagerOptions, 'name' | 'controllers' | 'webhooks' | 'webhookServer'>,
  home: string,
): UsedDefinition[] {
  const webhooks = (options.webhooks ?? []).map(webhookDefinition);
  return usedDefinitions(options).map(({ definition, client }) => {
    if (client !== undefined) return { definition, client };
    const conversion = conversionConfiguration(webhooks, definition.metadata?.name ?? '', options, home);
    if (conversion === undefined) return { definition, client };
    return { definition: { ...definition, spec: { ...definition.spec, conversion } }, client };
  });
}

function usedDefinitions(options: Pick<ManagerOptions, 'controllers' | 'webhooks'>): UsedDefinition[] {
  const found = new Map<Client | undefined, Map<string, UsedDefinition>>();
  for (const { resource, client } of usedResources(options)) {
    const definition = customDefinitionOf(resource);
    if (definition === undefined) continue;
    const ofCluster = found.get(client) ?? new Map<string, UsedDefinition>();
    found.set(client, ofCluster);
    const name = definition.metadata?.name ?? '';
    const known = ofCluster.get(name);
    if (known === undefined || known.definition.spec.versions.length < definition.spec.versions.length)
      ofCluster.set(name, { definition, client });
  }
  return [...found.values()].flatMap((ofCluster) => [...ofCluster.values()]);
}

/** Checks that conversions lead between all versions of the kinds that have some. @throws TypeError */
export function checkConversions(options: Pick<ManagerOptions, 'controllers' | 'webhooks'>): void {
  for (const conversions of conversionsOf((options.webhooks ?? []).map(webhookDefinition)).values()) {
    const used = usedDefinitions(options).find(({ definition }) => definition.metadata?.name === conversions.name);
    const versions = (used?.definition.spec.versions ?? []).map(({ name }) => name);
    const undefinedOnes = conversions.versions.filter((version) => !versions.includes(version));
    if (undefinedOnes.length > 0)
      throw new TypeError(
        `${conversions.name} has no version ${undefinedOnes.join(', ')} that could be converted: add it to previous of the newest one`,
      );
    const [newest = ''] = versions;
    const unreachable = versions.filter(
      (version) => !conversions.versions.includes(version) || conversions.unreachableFrom(newest).includes(version),
    );
    if (unreachable.length > 0)
      throw new TypeError(`no conversion leads between ${newest} and ${unreachable.join(', ')} of ${conversions.name}`);
  }
}
