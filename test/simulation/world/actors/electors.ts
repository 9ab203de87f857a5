import type { Collection, Revision } from '../../../../src/apiserver/storage/storage.js';
import { LeaderElector } from '../../../../src/election/leader-elector.js';
import type { SimCluster } from '../cluster.js';
import { home } from '../objects.js';
import type { SimProcess } from '../process.js';
import type { Program } from '../slot.js';
import { Actor, type ActorBase, type Stage } from './actor.js';

/** Candidates for one Lease; the leader writes to a log. */
export interface ElectorsPlan extends ActorBase {
  readonly kind: 'electors';
  readonly candidates: number;
}

/** There is one leader at a time, and only its writes are stored. */
export class ElectorsActor extends Actor {
  readonly #electors = new Map<SimProcess, LeaderElector>();

  constructor(name: string, stage: Stage, plan: ElectorsPlan) {
    super(name, stage, plan);
    for (let i = 0; i < plan.candidates; i++) this.addSlot(`${name}-c${i}`, (process) => this.#begin(process));
  }

  override check(): void {
    const leaders = this.#leaders();
    if (leaders.length > 1) this.problem(`there are ${leaders.length} leaders: ${leaders.join(', ')}`);
  }

  override unsettled(): string | undefined {
    return super.unsettled() ?? (this.#leaders().length === 1 ? undefined : 'no candidate leads');
  }

  /** Each write to the log must come from the holder of the Lease. */
  override onCommit(cluster: SimCluster, revision: Revision, collection: Collection): void {
    if (cluster !== this.cluster || collection.id !== 'configmaps' || revision.key !== `${home}/log-${this.name}`)
      return;
    const { by } = (revision.decode() as { data?: { by?: string } }).data ?? {};
    const lease = cluster.server.storage.collection('leases.coordination.k8s.io').get(`${home}/${this.name}`);
    const { holderIdentity } = (lease?.decode() as { spec?: { holderIdentity?: string } } | undefined)?.spec ?? {};
    this.count('leader writes');
    if (by !== holderIdentity)
      this.problem(`${by} writes at version ${revision.version}, but ${holderIdentity} holds the Lease`);
  }

  #leaders(): string[] {
    return [...this.#electors]
      .filter(([process, { isLeader }]) => !process.isDead && isLeader)
      .map(([{ name }]) => name);
  }

  #begin(process: SimProcess): Program {
    const { random } = this;
    const { clock } = process;
    const client = process.connect(this.cluster.link, this.credentials(), { wire: this.plan.wire });
    const identity = process.name;
    const elector = new LeaderElector(client, { namespace: home, name: this.name, identity, onError: () => {} });
    const guarded = elector.guard(client).core.v1.configMaps(home);
    const name = `log-${this.name}`;
    const stop = new AbortController();
    let writes = 0;
    this.#electors.set(process, elector);
    const lead = async (signal: AbortSignal): Promise<void> => {
      this.count('terms');
      // Some go on after the abort, for longer than it takes until another candidate leads.
      for (let goOn = random() < 0.3 ? 20 : 1; goOn > 0; ) {
        if (signal.aborted) goOn--;
        const data = { by: identity, n: String(writes++) };
        const write = guarded.apply({ metadata: { name }, data }, { fieldManager: 'leader', force: true });
        await write.catch(() => {});
        await clock.sleep(500 + random() * 3500);
      }
    };
    const running = (async () => {
      while (!stop.signal.aborted) await elector.run(lead, { signal: stop.signal });
    })();
    return {
      unsettled: () => undefined,
      stop: async () => {
        stop.abort();
        await running;
        this.#electors.delete(process);
      },
    };
  }
}
