import { SharedInformer, type SharedInformerOptions } from '../../src/cache/informer/shared-informer.js';
import type { ListerWatcher } from '../../src/cache/source/list-watch.js';
import { MappedListWatch } from '../../src/cache/source/mapped-list-watch.js';
import { rawView } from '../../src/cache/store/item-view.js';
import { type ObjectItem, objectView, toObjectItem } from '../../src/cache/store/object-item.js';
import { jsonCodec } from '../../src/codec/json/json-codec.js';
import type { Raw } from '../../src/codec/raw.js';
import { SlabArena } from '../../src/codec/slab.js';
import { defineResource } from '../../src/meta/resource.js';
import type { FakeControllerSource } from '../../src/testing/fake-controller-source.js';
import type { FakeClock } from '../../src/time/fake-clock.js';
import { plainForm, type Thing } from './forms.js';

export const thingResource = defineResource<Thing & { metadata: never }>({
  group: 'example.com',
  version: 'v1',
  resource: 'things',
  kind: 'Thing',
  namespaced: true,
}) as unknown as SharedInformerOptions<object, Thing>['resource'];

/** Options of an informer, except those that the form decides. */
export type InformerTestOptions = Partial<
  Omit<SharedInformerOptions<object, Thing>, 'view' | 'listWatch' | 'clock' | 'arena'>
>;

/** One of the two ways in which informers store objects; every test runs on both. */
export interface InformerForm {
  readonly name: string;
  make(
    source: FakeControllerSource<Thing>,
    clock: FakeClock,
    options?: InformerTestOptions,
  ): SharedInformer<object, Thing>;
}

function onError(error: unknown): void {
  throw error;
}

const objects: InformerForm = {
  name: 'objects',
  make(source, clock, options) {
    const map = (item: Thing) => toObjectItem<Thing, Thing, Thing>(plainForm.accessor, item, undefined);
    const listWatch: ListerWatcher<ObjectItem<Thing>> = new MappedListWatch({ source, map, clock, onError });
    return new SharedInformer<ObjectItem<Thing>, Thing>({
      resource: thingResource,
      clock,
      listWatch,
      view: objectView<Thing>(),
      ...options,
    }) as unknown as SharedInformer<object, Thing>;
  },
};

const raw: InformerForm = {
  name: 'raw handles',
  make(source, clock, options) {
    const arena = new SlabArena();
    const map = (item: Thing) => jsonCodec.raw<Thing>(jsonCodec.encode(item), { arena });
    const listWatch: ListerWatcher<Raw<Thing>> = new MappedListWatch({ source, map, clock, onError });
    return new SharedInformer<Raw<Thing>, Thing>({
      resource: thingResource,
      clock,
      listWatch,
      arena,
      view: rawView<Thing>(),
      ...options,
    }) as unknown as SharedInformer<object, Thing>;
  },
};

export const informerForms: readonly InformerForm[] = [objects, raw];
