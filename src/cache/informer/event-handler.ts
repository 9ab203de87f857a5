import type { DeepReadonly } from '../../meta/objects.js';
import { optionError, requireFunction } from '../../meta/options/validate.js';
import type { AddEvent, DeleteEvent, InformerEvent, UpdateEvent } from './informer-event.js';

/** A handler in client-go's form. It gets objects, so the object of every event is parsed. */
export interface ResourceEventHandler<T> {
  onAdd?(object: DeepReadonly<T>, event: AddEvent<T>): unknown;
  onUpdate?(old: DeepReadonly<T>, object: DeepReadonly<T>, event: UpdateEvent<T>): unknown;
  onDelete?(object: DeepReadonly<T>, event: DeleteEvent<T>): unknown;
}

/** Makes a listener of events from a handler of objects. An event without a callback is skipped and not parsed. */
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

function requireHandler<T>(handler: ResourceEventHandler<T>): void {
  if (typeof handler !== 'object' || handler === null) {
    throw optionError('handler', 'an object with onAdd, onUpdate or onDelete', handler);
  }
  const names = (['onAdd', 'onUpdate', 'onDelete'] as const).filter((name) => handler[name] !== undefined);
  // An empty object is allowed. One with other callbacks only was written for another library.
  if (names.length === 0 && Object.keys(handler).length > 0)
    throw optionError('handler', 'an object with onAdd, onUpdate or onDelete', handler);
  for (const name of names) requireFunction(name, handler[name]);
}
