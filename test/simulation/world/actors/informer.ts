import type { InformerEvent } from '../../../../src/cache/informer/informer-event.js';
import type { SharedIndexInformer } from '../../../../src/cache/informer/shared-informer.js';
import type { SubscribeOptions } from '../../../../src/cache/informer/subscription.js';
import type { Client } from '../../../../src/client/client.js';
import type { InformerOptions } from '../../../../src/informers/make-informer.js';
import { SharedInformerFactory } from '../../../../src/informers/shared-informer-factory.js';
import { ContractObserver } from '../../../support/contract-observer.js';
import type { SimCluster } from '../cluster.js';
import { widgets } from '../objects.js';
import type { SimProcess } from '../process.js';
import type { Program } from '../slot.js';
import { Actor, type ActorBase, isBug, type Stage } from './actor.js';

/** An informer with one handler. */
export interface InformerPlan extends ActorBase {
  readonly kind: 'informer';
  readonly resource: 'configmaps' | 'secrets' | 'widgets';
  readonly variant: 'plain' | 'selecting' | 'objects' | 'listing';
  readonly handler: 'quick' | 'slow' | 'coalescing' | 'throwing';
}

const collectionOf = { configmaps: 'configmaps', secrets: 'secrets', widgets: 'widgets.example.com' } as const;

const optionsOf: Readonly<Record<InformerPlan['variant'], InformerOptions<never>>> = {
  plain: {},
  selecting: { namespace: 'blue' },
  objects: { storage: 'objects', resyncMs: 30_000 },
  listing: { useWatchList: false },
};

/** Opens an informer of a plan's kind of objects. */
export function openInformer(
  client: Client,
  resource: InformerPlan['resource'],
  options: InformerOptions<never>,
  onBug: (error: unknown) => void,
): { readonly factory: SharedInformerFactory; readonly informer: SharedIndexInformer<unknown> } {
  const factory = new SharedInformerFactory(client, {
    onError: (error) => {
      if (isBug(error)) onBug(error);
    },
  });
  const { configMaps, secrets } = factory.core.v1;
  const informer =
    resource === 'configmaps'
      ? configMaps(options as never)
      : resource === 'secrets'
        ? secrets(options as never)
        : factory.forResource(widgets, options as never);
  return { factory, informer: informer as SharedIndexInformer<unknown> };
}

/** Returns how a state differs from the objects that the server has; undefined if it does not. */
export function differenceFrom(
  cluster: SimCluster,
  resource: InformerPlan['resource'],
  sees: (key: string) => boolean,
  versionOf: (key: string) => string | undefined,
  count: number,
): string | undefined {
  if (!cluster.isUp) return `${cluster.name} is down`;
  let wanted = 0;
  for (const { key, version } of cluster.objects(collectionOf[resource])) {
    if (!sees(key)) continue;
    wanted++;
    if (versionOf(key) !== String(version)) return `${key} is at ${versionOf(key)} and not at ${version}`;
  }
  return count === wanted ? undefined : `there are ${count} objects and not ${wanted}`;
}

/** Caches and handlers get the state of the server, in order, and nothing that was never visible. */
export class InformerActor extends Actor {
  readonly #plan: InformerPlan;

  constructor(name: string, stage: Stage, plan: InformerPlan) {
    super(name, stage, plan);
    this.#plan = plan;
    this.addSlot(name, (process) => this.#begin(process));
  }

  #begin(process: SimProcess): Program {
    const { resource, variant, handler, wire } = this.#plan;
    const { cluster } = this;
    const client = process.connect(cluster.link, this.credentials(), { wire });
    const { factory, informer } = openInformer(client, resource, optionsOf[variant], (error) =>
      this.problem(`a programming error: ${(error as Error).stack}`),
    );
    const observer = new ContractObserver(informer.lister);
    let isOver = false;
    let running = 0;
    let seen = 0;
    const listen = (event: InformerEvent<unknown>): unknown => {
      this.count('events');
      seen++;
      if (isOver) this.problem(`${process.name}: an event comes after the stop`);
      if (running > 0) this.problem(`${process.name}: the handler is called twice at a time`);
      if (Number(event.facts.resourceVersion) > cluster.visibleVersion)
        this.problem(`${event.key} is seen at ${event.facts.resourceVersion} before it is visible`);
      observer.listen(event);
      for (const violation of observer.violations.splice(0)) this.problem(violation);
      if (handler === 'throwing' && seen % 4 === 0) throw new Error('thrown by a handler');
      if (handler === 'quick' || handler === 'throwing') return undefined;
      running++;
      return process.clock.sleep(handler === 'slow' ? 200 : 500).then(() => void running--);
    };
    const options: SubscribeOptions<unknown> = handler === 'coalescing' ? { coalesce: true } : {};
    informer.subscribe(listen, options);
    factory.start();
    const sees = (key: string): boolean => variant !== 'selecting' || key.startsWith('blue/');
    return {
      unsettled: () => {
        const { state, lastError } = informer.status;
        if (state !== 'watching') return `it is ${state}: ${lastError?.message}`;
        const known = observer.state;
        const { lister } = informer;
        const cached = (key: string): string | undefined => lister.entry(key)?.facts.resourceVersion;
        return (
          differenceFrom(cluster, resource, sees, cached, lister.count()) ??
          differenceFrom(cluster, resource, sees, (key) => known[key], Object.keys(known).length)
        );
      },
      stop: () => factory.stop().then(() => void (isOver = true)),
    };
  }
}
