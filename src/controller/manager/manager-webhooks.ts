import type { KeyPair } from '../../certificates/certificate-authority.js';
import type { Client, Clock, Lister, Resource } from '../../index.js';
import { printResource } from '../../meta/resource.js';
import type { CacheLease, CachePool } from '../caches.js';
import { CertificateFiles } from '../webhooks/certificates/certificate-files.js';
import type { CertificateSource } from '../webhooks/certificates/certificate-source.js';
import { ManagedCertificates } from '../webhooks/certificates/managed-certificates.js';
import type { RotationTimes } from '../webhooks/certificates/rotation.js';
import { bundleTargetsOf, webhookHostsOf, webhookServiceOf } from '../webhooks/configurations.js';
import { WebhookEndpoints } from '../webhooks/endpoints.js';
import { type WebhookDefinition, webhookDefinition } from '../webhooks/webhook.js';
import { type WebhookListener, WebhookServer } from '../webhooks/webhook-server.js';
import type { ManagerOptions } from './manager-options.js';

/** What tests and worlds change about the webhooks of a manager. */
export interface WebhookInternals {
  /** Takes the place of the HTTPS server. */
  readonly listen?: ((endpoints: WebhookEndpoints) => WebhookListener | Promise<WebhookListener>) | undefined;
  readonly times?: RotationTimes | undefined;
  /** See `AdmissionContext`. @default false */
  readonly asksTwice?: boolean | undefined;
}

/** What the webhooks of a manager work with. */
export interface ManagerWebhookOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly caches: CachePool;
  readonly options: ManagerOptions;
  /** The namespace of the manager. */
  readonly home: string;
  readonly onError: (error: Error) => void;
  readonly internals: WebhookInternals;
}

/** How long webhooks are served after the manager is no longer ready: so long others may not know it. */
const SERVED_UNREADY_MS = 5000;

/** The webhooks of a manager: their server, its certificate, and the caches that they read. */
export class ManagerWebhooks {
  readonly #options: ManagerWebhookOptions;
  readonly #definitions: readonly WebhookDefinition[];
  readonly #caches = new Map<string, CacheLease<unknown>>();
  #listener: WebhookListener | undefined;
  #certificates: Promise<void> = Promise.resolve();
  #isCertified = false;
  #unreadyAt: number | undefined;

  constructor(options: ManagerWebhookOptions) {
    this.#options = options;
    this.#definitions = (options.options.webhooks ?? []).map(webhookDefinition);
  }

  /** Why the webhooks are not ready; undefined if they are. */
  get readyProblem(): string | undefined {
    if (!this.#isCertified) return 'the webhooks have no certificate that the API server trusts';
    const unsynced = [...this.#caches].filter(([, { informer }]) => !informer.hasSynced).map(([name]) => name);
    return unsynced.length === 0 ? undefined : `caches that webhooks read have not synced: ${unsynced.join(', ')}`;
  }

  /**
   * Listens, and serves until {@link close}. Rejects if it cannot listen. Conversions are answered at once, because caches may
   * need them to fill.
   *
   * @returns a promise for the time when all webhooks are served
   */
  async start(signal: AbortSignal): Promise<{ readonly ready: Promise<void> }> {
    const { caches, client, clock, options, internals, onError } = this.#options;
    const endpoints = new WebhookEndpoints(this.#definitions, {
      clock,
      onError,
      asksTwice: internals.asksTwice,
      cacheOf: (resource, until) => this.#cacheOf(resource, until),
    });
    const { port = 9443 } = options.webhookServer ?? {};
    const listen = internals.listen ?? ((served) => WebhookServer.listen(served, { port }));
    this.#listener = await listen(endpoints);
    for (const definition of this.#definitions) {
      for (const resource of definition.type === 'convert' ? [] : definition.reads) {
        const name = printResource(resource);
        if (!this.#caches.has(name)) this.#caches.set(name, caches.acquire<unknown>({ client, resource }));
      }
    }
    const certified = new Promise<void>((resolve) => {
      this.#certificates = this.#source().run(signal, () => {
        this.#isCertified = true;
        resolve();
      });
    });
    const synced = [...this.#caches.values()].map(({ informer }) => informer.whenSynced({ signal }));
    const ready = Promise.all([certified, ...synced]).then(() => {});
    // After an abort nothing may wait for it.
    ready.catch(() => {});
    return { ready };
  }

  /** Called when the manager is no longer ready. */
  drain(): void {
    this.#unreadyAt ??= this.#options.clock.monotonicNow();
    this.#listener?.drain();
  }

  /** Serves for some time after {@link drain}, then stops. */
  async close(): Promise<void> {
    const { clock } = this.#options;
    if (this.#isCertified && this.#unreadyAt !== undefined)
      await clock.sleep(Math.max(0, this.#unreadyAt + SERVED_UNREADY_MS - clock.monotonicNow()));
    await this.#certificates;
    await this.#listener?.close();
    await Promise.all([...this.#caches.values()].map((cache) => cache.release()));
  }

  async #cacheOf<U>(resource: Resource<U>, signal: AbortSignal): Promise<Lister<U>> {
    const { informer } = this.#caches.get(printResource(resource))!;
    if (!informer.hasSynced) await informer.whenSynced({ signal });
    return informer.lister as Lister<U>;
  }

  #source(): CertificateSource {
    const { client, clock, caches, options, home, onError, internals } = this.#options;
    const { certificates = 'managed' } = options.webhookServer ?? {};
    const common = {
      client,
      clock,
      caches,
      name: options.name,
      targets: bundleTargetsOf(this.#definitions, options.name),
      onCertificate: (certificate: KeyPair) => this.#listener?.use(certificate),
      onError,
    };
    if (certificates !== 'managed') return new CertificateFiles(certificates, common);
    const hosts = webhookHostsOf(webhookServiceOf(options, home));
    return new ManagedCertificates({ ...common, namespace: home, hosts, times: internals.times });
  }
}
