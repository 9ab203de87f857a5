import { X509Certificate } from 'node:crypto';
import type { WebhookHandler, WebhookReview } from '../../apiserver/index.js';
import type { KeyPair } from '../../certificates/certificate-authority.js';
import type { RotationTimes } from '../../controller/webhooks/certificates/rotation.js';
import type { WebhookEndpoints } from '../../controller/webhooks/endpoints.js';
import type { WebhookListener } from '../../controller/webhooks/webhook-server.js';
import type { Clock } from '../../index.js';

/** The webhooks of one manager. */
interface Served {
  readonly endpoints: WebhookEndpoints;
  certificate: KeyPair | undefined;
}

/**
 * Calls the webhooks of the managers of a world, one after the other, in memory. A certificate that the API server would not
 * trust is refused, as in a handshake.
 */
export class WorldWebhooks {
  /** The option `webhooks` of the world's API server. A manager that starts later may add its service. */
  readonly services: Record<string, WebhookHandler> = {};
  readonly times: RotationTimes | undefined;
  readonly #clock: Clock;
  readonly #served = new Map<number, Served>();
  #calls = 0;

  /** @param times of the rotation of certificates; the usual ones unless a test needs others */
  constructor(clock: Clock, times?: RotationTimes) {
    this.#clock = clock;
    this.times = times;
  }

  /** Serves the webhooks of a replica behind a service, `namespace/name`. */
  listen(replica: number, service: { name: string; namespace: string }, endpoints: WebhookEndpoints): WebhookListener {
    this.#addService(service);
    const served: Served = { endpoints, certificate: undefined };
    this.#served.set(replica, served);
    return {
      use: (certificate) => void (served.certificate = certificate),
      drain: () => {},
      close: async () => this.remove(replica),
    };
  }

  /** The replica is gone: calls of it fail. */
  remove(replica: number): void {
    this.#served.delete(replica);
  }

  #addService({ namespace, name }: { readonly name: string; readonly namespace: string }): void {
    const serverName = `${name}.${namespace}.svc`;
    this.services[`${namespace}/${name}`] ??= async (review, { path, caBundle }) => {
      const replicas = [...this.#served.keys()];
      const replica = replicas[this.#calls++ % replicas.length];
      const served = replica === undefined ? undefined : this.#served.get(replica);
      if (replica === undefined || served === undefined)
        throw new Error('connect: connection refused: no manager runs');
      const problem = handshakeProblem(served.certificate, caBundle, serverName, this.#clock.now());
      if (problem !== undefined) throw new Error(`tls: failed to verify certificate: ${problem}`);
      const { code, body } = await served.endpoints.answer(path, review);
      if (!this.#served.has(replica)) throw new Error('EOF: the manager has crashed');
      if (code !== 200) throw new Error(String(body['message']));
      return body as unknown as WebhookReview;
    };
  }
}

/** Why a client with these authorities (PEM as base64) would not trust a server; undefined if it would. */
function handshakeProblem(
  pair: KeyPair | undefined,
  caBundle: string,
  serverName: string,
  now: number,
): string | undefined {
  if (pair === undefined) return 'the server has no certificate';
  const certificate = new X509Certificate(pair.certificate);
  const authorities = Buffer.from(caBundle, 'base64')
    .toString('utf8')
    .split(/(?<=-----END CERTIFICATE-----\n)/)
    .filter((text) => text.trim() !== '')
    .map((text) => new X509Certificate(text));
  const issuer = authorities.find((one) => certificate.checkIssued(one) && certificate.verify(one.publicKey));
  if (issuer === undefined) return 'x509: certificate signed by unknown authority';
  for (const { validFrom, validTo } of [certificate, issuer])
    if (now < Date.parse(validFrom) || now > Date.parse(validTo))
      return 'x509: certificate has expired or is not yet valid';
  if (certificate.checkHost(serverName) === undefined) return `x509: certificate is not valid for ${serverName}`;
  return undefined;
}
