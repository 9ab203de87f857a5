import { type ControllerChannels, controllerChannels } from './controller-telemetry.js';
import type { DiagnosticsChannel } from './diagnostics-channel.js';
import { type ElectionChannels, electionChannels } from './election-telemetry.js';
import { type EventChannels, eventChannels } from './event-telemetry.js';
import { type InformerChannels, informerChannels } from './informer-telemetry.js';
import { type RestChannels, restChannels } from './rest-telemetry.js';
import { type SchedulerChannels, schedulerChannels } from './scheduler-telemetry.js';
import { type WebhookChannels, webhookChannels } from './webhook-telemetry.js';
import { type WorkqueueChannels, workqueueChannels } from './workqueue-telemetry.js';

export { type DiagnosticsChannel, listen } from './diagnostics-channel.js';
export type { InformerSource } from './informer-telemetry.js';

/** The channels of every stage, with the types of their messages. docs/observe.md has them as a table. */
export interface Channels
  extends InformerChannels,
    WorkqueueChannels,
    RestChannels,
    ElectionChannels,
    EventChannels,
    ControllerChannels,
    WebhookChannels,
    SchedulerChannels {}

/** The message of a channel: `ChannelMessage<'handlerSlow'>`. */
export type ChannelMessage<Name extends keyof Channels> =
  Channels[Name] extends DiagnosticsChannel<infer Message> ? Message : never;

/** Every channel of this package, by its short name: `channels.handlerSlow` is `kubeflect:handler:slow`. */
export const channels: Channels = {
  ...informerChannels,
  ...workqueueChannels,
  ...restChannels,
  ...electionChannels,
  ...eventChannels,
  ...controllerChannels,
  ...webhookChannels,
  ...schedulerChannels,
};
