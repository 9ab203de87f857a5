import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { CertificateAuthority } from '../../../certificates/certificate-authority.js';
import { realClock } from '../../../time/real-clock.js';
import { postOverHttps } from './https-post.js';
import type { WebhookAnswer } from './read-answer.js';

let server: Server | undefined;

afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
  server = undefined;
});

/** Posts to a server that answers with `handle`. Its certificate is for `hosts`. */
async function post(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  { maxBytes = 1000, hosts = ['127.0.0.1'], signal = new AbortController().signal } = {},
): Promise<WebhookAnswer> {
  const authority = new CertificateAuthority(realClock);
  const { key, certificate: cert } = authority.issueServer(hosts);
  server = createServer({ key, cert }, handle);
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}/hook`);
  // One socket: a response that is not read would keep it from the next request.
  const agent = new Agent({ ca: authority.certificate, keepAlive: true, maxSockets: 1 });
  return postOverHttps({ shownUrl: url.href, url, agent, body: '{}', signal, maxBytes }).finally(() => agent.destroy());
}

describe('a post to a webhook', () => {
  it('refuses an answer that is too large, however long it goes on', async () => {
    const answer = post((_request, response) => {
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(500)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    await expect(answer).rejects.toThrow('the answer of the webhook has more than 1000 bytes');
  });

  it('follows a redirect that keeps the method with the body, and to https only', async () => {
    const seen: string[] = [];
    const answer = await post((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      if (request.url === '/hook') response.writeHead(308, { location: '/other' }).end('moved '.repeat(100_000));
      else request.pipe(response);
    });
    expect([seen, answer.text]).toEqual([['POST /hook', 'POST /other'], '{}']);
    const leaving = post((_request, response) => void response.writeHead(307, { location: 'http://127.0.0.1/' }).end());
    await expect(leaving).rejects.toThrow('a redirect of a webhook must lead to an https address');
    // The second request waits for ever if the answer to the first one is not read.
  }, 20_000);

  it('ends at a redirect to what is no address', async () => {
    let posts = 0;
    const answer = post((_request, response) => {
      posts++;
      response.writeHead(307, { location: 'https://a:b/' }).end();
    });
    await expect(answer).rejects.toThrow('failed to parse Location header "https://a:b/"');
    expect(posts).toBe(1);
  });

  it('names the hosts of a certificate that is for others', async () => {
    await expect(post(() => {}, { hosts: ['other.example.com'] })).rejects.toThrow(
      /^Post "https:\/\/127.0.0.1:\d+\/hook": tls: failed to verify certificate: x509: certificate is valid for other\.example\.com, not 127\.0\.0\.1$/,
    );
  });
});
