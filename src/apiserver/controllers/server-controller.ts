import type { Clock } from '../../time/clock.js';
import type { Registry } from '../resources/registry.js';
import type { ObjectWriter } from '../resources/write/object-writer.js';
import type { Storage } from '../storage/storage.js';

/** What a controller of the server reads and writes with. */
export interface ServerControllerContext {
  readonly clock: Clock;
  readonly storage: Storage;
  readonly registry: Registry;
  readonly writer: ObjectWriter;
  /** Called with errors that are bugs of the server. */
  readonly onError: (error: unknown) => void;
}

/** A running controller of the server: one of the parts of kube-controller-manager that the API needs. */
export interface ServerController {
  stop(): void;
}

/** The names of the server's own controllers as managers of fields: those that they have in a cluster. */
export const API_SERVER = 'kube-apiserver';
export const CONTROLLER_MANAGER = 'kube-controller-manager';
export const ROLE_AGGREGATION = 'clusterrole-aggregation-controller';
