import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../../src/apiserver/wire/http-listener.js';
import { CertificateAuthority } from '../../src/certificates/certificate-authority.js';
import { realClock } from '../../src/time/real-clock.js';
import { moduleImport } from '../support/dist.js';
import { Program } from '../support/program.js';

const authority = new CertificateAuthority(realClock);
const tls = authority.issueServer();

describe('a process after a request', () => {
  it.each([
    { name: 'HTTP/1.1', options: {}, http2: false, refusal: 'undefined' },
    { name: 'HTTP/1.1 over TLS', options: { tls }, http2: false, refusal: 'undefined' },
    { name: 'HTTP/2', options: { tls }, http2: true, refusal: 'undefined' },
    { name: 'HTTP/2, guarded', options: { tls }, http2: true, refusal: '() => undefined' },
  ])(
    'ends when it has nothing else to do, although its connection is open ($name)',
    async ({ options, http2, refusal }) => {
      const listener = await listen(async ({ target }, response) => {
        response.head(200, { 'content-type': 'text/plain' });
        response.write(Buffer.from(`hello ${target}`));
      }, options);
      onTestFinished(() => listener.close());
      const script = `
      import { HttpTransport } from ${moduleImport('rest/http/http-transport.js')};
      const tls = { material: () => ({ ca: ${JSON.stringify(authority.certificate)} }) };
      const transport = new HttpTransport({ server: ${JSON.stringify(listener.url)}, tls }, { http2: ${http2} });
      const ask = (target) => new Promise((end, fail) => {
        const sink = { chunk: (bytes) => process.stdout.write(bytes) || true };
        const handler = { head: () => sink, end, fail };
        transport.send({ method: 'GET', target, headers: {}, refusal: ${refusal} }, handler);
      });
      await ask('/1');
      await ask('/2');`;
      const program = new Program(['--input-type=module', '--eval', script]);
      expect(await program.ended).toEqual({ code: 0, stdout: 'hello /1hello /2', stderr: '' });
    },
  );
});
