import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { CertificateAuthority } from '../../src/certificates/certificate-authority.js';
import { realClock } from '../../src/time/real-clock.js';
import type { Api } from './api.js';
import type { Doc } from './doc.js';

/** A call of a webhook. */
export interface HookCall {
  /** The name that the case gave to the webhook. */
  readonly hook: string;
  readonly review: { readonly request: ReviewedRequest };
  readonly request: IncomingMessage;
}

type GroupVersion = { readonly group: string; readonly version: string };

/** The request of an AdmissionReview. */
export interface ReviewedRequest {
  readonly uid: string;
  readonly kind: GroupVersion & { readonly kind: string };
  readonly resource: GroupVersion & { readonly resource: string };
  readonly subResource?: string;
  readonly name?: string;
  readonly namespace: string;
  readonly operation: string;
  readonly userInfo: { readonly username: string; readonly groups: readonly string[] };
  readonly object: Doc;
  readonly oldObject: Doc | null;
  readonly options: { readonly kind: string; readonly [option: string]: unknown } | null;
  readonly dryRun: boolean;
}

/** The request of a ConversionReview. */
export interface ConversionCall {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly Doc[];
}

/** Answers a ConversionReview: fields of the response, and of the review as `top`. */
export type Converter = (call: ConversionCall) => { readonly top?: object; readonly [field: string]: unknown };

/** What a webhook answers: the fields of the response, or anything by itself. */
export type HookAnswer = Record<string, unknown> | ((call: HookCall, response: ServerResponse) => void);

const READY = 'ready';
const ROOT = '/apis/admissionregistration.k8s.io/v1';

let shared: Promise<{ readonly url: string; readonly caBundle: string }> | undefined;
const routes = new Map<
  string,
  (request: IncomingMessage, body: HookCall['review'] | undefined, response: ServerResponse) => void
>();

/** One HTTPS server for all cases, on loopback. It does not keep the process alive. */
function sharedServer(): Promise<{ readonly url: string; readonly caBundle: string }> {
  shared ??= new Promise((resolve) => {
    const authority = new CertificateAuthority(realClock);
    const pair = authority.issueServer(['127.0.0.1']);
    const server: Server = createServer({ key: pair.key, cert: pair.certificate }, (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const [, id = ''] = (request.url ?? '').split(/[/?]/);
        const route = routes.get(id);
        if (route === undefined) response.writeHead(404).end();
        else route(request, text === '' ? undefined : (JSON.parse(text) as HookCall['review']), response);
      });
    });
    server.listen(0, '127.0.0.1', () => {
      server.unref();
      const { port } = server.address() as AddressInfo;
      resolve({ url: `https://127.0.0.1:${port}`, caBundle: Buffer.from(authority.certificate).toString('base64') });
    });
  });
  return shared;
}

/** The webhooks of one case. They see the requests of the case's namespace only. */
export class HookServer {
  /** The calls for the namespace of the case. */
  readonly calls: HookCall[] = [];
  /** The calls for cluster-scoped objects, which no namespaceSelector leaves out. They are allowed. */
  readonly foreign: HookCall[] = [];
  readonly namespace: string;
  /** The base address of the webhooks of this case. */
  readonly url: string;
  readonly caBundle: string;
  readonly #api: Api;
  readonly #answers = new Map<string, HookAnswer>();
  readonly #conversions: ConversionCall[] = [];
  #converter: Converter = () => ({});
  #readyCalls = 0;

  private constructor(api: Api, namespace: string, url: string, caBundle: string) {
    this.#api = api;
    this.namespace = namespace;
    this.url = url;
    this.caBundle = caBundle;
  }

