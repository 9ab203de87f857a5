import { expect, expectTypeOf, it } from 'vitest';
import type { Status } from './errors/status.js';
import {
  type BookmarkObject,
  initialEventsEndAnnotation,
  isInitialEventsEnd,
  isWatchEventType,
  type WireEvent,
  watchEventTypes,
} from './watch-event.js';

it('isWatchEventType accepts the five types of events and no other', () => {
  for (const type of watchEventTypes) expect(isWatchEventType(type)).toBe(true);
  for (const type of ['added', '', undefined, 1, 'constructor']) expect(isWatchEventType(type)).toBe(false);
});

it('isInitialEventsEnd requires the annotation with the value true', () => {
  const bookmark = (annotations?: Record<string, string>): BookmarkObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { resourceVersion: '5', ...(annotations && { annotations }) },
  });
  expect(isInitialEventsEnd(bookmark())).toBe(false);
  expect(isInitialEventsEnd(bookmark({}))).toBe(false);
  expect(isInitialEventsEnd(bookmark({ [initialEventsEndAnnotation]: 'false' }))).toBe(false);
  expect(isInitialEventsEnd(bookmark({ 'k8s.io/initial-events-end': 'true' }))).toBe(true);
});

it('narrows the object by the type of the event', () => {
  const read = (event: WireEvent<{ pod: true }>): void => {
    if (event.type === 'ERROR') expectTypeOf(event.object).toEqualTypeOf<Status>();
    else if (event.type === 'BOOKMARK') expectTypeOf(event.object).toEqualTypeOf<BookmarkObject>();
    else expectTypeOf(event.object).toEqualTypeOf<{ pod: true }>();
  };
  expectTypeOf(read).toBeFunction();
});
