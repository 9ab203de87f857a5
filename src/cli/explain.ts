import { CacheSyncError } from '../informers/cache-sync-error.js';
import { isForbidden, isUnauthorized, statusErrorOf } from '../meta/errors/error-predicates.js';
import { KubeflectError } from '../meta/errors/errors.js';

/** What to do about errors of TLS, by their code. */
const tlsHints: Readonly<Record<string, string>> = {
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: 'your client certificate has expired: have a new kubeconfig written',
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: 'the server does not trust your client certificate: is it for another cluster?',
  CERT_HAS_EXPIRED: "the server's certificate has expired: renew it (kubeadm: 'kubeadm certs renew all')",
};

/**
 * The message of an error with a hint at what to do next. An error that is no KubeflectError is a bug of this package: it is
 * printed with its stack.
 */
export function explain(error: unknown): string {
  if (error instanceof CacheSyncError) return error.unsynced.map(({ status }) => explain(status.lastError)).join('\n');
  const hint = hintFor(error);
  const message = messageOf(error);
  return hint === undefined || message.includes(hint) ? message : `${message}\n${hint}`;
}

function messageOf(error: unknown): string {
  if (error instanceof KubeflectError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function hintFor(error: unknown): string | undefined {
  if (isForbidden(error)) {
    const { verb = 'watch', resource = '<resource>' } = statusErrorOf(error) ?? {};
    return `Your role must allow it; 'kubectl auth can-i ${verb} ${resource}' shows whether it does, 'kubeflect doctor ${resource}' what else is missing.`;
  }
  if (isUnauthorized(error)) {
    return 'The server does not accept your credentials; they may have expired. Log in again, or choose another --context.';
  }
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as { readonly code?: unknown };
    if (typeof code === 'string' && Object.hasOwn(tlsHints, code)) return tlsHints[code];
  }
  return undefined;
}
