import type { Client, KubernetesObject, New, Resource } from '../../index.js';
import type { CustomResourceDefinition } from '../../resources/types/apiextensions-v1.js';
import { type ControllerDefinition, definitionOf } from '../controller.js';
import type { ManagerOptions } from '../manager/manager-options.js';

/** A kind that a controller uses: in `for`, `owns` or `watches`. */
export interface UsedResource {
  readonly resource: Resource<unknown>;
  /** The client of another cluster; undefined for the manager's. */
  readonly client: Client | undefined;
}

/** All kinds that a controller uses. */
export function* resourcesOf(definition: ControllerDefinition<KubernetesObject>): Generator<UsedResource> {
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

/** The definitions of the custom resources that the controllers of a manager use, each once per cluster. */
export function customDefinitions(options: Pick<ManagerOptions, 'controllers'>): UsedDefinition[] {
  const found: UsedDefinition[] = [];
  for (const controller of options.controllers ?? []) {
    for (const { resource, client } of resourcesOf(definitionOf(controller))) {
      const definition = customDefinitionOf(resource);
      if (definition === undefined) continue;
      const isSame = (one: UsedDefinition): boolean =>
        one.client === client && one.definition.metadata?.name === definition.metadata?.name;
      if (!found.some(isSame)) found.push({ definition, client });
    }
  }
  return found;
}
