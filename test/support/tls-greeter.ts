import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';
import type { CertificateAuthority } from '../../src/certificates/certificate-authority.js';
import type { TlsSource } from '../../src/rest/http/connection-config.js';
import { Dialler } from '../../src/rest/http/dial.js';
import { realClock } from '../../src/time/real-clock.js';

/** A TLS server that requires a client certificate and sends the common name in it. */
export interface TlsGreeter {
  readonly url: string;
  /** Connects and returns the name that the server sends. */
  commonName(tls: TlsSource | undefined): Promise<string>;
}

/** Starts a {@link TlsGreeter} that is closed when the test ends. */
export async function startTlsGreeter(authority: CertificateAuthority): Promise<TlsGreeter> {
  const { certificate, key } = authority.issueServer();
  const server = createServer(
    { cert: certificate, key, ca: authority.certificate, requestCert: true, rejectUnauthorized: true },
    (socket: TLSSocket) => socket.end(String(socket.getPeerCertificate().subject.CN)),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    async commonName(tls) {
      const dialler = new Dialler({ url: new URL(url), tls, proxy: undefined, timeoutMs: 10_000, clock: realClock });
      const socket = await dialler.dial(['http/1.1'], new AbortController().signal);
      const [name] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();
      return name.toString();
    },
  };
}
