import { checkOptions } from '../../meta/known-options.js';
import type { DeepReadonly } from '../../meta/objects.js';
import { optionError, requireFunction } from '../../meta/validate.js';
import {
  type AddEvent,
  type DeleteEvent,
  type InformerEvent,
  ItemAdd,
  ItemDelete,
  type ItemUpdate,
  type UpdateEvent,
} from './informer-event.js';

/** A handler in client-go's form: it gets objects, so every object it is told of is parsed. */
export interface ResourceEventHandler<T> {
  onAdd?(object: DeepReadonly<T>, event: AddEvent<T>): unknown;
  onUpdate?(old: DeepReadonly<T>, object: DeepReadonly<T>, event: UpdateEvent<T>): unknown;
  onDelete?(object: DeepReadonly<T>, event: DeleteEvent<T>): unknown;
}

/** A handler of objects as a listener of events. Callbacks that are missing are passed over, without parsing. */
export function listenerOf<T>(handler: ResourceEventHandler<T>): (event: InformerEvent<T>) => unknown {
  requireHandler(handler);
  return (event) => {
    switch (event.type) {
      case 'add':
        return handler.onAdd === undefined ? undefined : handler.onAdd(event.object, event);
      case 'update':
        return handler.onUpdate === undefined ? undefined : handler.onUpdate(event.old, event.object, event);
      case 'delete':
        return handler.onDelete === undefined ? undefined : handler.onDelete(event.object, event);
    }
  };
}

/**
 * @internal A handler that only knows the objects for which `filter` holds: one that comes to hold is added, one that ceases to hold is
 * deleted, whatever really happened to it.
 *
 * | new passes | old passes | the handler is told of |
 * | --- | --- | --- |
 * | yes | yes | an update |
 * | yes | no | an addition |
 * | no | yes | a deletion |
 * | no | no | nothing |
 */
export function filteringHandler<T>(options: {
  readonly filter: (object: DeepReadonly<T>) => boolean;
  readonly handler: ResourceEventHandler<T>;
}): ResourceEventHandler<T> {
  const { filter, handler } = checkOptions('filteringHandler', options, { filter: true, handler: true });
  requireFunction('filter', filter);
  requireHandler(handler);
  return {
    onAdd: (object, event) => (filter(object) ? handler.onAdd?.(object, event) : undefined),
    onUpdate(old, object, event) {
      const after = filter(object);
      const before = filter(old);
      if (after && before) return handler.onUpdate?.(old, object, event);
      if (after) return handler.onAdd?.(object, asAdd(event));
      return before ? handler.onDelete?.(old, asDelete(event)) : undefined;
    },
    onDelete: (object, event) => (filter(object) ? handler.onDelete?.(object, event) : undefined),
  };
}

function requireHandler<T>(handler: ResourceEventHandler<T>): void {
  if (typeof handler !== 'object' || handler === null) {
    throw optionError('handler', 'an object with onAdd, onUpdate or onDelete', handler);
  }
  const names = (['onAdd', 'onUpdate', 'onDelete'] as const).filter((name) => handler[name] !== undefined);
  // An empty one is a handler of nothing; callbacks of other names are those of another library.
  if (names.length === 0 && Object.keys(handler).length > 0)
    throw optionError('handler', 'an object with onAdd, onUpdate or onDelete', handler);
  for (const name of names) requireFunction(name, handler[name]);
}

function asAdd<T>(event: UpdateEvent<T>): AddEvent<T> {
  const { view, item } = event as ItemUpdate<unknown, T>;
  return new ItemAdd(view, item, false);
}

function asDelete<T>(event: UpdateEvent<T>): DeleteEvent<T> {
  const { view, oldItem } = event as ItemUpdate<unknown, T>;
  return new ItemDelete(view, oldItem, oldItem, true);
}
