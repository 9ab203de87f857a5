import { type Client, type ClientSourceOptions, clientSourceNames } from '../../client/client.js';
import type { ListHead } from '../../codec/codec.js';
import type { Raw } from '../../codec/raw.js';
import { SlabArena } from '../../codec/slab.js';
import type { BatchSink, Flow, WatchSink } from '../../codec/watch-source.js';
import { checkOptions, type OptionNames } from '../../meta/options/known-options.js';
import type { ListParameters, WatchParameters } from '../../meta/options/parameters.js';
import { requireFunction, requireObject } from '../../meta/options/validate.js';
import type { Resource } from '../../meta/resource.js';
import type { RestClient } from '../../rest/request/rest-client.js';
import type { ResourceSource } from '../../rest/source/resource-source.js';
import type { ListerWatcher } from './list-watch.js';
import { ServerTraits } from './server-traits.js';

/** Options of a {@link ClientListWatch}. */
export interface ClientListWatchOptions extends Partial<ClientSourceOptions> {
  /** Returns the parameters to send in place of those of a list or watch request. @default the same */
  readonly tweakListOptions?: (<O extends ListParameters | WatchParameters>(options: O) => O) | undefined;
}

const clientListWatchNames: OptionNames<ClientListWatchOptions> = { ...clientSourceNames, tweakListOptions: true };

/** All sources of one client share the traits of its server. */
const traitsOf = new WeakMap<RestClient, ServerTraits>();

/** Lists and watches a collection of an API server as {@link Raw} handles: the {@link ListerWatcher} of informers. */
export class ClientListWatch<T> implements ListerWatcher<Raw<T>> {
  /** @internal */
  readonly traits: ServerTraits;
  readonly supportsWatchList: boolean = true;
  readonly #source: ResourceSource<T>;
  readonly #tweak: <O extends ListParameters | WatchParameters>(options: O) => O;

  constructor(client: Client, resource: Resource<T>, options: ClientListWatchOptions = {}) {
    requireObject('client', client, 'a Client');
    checkOptions('new ClientListWatch', options, clientListWatchNames);
    let traits = traitsOf.get(client.rest);
    if (traits === undefined) {
      const { transport } = client.rest;
      const learnt = new ServerTraits(() => transport.silenceMs);
      // A new connection may lead to another server, or to a newer release of it.
      transport.onConnect(() => learnt.noteReconnected());
      traitsOf.set(client.rest, learnt);
      traits = learnt;
    }
    this.traits = traits;
    this.#source = client.source<T>(resource, { ...options, arena: options.arena ?? new SlabArena() });
    if (options.tweakListOptions !== undefined) requireFunction('tweakListOptions', options.tweakListOptions);
    this.#tweak = options.tweakListOptions ?? ((unchanged) => unchanged);
  }

  list(options: ListParameters, sink: BatchSink<Raw<T>>, signal: AbortSignal): Flow<ListHead> {
    return this.#source.list(this.#tweak(options), sink, signal);
  }

  open(options: WatchParameters, sink: WatchSink<Raw<T>>, signal: AbortSignal): Flow<void> {
    return this.#source.open(this.#tweak(options), sink, signal);
  }
}
