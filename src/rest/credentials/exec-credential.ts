import type { Secret } from '../../meta/secret.js';
import { CredentialsError } from './config-errors.js';
import { asObject, parseJsonObject } from './json-object.js';
import { keyPairTrouble } from './pem.js';
import type { ServerSpec } from './server-spec.js';

/** The supported API versions of ExecCredential. */
export const EXEC_API_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'] as const;
export type ExecApiVersion = (typeof EXEC_API_VERSIONS)[number];

/** Whether a plugin gets the standard input, to ask for a password. */
export const INTERACTIVE_MODES = ['Never', 'IfAvailable', 'Always'] as const;
export type InteractiveMode = (typeof INTERACTIVE_MODES)[number];

/** A credential plugin as a kubeconfig describes it. */
export interface ExecPluginConfig {
  readonly apiVersion: ExecApiVersion;
  /** A name that is looked up on PATH, or a path. */
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the environment of this process. */
  readonly env: ReadonlyMap<string, Secret>;
  /** Added to the error if the command is not installed. */
  readonly installHint?: string | undefined;
  readonly interactiveMode: InteractiveMode;
  readonly provideClusterInfo: boolean;
}

/** The status of an ExecCredential that a plugin printed. */
export interface ExecCredential {
  readonly token: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  /** Milliseconds since 1970; undefined if it does not expire. */
  readonly expiresAt: number | undefined;
}

/**
 * The value of `KUBERNETES_EXEC_INFO`: an ExecCredential with a spec.
 *
 * @param server for plugins with `provideClusterInfo`; `ca` is the PEM text of its certificate authority
 */
export function execInfo(
  apiVersion: ExecApiVersion,
  interactive: boolean,
  server?: { readonly spec: ServerSpec; readonly ca: string | undefined },
): string {
  const cluster = server && {
    server: server.spec.server,
    'tls-server-name': server.spec.tlsServerName,
    'insecure-skip-tls-verify': server.spec.insecureSkipTlsVerify || undefined,
    'certificate-authority-data': server.ca && Buffer.from(server.ca).toString('base64'),
    'proxy-url': server.spec.proxyUrl?.reveal(),
    config: server.spec.execConfig,
  };
  return JSON.stringify({ kind: 'ExecCredential', apiVersion, spec: { cluster, interactive } });
}

/** Parses what a plugin printed. Errors contain no part of it, since all of it may be secret. */
export function parseExecCredential(stdout: string, config: ExecPluginConfig): ExecCredential {
  const fail = (reason: string): never => {
    throw new CredentialsError(`the credential plugin ${JSON.stringify(config.command)} ${reason}`);
  };
  const document = parseJsonObject(stdout) ?? fail('did not print a JSON object');
  if (document.kind !== 'ExecCredential') fail('did not print an ExecCredential');
  if (document.apiVersion !== config.apiVersion) {
    const other = EXEC_API_VERSIONS.find((version) => version === document.apiVersion) ?? 'another version';
    fail(`printed apiVersion ${other}, but the kubeconfig has ${config.apiVersion}: change apiVersion there`);
  }
  const status = asObject(document.status) ?? fail('printed an ExecCredential without a status');
  const text = (field: string): string | undefined => {
    const value = status[field] ?? undefined;
    if (value !== undefined && typeof value !== 'string') fail(`printed a status.${field} that is not a string`);
    return (value as string | undefined) || undefined;
  };
  const token = text('token');
  const cert = text('clientCertificateData');
  const key = text('clientKeyData');
  if (token === undefined && cert === undefined && key === undefined) fail('printed neither a token nor a certificate');
  if ((cert === undefined) !== (key === undefined)) fail('printed only one of a certificate and its key');
  if (cert !== undefined && key !== undefined) {
    const trouble = keyPairTrouble(cert, key);
    if (trouble !== undefined) fail(`printed a client certificate that cannot be used: ${trouble}`);
  }
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
    fail('printed a token with characters that a header cannot carry');
  const end = text('expirationTimestamp');
  const expiresAt = end === undefined ? undefined : Date.parse(end);
  if (Number.isNaN(expiresAt)) fail('printed a status.expirationTimestamp that is not a date');
  return { token, cert, key, expiresAt };
}
