import type { Client } from '../../index.js';
import { EventBroadcaster, type EventRecorder } from '../../events/index.js';

/** The recorders of a manager's controllers. Writes nothing, and holds no timer, before the first event. */
export class ControllerEvents {
  readonly #manager: string;
  readonly #client: Client;
  readonly #onError: (error: Error) => void;
  #broadcaster: EventBroadcaster | undefined;

  constructor(manager: string, client: Client, onError: (error: Error) => void) {
    this.#manager = manager;
    this.#client = client;
    this.#onError = onError;
  }

  recorder(controller: string): EventRecorder {
    let recorder: EventRecorder | undefined;
    return {
      event: (object, details) => {
        this.#broadcaster ??= new EventBroadcaster({ client: this.#client, onError: this.#onError });
        recorder ??= this.#broadcaster.recorder({ component: `${this.#manager}/${controller}` });
        recorder.event(object, details);
      },
    };
  }

  /** Resolves when each event that waits has been attempted once. */
  async close(): Promise<void> {
    await this.#broadcaster?.close();
  }
}