  /** Starts the webhooks of a case, with a namespace of its own. */
  static async start(api: Api): Promise<HookServer> {
    const { url, caBundle } = await sharedServer();
    const namespace = await api.namespace();
    const server = new HookServer(api, namespace, `${url}/${namespace}`, caBundle);
    routes.set(namespace, (request, body, response) => server.#handle(request, body, response));
    return server;
  }

  /** Sets what a webhook answers. Without an answer it allows everything. */
  answer(hook: string, answer: HookAnswer): void {
    this.#answers.set(hook, answer);
  }

  /** `spec.conversion` of a definition that is converted here. */
  conversion(convert: Converter): object {
    this.#converter = convert;
    const clientConfig = { url: `${this.url}/convert`, caBundle: this.caBundle };
    return { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig } };
  }

  /** The conversions since the last look. */
  takeConversions(): ConversionCall[] {
    return this.#conversions.splice(0);
  }

  /** The webhook of a configuration that calls this server, for the namespace of the case. */
  hook(name: string, fields: object = {}): object {
    return {
      name: `${name}.example.com`,
      clientConfig: { url: `${this.url}/${name}`, caBundle: this.caBundle },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      timeoutSeconds: 30,
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': this.namespace } },
      objectSelector: { matchExpressions: [{ key: READY, operator: 'DoesNotExist' }] },
      rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }],
      ...fields,
    };
  }

  /** Creates a configuration and waits until the server calls its webhooks. */
  async configure(kind: 'mutating' | 'validating', webhooks: readonly object[], prefix = 'hooks'): Promise<string> {
    const name = this.#api.unique(prefix);
    const path = `${ROOT}/${kind}webhookconfigurations`;
    const ready = this.hook(READY, {
      objectSelector: { matchLabels: { [READY]: name } },
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
    });
    // The last one: when it is called, the others are known too.
    await this.#api.create(path, { metadata: { name }, webhooks: [...webhooks, ready] });
    this.#api.remove(`${path}/${name}`);
    const before = this.#readyCalls;
    const body = { metadata: { name: READY, labels: { [READY]: name } } };
    const deadline = AbortSignal.timeout(15_000);
    while (this.#readyCalls === before) {
      if (deadline.aborted) throw new Error(`${name} was not called within 15 s`);
      const target = `/api/v1/namespaces/${this.namespace}/configmaps`;
      await this.#api.request('POST', target, { body, query: { dryRun: 'All' } });
    }
    this.calls.length = 0;
    return name;
  }

  /** The calls since the last look: of one webhook, or of all. */
  take(hook?: string): ReviewedRequest[] {
    const taken = this.calls.filter((call) => hook === undefined || call.hook === hook);
    this.calls.length = 0;
    return taken.map(({ review }) => review.request);
  }

  #handle(request: IncomingMessage, review: HookCall['review'] | undefined, response: ServerResponse): void {
    const [, , hook = ''] = (request.url ?? '').split(/[/?]/);
    if (hook === 'convert') {
      const asked = (review as unknown as { request: ConversionCall }).request;
      this.#conversions.push(asked);
      const { top = {}, ...answer } = this.#converter(asked);
      const success = { uid: asked.uid, result: { status: 'Success' }, convertedObjects: asked.objects, ...answer };
      const document = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', response: success, ...top };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
      return;
    }
    const call: HookCall = { hook, review: review!, request };
    const isReady = hook === READY;
    const isForeign = review !== undefined && review.request.namespace !== this.namespace;
    if (isReady) this.#readyCalls++;
    else if (isForeign) this.foreign.push(call);
    else this.calls.push(call);
    const answer = isReady || isForeign ? {} : (this.#answers.get(hook) ?? {});
    if (typeof answer === 'function') answer(call, response);
    else sendReview(response, review!, answer);
  }
}

/** Answers a review. */
export function sendReview(
  response: ServerResponse,
  review: HookCall['review'],
  answer: object,
  top: object = {},
): void {
  const document = {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid: review.request.uid, allowed: true, ...answer },
    ...top,
  };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
}

/** The response of a mutating webhook with a JSON patch. */
export function patchWith(...operations: readonly object[]): Record<string, unknown> {
  return { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(operations)).toString('base64') };
}
