/**
 * What a server without credentials can tell of requests that web pages send. A page of another site can send requests to any
 * address of the browser's machine (CSRF), and can read the answers once its own host name resolves to that address (DNS
 * rebinding). The header `Origin` shows the first, `Host` the second.
 */

/** Whether a header `Origin` is that of a page which the server with this header `Host` has sent. */
export function isSameOrigin(origin: string, host: string | undefined): boolean {
  // Sandboxed pages and files have the origin `null`.
  if (host === undefined || !URL.canParse(origin)) return false;
  const { protocol, host: from } = new URL(origin);
  return from !== '' && from === urlOf(protocol, host)?.host;
}

/** The name in a header `Host`, in the form of `URL.hostname`; undefined if it has none. */
export function hostnameOf(host: string): string | undefined {
  return urlOf('http:', host)?.hostname;
}

function urlOf(protocol: string, host: string): URL | undefined {
  const text = `${protocol}//${host}`;
  return /^[^\s/\\?#@]+$/.test(host) && URL.canParse(text) ? new URL(text) : undefined;
}
