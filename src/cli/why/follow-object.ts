import type { InformerEvent } from '../../cache/informer/informer-event.js';
import type { Client } from '../../client/client.js';
import type { ApiResource } from '../../client/discovery-documents.js';
import { SharedInformerFactory } from '../../informers/shared-informer-factory.js';
import { escapeControls } from '../../meta/escape-controls.js';
import type { DeepReadonly, Unstructured } from '../../meta/objects.js';
import { printResource } from '../../meta/resource.js';
import { escapeFieldValue } from '../../meta/selectors/field-selector.js';
import type { Event } from '../../resources/types/core-v1.js';
import type { OutputStream } from '../command.js';
import type { LineOutput } from '../terminal/line-output.js';
import { Outages } from '../terminal/outages.js';
import type { Style } from '../terminal/style.js';
import { changesBetween } from '../watch/changes.js';
import { writersSince } from './field-managers.js';
import { eventsOf, objectEvent } from './object-events.js';
import { problemOf } from './problem.js';

/** Where the changes are printed, and until when. */
export interface FollowOptions {
  readonly output: LineOutput;
  readonly stderr: OutputStream;
  readonly style: Style;
  readonly signal: AbortSignal;
}

/** The most fields of one change that are shown. */
const shownChanges = 8;

/** Prints a line for each change of an object and each event about it, until the signal aborts. */
export async function followObject(
  client: Client,
  resource: ApiResource,
  object: DeepReadonly<Unstructured>,
  { output, stderr, style, signal }: FollowOptions,
): Promise<void> {
  const { clock } = client;
  const { namespace, name } = object.metadata;
  const outages = new Outages(stderr, clock, (what) => (what === printResource(resource) ? objects : events));
  const factory = new SharedInformerFactory(client, {
    onError: (error, { resource: what, reason }) => outages.tell(what, error, reason),
  });
  const objects = factory.forResource<Unstructured>(resource, {
    namespace,
    fieldSelector: `metadata.name=${escapeFieldValue(name)}`,
    managedFields: 'keep',
  });
  const events = factory.core.v1.events(eventsOf(object));
  const print = (text: string): Promise<void> | undefined => {
    const time = new Date(clock.now()).toISOString().slice(11, 19);
    return output.write(`${style.dim(time)}  ${text}`);
  };
  const followObjects = async (): Promise<void> => {
    let problem = problemOf(object, clock.now());
    for await (const event of objects.events({ signal })) {
      if (event.type === 'synced' || (event.type === 'add' && event.isInInitialList)) continue;
      const now = event.type === 'delete' ? 'it is gone' : problemOf(event.object, clock.now());
      await print(escapeControls(changeText(event)));
      if (now !== problem)
        await print(now === undefined ? style.green('nothing is wrong any more') : style.red(escapeControls(now)));
      problem = now;
    }
  };
  const followEvents = async (): Promise<void> => {
    for await (const event of events.events({ signal })) {
      if (event.type === 'synced' || event.type === 'delete' || (event.type === 'add' && event.isInInitialList))
        continue;
      const { type, reason, message, source } = objectEvent(event.object as DeepReadonly<Event>);
      await print(style.cyan(escapeControls(`event  ${type} ${reason} from ${source || 'unknown'}: ${message}`)));
    }
  };
  try {
    await print('watching for changes');
    output.flush();
    const following = Promise.all([followObjects(), followEvents()]);
    factory.start();
    await following;
  } finally {
    outages.stop();
    await factory.stop();
    output.flush();
  }
}

function changeText(event: InformerEvent<Unstructured>): string {
  if (event.type !== 'update') return event.type === 'add' ? 'created again' : 'deleted';
  const writers = writersSince(event.old.metadata.managedFields, event.object.metadata.managedFields);
  const changes = changesBetween(event.old, event.object, shownChanges).join(', ');
  return `update${writers.length === 0 ? '' : ` by ${writers.join(', ')}`}  ${changes || 'no field that is shown'}`;
}
