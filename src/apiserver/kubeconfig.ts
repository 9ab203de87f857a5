import type { KeyPair } from '../certificates/certificate-authority.js';
import { requireString } from '../meta/options/validate.js';

/** The contents of a kubeconfig. */
export interface KubeconfigOptions {
  /** The URL of the server. */
  readonly server: string;
  /** The authority that signed the server's certificate, as PEM. @default none: the authorities that the machine trusts */
  readonly certificateAuthority?: string | undefined;
  /** A bearer token. @default none */
  readonly token?: string | undefined;
  /** A client certificate and its key. @default none */
  readonly clientCertificate?: KeyPair | undefined;
  /** The name of cluster, user and context. @default 'kubeflect' */
  readonly name?: string | undefined;
  /** @default 'default' */
  readonly namespace?: string | undefined;
}

/** A kubeconfig with one cluster, one user and one context, as YAML that kubectl and every client library read. */
export function writeKubeconfig(options: KubeconfigOptions): string {
  const name = scalar(requireString('name', options.name ?? 'kubeflect'));
  const { certificateAuthority, token, clientCertificate } = options;
  const user = [
    ...field('client-certificate-data', base64(clientCertificate?.certificate)),
    ...field('client-key-data', base64(clientCertificate?.key)),
    ...field('token', token),
  ];
  return `${[
    'apiVersion: v1',
    'kind: Config',
    'preferences: {}',
    `current-context: ${name}`,
    'clusters:',
    `  - name: ${name}`,
    '    cluster:',
    ...field('server', requireString('server', options.server)),
    ...field('certificate-authority-data', base64(certificateAuthority)),
    // The official JavaScript client needs this field to use plain http.
    ...(options.server.startsWith('http:') ? ['      insecure-skip-tls-verify: true'] : []),
    'users:',
    `  - name: ${name}`,
    ...(user.length === 0 ? ['    user: {}'] : ['    user:', ...user]),
    'contexts:',
    `  - name: ${name}`,
    '    context:',
    ...field('cluster', options.name ?? 'kubeflect'),
    ...field('user', options.name ?? 'kubeflect'),
    ...field('namespace', options.namespace ?? 'default'),
  ].join('\n')}\n`;
}

function field(key: string, value: string | undefined): string[] {
  return value === undefined ? [] : [`      ${key}: ${scalar(value)}`];
}

/** Quotes a string as JSON, which is YAML too. Plain words need no quotes; words with digits may be numbers (`e4`). */
function scalar(value: string): string {
  return /^[a-zA-Z][a-zA-Z-]*$/.test(value) && !RESERVED.test(value) ? value : JSON.stringify(value);
}

/** Words that YAML parsers read as booleans or null. */
const RESERVED = /^(y|n|yes|no|on|off|true|false|null)$/i;

function base64(text: string | undefined): string | undefined {
  return text === undefined ? undefined : Buffer.from(text).toString('base64');
}
