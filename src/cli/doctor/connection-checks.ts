import { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { asError } from '../../meta/errors/errors.js';
import { redactUrl } from '../../meta/secret.js';
import type { TlsMaterial } from '../../rest/http/connection-config.js';
import { Dialler } from '../../rest/http/dial.js';
import { messageOf } from '../../rest/http/request-errors.js';
import { age } from '../terminal/columns.js';
import { type Finding, failure, type Level, type Patient, REQUEST_MS } from './finding.js';

const DAY_MS = 86_400_000;
/** Certificates that end sooner are worth a warning. */
const CERTIFICATE_WARNING_MS = 14 * DAY_MS;
/** Tokens are renewed more often than certificates. */
const TOKEN_WARNING_MS = 10 * 60_000;

/** The configuration, the credentials, the way to the server and its certificate. Nothing is asked of the API. */
export async function* checkConnection(patient: Patient): AsyncGenerator<Finding, void> {
  const { client, signal } = patient;
  const { config, rest } = client;
  const { connection } = rest;
  const from = config.files.length > 0 ? config.files.join(', ') : config.source;
  const names = [
    config.context === undefined ? undefined : `context ${config.context}`,
    config.user === undefined ? undefined : `user ${config.user}`,
    config.namespace === undefined ? undefined : `namespace ${config.namespace}`,
  ].filter((part) => part !== undefined);
  yield { level: 'ok', check: 'config', message: [`${config.server} from ${from}`, ...names].join(', ') };
  if (connection.proxyUrl !== undefined) {
    yield { level: 'ok', check: 'proxy', message: `requests go through ${redactUrl(connection.proxyUrl)}` };
  }
  if (config.server.startsWith('http:') && !rest.transport.isLocal) {
    yield {
      level: 'warn',
      check: 'tls',
      message: 'requests are not encrypted: everything on the way can read and change them',
      fix: 'Use the https address of the server.',
    };
  }
  yield* checkToken(patient);
  if (!config.server.startsWith('https:')) return;
  let material: TlsMaterial;
  try {
    material = (await connection.tls?.material(signal)) ?? {};
  } catch (error) {
    yield failure('certificate', error);
    return;
  }
  const now = client.clock.now();
  if (material.cert !== undefined) {
    const fix = 'Have a new kubeconfig or client certificate written.';
    yield* checkCertificates('client cert', 'your client certificate', material.cert, now, fix);
  }
  if (material.ca !== undefined) {
    const fix = 'Get the present certificate authority of the cluster, and configure it.';
    yield* checkCertificates('CA', 'the certificate authority of the server', material.ca, now, fix);
  }
  yield* checkServerCertificate(patient);
}

async function* checkToken({ client, signal }: Patient): AsyncGenerator<Finding, void> {
  let header: string | undefined;
  try {
    header = (await client.rest.connection.credentials?.headers(signal))?.['authorization'];
  } catch (error) {
    yield failure('token', error);
    return;
  }
  const [, token] = /^Bearer (.*)$/i.exec(header ?? '') ?? [];
  if (token === undefined) return;
  const expires = expiryOfToken(token);
  if (expires === undefined) {
    yield { level: 'ok', check: 'token', message: 'there is one; it does not say when it expires' };
    return;
  }
  const fix = 'Log in again, or have a new token written.';
  yield expiryFinding('token', 'your token', expires, client.clock.now(), TOKEN_WARNING_MS, fix);
}

/** When a JSON web token expires, in ms since 1970; undefined if it is none or does not expire. */
function expiryOfToken(token: string): number | undefined {
  try {
    const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { exp?: unknown };
    return typeof payload.exp === 'number' ? payload.exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}

function* checkCertificates(check: string, what: string, pem: string, now: number, fix: string): Generator<Finding> {
  const texts = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    const ends = texts.map((text) => Date.parse(new X509Certificate(text).validTo));
    // Of several authorities those that are over do no harm.
    const end = check === 'CA' ? Math.max(...ends) : ends[0];
    if (end !== undefined) yield expiryFinding(check, what, end, now, CERTIFICATE_WARNING_MS, fix);
  } catch (error) {
    yield { level: 'fail', check, message: `${what} cannot be read: ${asError(error).message}`, fix };
  }
}

function expiryFinding(
  check: string,
  what: string,
  expires: number,
  now: number,
  warningMs: number,
  fix: string,
): Finding {
  const date = new Date(expires).toISOString().replace(/\.\d+Z$/, 'Z');
  const leftMs = expires - now;
  if (leftMs <= 0) return { level: 'fail', check, message: `${what} expired ${age(-leftMs)} ago (${date})`, fix };
  const level: Level = leftMs < warningMs ? 'warn' : 'ok';
  const message = `${what} expires in ${age(leftMs)} (${date})`;
  return { level, check, message, fix: level === 'ok' ? undefined : fix };
}

/** Opens a connection of its own that accepts any certificate and sends nothing, to look at the one of the server. */
async function* checkServerCertificate({ client, signal }: Patient): AsyncGenerator<Finding, void> {
  const { tls, proxyUrl } = client.rest.connection;
  const url = new URL(client.config.server);
  const dialler = new Dialler({
    url,
    tls: { material: (each) => tls?.material(each) ?? {}, serverName: tls?.serverName, insecureSkipVerify: true },
    proxy: proxyUrl === undefined ? undefined : new URL(proxyUrl),
    timeoutMs: REQUEST_MS,
    clock: client.clock,
  });
  let socket: TLSSocket;
  try {
    socket = (await dialler.dial(['http/1.1'], signal)) as TLSSocket;
  } catch (error) {
    yield { level: 'fail', check: 'server cert', message: `no TLS connection to ${url.host}: ${messageOf(error)}` };
    return;
  }
  const certificate = socket.getPeerX509Certificate();
  const problem = socket.authorizationError;
  socket.destroy();
  if (certificate === undefined) return;
  const end = Date.parse(certificate.validTo);
  const fix = "Renew it (kubeadm: 'kubeadm certs renew all'), or correct the clock of this machine.";
  const finding = expiryFinding(
    'server cert',
    "the server's certificate",
    end,
    client.clock.now(),
    CERTIFICATE_WARNING_MS,
    fix,
  );
  yield finding;
  const isUntrusted = problem !== null && problem !== undefined && finding.level !== 'fail';
  if (!isUntrusted) return;
  const names = certificate.subjectAltName ?? certificate.subject;
  yield {
    level: tls?.insecureSkipVerify === true ? 'warn' : 'fail',
    check: 'server cert',
    message: `it is not trusted: ${String(asError(problem).message)}; it is for ${names}`,
    fix: 'Configure the certificate authority of the server, or its TLS server name if it is for another name.',
  };
}
