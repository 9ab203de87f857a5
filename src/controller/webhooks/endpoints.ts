import type { Clock, Lister, Resource } from '../../index.js';
import { asError } from '../../meta/errors/errors.js';
import type { JsonObject } from '../../meta/json-values.js';
import { printGroupResource } from '../../meta/resource.js';
import { channels } from '../../observe/channels.js';
import { linkSignals } from '../../time/signals.js';
import { answerAdmission } from './admission-review.js';
import { Conversions } from './conversion.js';
import { answerConversion } from './conversion-review.js';
import { BadReviewError } from './review.js';
import type { AdmissionDefinition, ConversionDefinition, WebhookDefinition } from './webhook.js';

/** The answer of a webhook: an HTTP status, and a review or a Status. */
export interface WebhookAnswer {
  readonly code: number;
  readonly body: JsonObject;
}

/** What webhooks are served with. */
export interface EndpointOptions {
  readonly clock: Clock;
  /** The cache of a kind in `reads`; resolves when it has synced. */
  cacheOf<U>(resource: Resource<U>, signal: AbortSignal): Promise<Lister<U>>;
  /** Called with what webhooks throw, and with calls that took too long. */
  readonly onError: (error: Error) => void;
  /** See `AdmissionContext`. @default false */
  readonly asksTwice?: boolean | undefined;
}

/** One path of the webhook server. */
interface Endpoint {
  readonly name: string;
  /** How long an answer may take if the request does not say. */
  readonly timeoutMs: number;
  answer(review: unknown, signal: AbortSignal): Promise<JsonObject>;
}

/** kube-apiserver waits so long for conversions, and does not say so. */
const CONVERSION_TIMEOUT_MS = 30_000;

/** The path at which an admission webhook is served. */
export function admissionPath({ type, name }: AdmissionDefinition): string {
  return `/${type}/${name}`;
}

/** The path at which the objects of a definition (`widgets.example.com`) are converted. */
export function conversionPath(definition: string): string {
  return `/convert/${definition}`;
}

/** Answers the reviews of all webhooks of a manager, by path. */
export class WebhookEndpoints {
  readonly #options: EndpointOptions;
  readonly #endpoints = new Map<string, Endpoint>();

  constructor(definitions: readonly WebhookDefinition[], options: EndpointOptions) {
    this.#options = options;
    for (const definition of definitions)
      if (definition.type !== 'convert')
        this.#endpoints.set(admissionPath(definition), this.#admissionEndpoint(definition));
    for (const [path, conversions] of conversionsOf(definitions))
      this.#endpoints.set(path, this.#conversionEndpoint(conversions));
  }

  has(path: string): boolean {
    return this.#endpoints.has(path);
  }

  /**
   * Answers a review; never rejects. What is no review is answered with 400. A throw of the webhook, and a call that takes too
   * long, are answered with 500, before the caller gives up.
   *
   * @param timeoutMs how long the caller waits
   */
  async answer(path: string, review: unknown, timeoutMs?: number): Promise<WebhookAnswer> {
    const endpoint = this.#endpoints.get(path);
    if (endpoint === undefined) return failure(404, 'there is no webhook at this path');
    const { clock, onError } = this.#options;
    const webhook = endpoint.name;
    const startedAt = clock.monotonicNow();
    channels.webhookCall.publish({ webhook });
    const limit = linkSignals([], {
      clock,
      timeoutMs: withinMs(timeoutMs ?? endpoint.timeoutMs),
      what: `the webhook ${webhook}`,
    });
    let answer: WebhookAnswer;
    try {
      answer = { code: 200, body: await endpoint.answer(review, limit.signal) };
    } catch (error) {
      const { message } = asError(error);
      answer = failure(error instanceof BadReviewError ? 400 : 500, message);
      if (answer.code === 500) onError(new Error(`the webhook ${webhook} failed: ${message}`, { cause: error }));
    } finally {
      limit.release();
    }
    channels.webhookAnswer.publish({ webhook, code: answer.code, durationMs: clock.monotonicNow() - startedAt });
    return answer;
  }

  #admissionEndpoint(definition: AdmissionDefinition): Endpoint {
    const { name, timeoutMs, reads } = definition;
    const { asksTwice } = this.#options;
    return {
      name,
      timeoutMs,
      answer: async (review, signal) => {
        const caches = new Map<string, Lister<unknown>>();
        for (const resource of reads) caches.set(cacheName(resource), await this.#options.cacheOf(resource, signal));
        const lister = <U>(resource: Resource<U>): Lister<U> => {
          const cache = caches.get(cacheName(resource));
          if (cache !== undefined) return cache as Lister<U>;
          throw new TypeError(`the webhook ${name} has no cache of ${printGroupResource(resource)}: add it to reads`);
        };
        return answerAdmission(definition, review, { signal, lister, asksTwice });
      },
    };
  }

  #conversionEndpoint(conversions: Conversions): Endpoint {
    const { clock, onError } = this.#options;
    const name = `convert.${conversions.name}`;
    return {
      name,
      timeoutMs: CONVERSION_TIMEOUT_MS,
      answer: (review, signal) =>
        answerConversion(conversions, review, {
          clock,
          signal,
          onError: (error) => onError(new Error(`the webhook ${name} failed: ${error.message}`, { cause: error })),
        }),
    };
  }
}

/** The conversions of each kind, by path. */
export function conversionsOf(definitions: readonly WebhookDefinition[]): ReadonlyMap<string, Conversions> {
  const byPath = new Map<string, ConversionDefinition[]>();
  for (const definition of definitions) {
    if (definition.type !== 'convert') continue;
    const path = conversionPath(printGroupResource(definition.to));
    byPath.set(path, [...(byPath.get(path) ?? []), definition]);
  }
  return new Map([...byPath].map(([path, ofKind]) => [path, new Conversions(ofKind)]));
}

function cacheName({ version, ...resource }: Resource<unknown>): string {
  return `${version} ${printGroupResource(resource)}`;
}

/** A little less than the caller waits, so that it gets the answer. */
function withinMs(timeoutMs: number): number {
  return Math.max(timeoutMs - 500, timeoutMs * 0.9);
}

/** A Status: the API server shows its message. */
function failure(code: number, message: string): WebhookAnswer {
  return { code, body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code } };
}
