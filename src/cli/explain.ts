import { CacheSyncError } from '../informers/cache-sync-error.js';
import { isForbidden, isUnauthorized } from '../meta/error-predicates.js';
import { KubeflectError } from '../meta/errors.js';

/** What kinds of trouble with certificates there are that somebody can do something about. */
const certificateTrouble: Readonly<Record<string, string>> = {
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: 'your client certificate has expired: have a new kubeconfig written',
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: 'the server does not trust your client certificate: is it for another cluster?',
  CERT_HAS_EXPIRED: "the server's certificate has expired: renew it (kubeadm: 'kubeadm certs renew all')",
};

/**
 * An error in words for whoever typed the command: what happened, and what to do next. Errors that nobody expected keep
 * their stack, because somebody has to find them.
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
    return "Ask for a role that may list and watch it; 'kubectl auth can-i watch <resource>' tells what you may do.";
  }
  if (isUnauthorized(error)) {
    return 'The server does not know you: log in again, or choose another --context. An expired certificate or token looks like this, too.';
  }
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as { readonly code?: unknown };
    if (typeof code === 'string' && Object.hasOwn(certificateTrouble, code)) return certificateTrouble[code];
  }
  return undefined;
}
