import { ControllerManager } from '../../../../src/controller/manager/manager.js';
import { checkManagerOptions, type ManagerOptions } from '../../../../src/controller/manager/manager-options.js';
import { manifests } from '../../../../src/controller/manifests/manifests.js';
import { webhookServiceOf } from '../../../../src/controller/webhooks/configurations.js';
import { validate } from '../../../../src/controller/webhooks/webhook.js';
import { resources } from '../../../../src/index.js';
import { WorldWebhooks } from '../../../../src/testing/world/world-webhooks.js';
import { home } from '../objects.js';
import type { SimProcess } from '../process.js';
import type { Program } from '../slot.js';
import { Actor, type ActorBase, isBug, type Stage } from './actor.js';

/** Replicas that serve a webhook, with certificates that expire every few minutes. */
export interface WebhooksPlan extends ActorBase {
  readonly kind: 'webhooks';
  readonly replicas: number;
}

/** Renewal begins after two thirds of a lifetime. */
const TIMES = { authorityMs: 420_000, servingMs: 180_000, trustMs: 10_000, forgetMs: 60_000 };
const PROBE_EVERY_MS = 5000;
/** Longer than a certificate is served before it is replaced. */
const CALM_MS = 130_000;
const START_AGAIN_MS = 5000;

/** The server trusts the certificates of the replicas, also while they are replaced: no request is refused at rest. */
export class WebhooksActor extends Actor {
  readonly #webhooks: WorldWebhooks;
  readonly #options: ManagerOptions;
  readonly #stop = new AbortController();
  #probing: Promise<void> = Promise.resolve();
  /** The error of the last probe; undefined if it was admitted. */
  #refusal: string | undefined = 'nothing was tried';
  #isHealed = false;
  #isCalm = false;
  #replicas = 0;

  constructor(name: string, stage: Stage, plan: WebhooksPlan) {
    super(name, stage, plan);
    this.#webhooks = new WorldWebhooks(stage.clock, TIMES);
    const admits = validate(resources.core.v1.serviceAccounts, { failurePolicy: 'Fail', check: () => {} });
    this.#options = checkManagerOptions('createManager', {
      name,
      namespace: home,
      webhooks: [admits],
      definitions: 'ignore',
      election: false,
      port: false,
      drainMs: 5000,
      onError: (error) => {
        if (isBug(error)) this.problem(`a programming error: ${error.stack}`);
      },
    });
    for (let i = 0; i < plan.replicas; i++) this.addSlot(`${name}-r${i}`, (process) => this.#begin(process));
  }

  override start(): void {
    this.#probing = this.#deploy().then(() => this.#probe());
    super.start();
  }

  /** What was admitted before says nothing about the replicas that start now. */
  override heal(): void {
    this.#isHealed = true;
    this.#refusal = 'nothing was tried since the disturbances ended';
    super.heal();
  }

  override unsettled(): string | undefined {
    return super.unsettled() ?? this.#refusal;
  }

  override get calmMs(): number {
    return CALM_MS;
  }

  override beginCalm(): void {
    this.#isCalm = true;
  }

  override async end(): Promise<void> {
    this.#isCalm = false;
    this.#stop.abort();
    await this.#probing;
    await super.end();
  }

  async #deploy(): Promise<void> {
    const [configuration] = manifests(this.#options).filter(({ kind }) => kind === 'ValidatingWebhookConfiguration');
    const configurations = this.cluster.admin.admissionregistration.v1.validatingWebhookConfigurations();
    while (!this.#stop.signal.aborted) {
      const isStored = await configurations.create(configuration as never).then(
        () => true,
        (error: unknown) => (error as { code?: number }).code === 409,
      );
      if (isStored) return;
      await this.#pause();
    }
  }

  /** Sends a request now and then that the webhook has to admit. */
  async #probe(): Promise<void> {
    const { admin } = this.cluster;
    while (!this.#stop.signal.aborted) {
      const isHealed = this.#isHealed;
      const refusal = await admin.core.v1
        .serviceAccounts('green')
        .create({ metadata: { generateName: 'probe-' } }, { dryRun: true })
        .then(
          () => undefined,
          (error: Error) => error.message,
        );
      this.count(refusal === undefined ? 'admitted probes' : 'refused probes');
      if (isHealed === this.#isHealed) this.#refusal = refusal;
      if (this.#isCalm && refusal !== undefined) this.problem(`a request was refused at rest: ${refusal}`);
      await this.#pause();
    }
  }

  async #pause(): Promise<void> {
    await this.stage.clock.sleep(PROBE_EVERY_MS, { signal: this.#stop.signal }).catch(() => {});
  }

  #begin(process: SimProcess): Program {
    const number = this.#replicas++;
    const { cluster } = this;
    const client = process.connect(cluster.link, this.credentials(), { wire: this.plan.wire, namespace: home });
    const service = webhookServiceOf(this.#options, home);
    const stop = new AbortController();
    const running = (async () => {
      while (!stop.signal.aborted) {
        const manager = new ControllerManager(client, this.#options, {
          webhooks: {
            asksTwice: true,
            times: TIMES,
            listen: (endpoints) => {
              const listener = this.#webhooks.listen(number, service, endpoints);
              Object.assign(cluster.webhooks, this.#webhooks.services);
              return listener;
            },
          },
        });
        await manager.run({ signal: stop.signal }).catch((error: unknown) => {
          if (isBug(error)) this.problem(`a programming error: ${(error as Error).stack}`);
        });
        await process.clock.sleep(START_AGAIN_MS, { signal: stop.signal }).catch(() => {});
      }
    })();
    return {
      unsettled: () => undefined,
      stop: async () => {
        stop.abort();
        await running;
      },
      killed: () => this.#webhooks.remove(number),
    };
  }
}
