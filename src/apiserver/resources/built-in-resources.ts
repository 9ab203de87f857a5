import { builtinResources } from '../../resources/catalogue.js';
import type { Storage } from '../storage/storage.js';
import { autoscalerConversion, eventConversion } from './conversions.js';
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

/** The built-in resources of Kubernetes. */
export function builtInResources(storage: Storage): ApiResource[] {
  return builtinResources.map((served) => {
    const elsewhere = STORED_ELSEWHERE[`${served.group}/${served.version}/${served.resource}`];
    const own = served.group === '' ? served.resource : `${served.resource}.${served.group}`;
    return apiResource({
      ...served,
      strategy: strategyOf(served.group, served.resource, served.version),
      collection: storage.collection(elsewhere?.collection ?? own),
      isStorageVersion: elsewhere === undefined,
      storedFields: elsewhere && strategyOf('', elsewhere.collection).fields,
      conversion: elsewhere?.conversion,
    });
  });
}
