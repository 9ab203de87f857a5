import { builtinResources } from '../../resources/catalogue.js';
import type { Storage } from '../storage/storage.js';
import { autoscalerConversion, eventConversion } from './conversions.js';
import type { ServedResource } from './discovery.js';
import { type ApiResource, apiResource, type Conversion } from './registry.js';
import { strategyOf } from './strategies.js';

/** Versions whose objects are stored in another one: its collection, and the conversions. */
const STORED_ELSEWHERE: Readonly<Record<string, { readonly collection: string; readonly conversion: Conversion }>> = {
  'events.k8s.io/v1/events': { collection: 'events', conversion: eventConversion },
  'autoscaling/v1/horizontalpodautoscalers': {
    collection: 'horizontalpodautoscalers.autoscaling',
    conversion: autoscalerConversion,
  },
};

/** A built-in resource without the collection that a server keeps its objects in. */
interface BuiltInForm {
  readonly resource: Omit<ApiResource, 'collection'>;
  readonly collectionId: string;
}

/** The same for all servers of a process, which may start thousands of them. */
let forms: readonly BuiltInForm[] | undefined;

/** The built-in resources of Kubernetes. */
export function builtInResources(storage: Storage): ApiResource[] {
  forms ??= builtinResources.map(formOf);
  return forms.map(({ resource, collectionId }) => ({ ...resource, collection: storage.collection(collectionId) }));
}

function formOf(served: ServedResource): BuiltInForm {
  const elsewhere = STORED_ELSEWHERE[`${served.group}/${served.version}/${served.resource}`];
  const own = served.group === '' ? served.resource : `${served.resource}.${served.group}`;
  const resource = apiResource({
    ...served,
    strategy: strategyOf(served.group, served.resource, served.version),
    isStorageVersion: elsewhere === undefined,
    storedFields: elsewhere && strategyOf('', elsewhere.collection).fields,
    conversion: elsewhere?.conversion,
  });
  return { resource, collectionId: elsewhere?.collection ?? own };
}
