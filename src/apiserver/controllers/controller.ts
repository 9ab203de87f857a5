import type { Clock } from '../../time/clock.js';
import type { ObjectWriter } from '../resources/object-writer.js';
import type { Registry } from '../resources/registry.js';
import type { Storage } from '../storage/storage.js';

/** What a controller inside the server works with. */
export interface ControllerContext {
  readonly clock: Clock;
  readonly storage: Storage;
  readonly registry: Registry;
  readonly writer: ObjectWriter;
  /** Is told of errors that are bugs of the server. */
  readonly onError: (error: unknown) => void;
}

/** Something that does by itself what a cluster does by itself. */
export interface Controller {
  stop(): void;
}
