import { Agent } from 'node:https';
import type { JsonObject } from '../../../meta/json-values.js';
import type { Clock } from '../../../time/clock.js';
import type { ReviewType, WebhookCaller, WebhookClientConfig } from '../../resources/webhook-caller.js';
import { failure, postOverHttps, timedOut } from './https-post.js';
import { readAnswer, type WebhookAnswer } from './read-answer.js';

/** An AdmissionReview or a ConversionReview: with a request as it is sent, with a response as it is answered. */
export interface WebhookReview {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request?: Readonly<Record<string, unknown>> | undefined;
  readonly response?: Readonly<Record<string, unknown>> | undefined;
}

/** A call of a webhook in memory. */
export interface WebhookCall {
  /** The path of the service reference. */
  readonly path: string;
  /** The authorities that the server must have a certificate of, PEM as base64; empty for those that Node.js trusts. */
  readonly caBundle: string;
  /** Aborts after `timeoutSeconds` of the webhook. */
  readonly signal: AbortSignal;
}

/**
 * A webhook that is a function: takes a review with a request and returns one with the response. What it throws is a failed
 * call, which `failurePolicy` decides about.
 */
export type WebhookHandler = (review: WebhookReview, call: WebhookCall) => WebhookReview | Promise<WebhookReview>;

/** What {@link WebhookClient} resolves services with. */
export interface WebhookClientOptions {
  readonly clock: Clock;
  /** The functions and addresses of services, by `namespace/name` or `namespace/name:port`. */
  readonly services: Readonly<Record<string, WebhookHandler | string>>;
  /** Why a service that is not among them cannot be called. */
  readonly unresolved: (namespace: string, name: string, port: number) => string;
}

/** Sockets to so many authorities are kept. */
const MAX_AGENTS = 200;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** Calls webhooks over HTTPS, or as functions. A call that takes too long is given up. */
export class WebhookClient implements WebhookCaller {
  readonly #options: WebhookClientOptions;
  /** By the authorities that they trust. */
  readonly #agents = new Map<string, Agent>();

  constructor(options: WebhookClientOptions) {
    this.#options = options;
  }

  async call(
    config: WebhookClientConfig,
    type: ReviewType,
    review: JsonObject,
    timeoutSeconds: number,
  ): Promise<JsonObject> {
    const body = JSON.stringify(review);
    const limit = new AbortController();
    const timer = this.#options.clock.setTimer(timeoutSeconds * 1000, () => limit.abort());
    try {
      return await readAnswer(await this.#post(config, body, timeoutSeconds, limit.signal), type);
    } finally {
      timer.cancel();
      limit.abort();
    }
  }

  /** Closes idle connections. */
  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
  }

  #post(
    { url, service, caBundle = '' }: WebhookClientConfig,
    body: string,
    timeoutSeconds: number,
    signal: AbortSignal,
  ): Promise<WebhookAnswer> {
    const query = `?timeout=${timeoutSeconds}s`;
    const agent = this.#agentOf(caBundle);
    const maxBytes = MAX_ANSWER_BYTES;
    if (service === undefined) {
      const shownUrl = `${url}${query}`;
      return postOverHttps({ shownUrl, url: new URL(shownUrl), agent, body, signal, maxBytes });
    }
    const { namespace, name, path = '', port = 443 } = service;
    const serverName = `${name}.${namespace}.svc`;
    const shownUrl = `https://${serverName}:${port}${path === '' ? '' : `/${path.replace(/^\//, '')}`}${query}`;
    const target = this.#serviceOf(namespace, name, port);
    if (typeof target === 'function') return callInMemory(target, shownUrl, { path, caBundle, signal }, body);
    if (target === undefined) {
      return Promise.reject(failure(shownUrl, this.#options.unresolved(namespace, name, port)));
    }
    const address = new URL(`${path === '' ? '/' : path}${query}`, target);
    return postOverHttps({ shownUrl, url: address, serverName, agent, body, signal, maxBytes });
  }

  #serviceOf(namespace: string, name: string, port: number): WebhookHandler | string | undefined {
    const { services } = this.#options;
    const key = `${namespace}/${name}`;
    for (const known of [`${key}:${port}`, key]) if (Object.hasOwn(services, known)) return services[known];
    return undefined;
  }

  #agentOf(caBundle: string): Agent {
    let agent = this.#agents.get(caBundle);
    if (agent === undefined) {
      const ca = caBundle === '' ? {} : { ca: Buffer.from(caBundle, 'base64').toString('utf8') };
      if (this.#agents.size === MAX_AGENTS) {
        const [oldest] = this.#agents.keys();
        this.#agents.delete(oldest!);
      }
      agent = new Agent({ keepAlive: true, ...ca });
      this.#agents.set(caBundle, agent);
    }
    return agent;
  }
}

/** Calls a function as if it was behind a connection: it gets a copy, and a copy of its answer is used. */
function callInMemory(
  handler: WebhookHandler,
  shownUrl: string,
  call: WebhookCall,
  body: string,
): Promise<WebhookAnswer> {
  return new Promise((resolve, reject) => {
    call.signal.addEventListener('abort', () => reject(timedOut(shownUrl)), { once: true });
    const answered = async (): Promise<WebhookReview> => handler(JSON.parse(body) as WebhookReview, call);
    answered()
      .then((answer) => resolve({ status: 200, contentType: 'application/json', text: JSON.stringify(answer) ?? '' }))
      .catch((error: unknown) => reject(failure(shownUrl, error instanceof Error ? error.message : String(error))));
  });
}
