import type { JsonObject } from '../../../meta/json-values.js';
import type { KubernetesObject } from '../../../meta/objects.js';
import { LruCache } from '../../../structures/lru-cache.js';
import type { Clock } from '../../../time/clock.js';
import type { Steps } from '../../../time/steps.js';
import { timestamp } from '../../../time/timestamps.js';
import type { ApiResource } from '../../resources/registry.js';
import { ifPresent, type ObjectWriter } from '../../resources/write/object-writer.js';
import { keyOf } from '../../storage/storage.js';

/** What a controller or a kubelet tells about an object. */
export interface Occurrence {
  readonly about: KubernetesObject;
  readonly type?: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** `deployment-controller`, `kubelet`. */
  readonly component: string;
  /** The node of a kubelet. */
  readonly host?: string | undefined;
  /** The field that the event is about, as `spec.containers{app}`. */
  readonly fieldPath?: string | undefined;
}

/** The limits of client-go's event correlator: events of one source about one object. */
const BURST = 25;
const REFILL_MS = 300_000;
const REMEMBERED = 4096;

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * Writes Events as client-go's recorder does: an event that repeats increments the count of the first one, and a source
 * that says too much about one object is not recorded for a while. They have no managedFields, which would take as long to
 * compute as all the rest.
 */
export class EventRecorder {
  readonly #clock: Clock;
  readonly #writer: ObjectWriter;
  readonly #events: ApiResource;
  readonly #seen = new LruCache<string, string>(REMEMBERED);
  readonly #buckets = new LruCache<string, Bucket>(REMEMBERED);
  #count = 0;

  constructor(clock: Clock, writer: ObjectWriter, events: ApiResource) {
    this.#clock = clock;
    this.#writer = writer;
    this.#events = events;
  }

  *record(occurrence: Occurrence): Steps<void> {
    const { about, component, host = '', fieldPath = '', reason, message } = occurrence;
    const { uid, namespace = 'default' } = about.metadata;
    if (!this.#takes(`${component} ${host} ${uid}`)) return;
    const same = `${component} ${host} ${uid} ${fieldPath} ${reason} ${message}`;
    const known = this.#seen.get(same);
    const now = timestamp(this.#clock.now());
    if (known !== undefined && this.#events.collection.get(keyOf(namespace, known)) !== undefined) {
      const change = (event: JsonObject): JsonObject => {
        event['count'] = Number(event['count'] ?? 1) + 1;
        event['lastTimestamp'] = now;
        return event;
      };
      yield* ifPresent(this.#writer.update(this.#events, namespace, known, { change }));
      return;
    }
    const event = this.#eventOf(occurrence, namespace, now);
    const { revision } = yield* this.#writer.create(this.#events, namespace, event);
    this.#seen.set(same, revision.name);
  }

  #eventOf(occurrence: Occurrence, namespace: string, now: string): JsonObject {
    const { about, type = 'Normal', component, host, fieldPath, reason, message } = occurrence;
    const { name, namespace: itsNamespace, uid, resourceVersion } = about.metadata;
    // client-go names an event after the nanosecond; the count keeps the names of one virtual instant apart.
    const suffix = (BigInt(Math.floor(this.#clock.now())) * 1_000_000n + BigInt(this.#count++ % 1_000_000)).toString(
      16,
    );
    return {
      metadata: { name: `${name}.${suffix}`, namespace },
      involvedObject: {
        kind: about.kind,
        ...(itsNamespace !== undefined && { namespace: itsNamespace }),
        name,
        uid,
        apiVersion: about.apiVersion,
        resourceVersion,
        ...(fieldPath !== undefined && { fieldPath }),
      },
      reason,
      message,
      source: { component, ...(host !== undefined && { host }) },
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
      type,
      eventTime: null,
      reportingComponent: component,
      reportingInstance: host ?? '',
    };
  }

  #takes(source: string): boolean {
    const now = this.#clock.monotonicNow();
    const bucket = this.#buckets.get(source) ?? { tokens: BURST, at: now };
    bucket.tokens = Math.min(BURST, bucket.tokens + (now - bucket.at) / REFILL_MS);
    bucket.at = now;
    this.#buckets.set(source, bucket);
    if (bucket.tokens < 1) return false;
    bucket.tokens--;
    return true;
  }
}
