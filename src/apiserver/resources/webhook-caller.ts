import type { JsonObject } from '../../meta/json-values.js';

/** Where a webhook is: `clientConfig` of a webhook configuration or of a definition. */
export interface WebhookClientConfig {
  readonly url?: string | undefined;
  readonly service?:
    | {
        readonly namespace: string;
        readonly name: string;
        readonly path?: string | undefined;
        readonly port?: number | undefined;
      }
    | undefined;
  /** PEM, as base64. @default the authorities that Node.js trusts */
  readonly caBundle?: string | undefined;
}

/** The kind of a review and the version of it that a webhook is called with. */
export interface ReviewType {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Calls webhooks. */
export interface WebhookCaller {
  /**
   * Posts a review and resolves with the answer, which has kind and apiVersion of the review or none. Rejects with a
   * {@link WebhookCallError} if there is no such answer in time.
   */
  call(config: WebhookClientConfig, type: ReviewType, review: JsonObject, timeoutSeconds: number): Promise<JsonObject>;
}

/** A webhook that did not answer, or not with a review. The message is that of kube-apiserver's client. */
export class WebhookCallError extends Error {
  override readonly name = 'WebhookCallError';
}
