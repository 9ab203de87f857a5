import { ConfigError, type ConfigErrorPlace } from '../credentials/config-errors.js';
import { ExecPlugin } from '../credentials/exec-plugin.js';
import { OidcProvider } from '../credentials/oidc.js';
import { checkProxyUrl, environmentProxy } from '../credentials/proxy-environment.js';
import type { ServerSpec, UserSpec } from '../credentials/server-and-user.js';
import type { Surroundings } from '../credentials/surroundings.js';
import { TlsFiles } from '../credentials/tls-files.js';
import { basic, bearer, FixedCredentials, TokenFile } from '../credentials/token-file.js';
import type { Credentials, TlsSource } from '../http/connection-config.js';
import { isReadableByOthers, plainHttpRefusal } from '../http/plain-http.js';
import { LoadedConfig } from './loaded-config.js';

/** What besides server and user goes into a configuration, and how errors speak of the two. */
export interface ConnectionParts {
  readonly server: ServerSpec;
  readonly user: UserSpec;
  /** How errors call the server's entry: `kubeconfig /a: cluster "x"`. */
  readonly serverName: string;
  /** How errors call the user's entry. */
  readonly userName: string;
  readonly place: ConfigErrorPlace;
  readonly source: string;
  readonly context?: string | undefined;
  /** How the error of a 401 speaks of who asked. */
  readonly identity?: string | undefined;
  readonly namespace?: string | undefined;
  readonly userAgent?: string | undefined;
}

/**
 * Checks what was written down and puts it together. Nothing is asked of anybody yet: no file is read, no plugin run.
 *
 * Who asks is said by the first of these that there is: token file or token, user name and password, client certificate,
 * plugin, OIDC. A client certificate is shown besides the others too, where the server wants one.
 */
export function buildConnection(parts: ConnectionParts, around: Surroundings): LoadedConfig {
  const { server, user, place } = parts;
  const url = checkServer(server.server, parts.serverName, place);
  const fail = (who: string, reason: string): never => {
    throw new ConfigError(`${who}: ${reason}`, place);
  };
  if (server.insecureSkipTlsVerify && server.ca !== undefined) {
    fail(parts.serverName, 'it both names a certificate authority and skips verification: take one of them out');
  }
  if ((user.cert === undefined) !== (user.key === undefined)) {
    fail(parts.userName, 'it has only one of a client certificate and a client key: give both');
  }
  const hasToken = user.token !== undefined || user.tokenFile !== undefined;
  const hasPassword = user.username !== undefined || user.password !== undefined;
  if (hasToken && hasPassword) fail(parts.userName, 'it has both a token and a password: take one of them out');
  if (user.exec !== undefined && user.oidc !== undefined) {
    fail(parts.userName, 'it has both a plugin (exec) and an auth-provider: take one of them out');
  }

  const proxyUrl = proxyFor(server, url, parts, around);
  const { allowPlainHttpCredentials } = around;
  const hasCredentials = hasToken || hasPassword || user.exec !== undefined || user.oidc !== undefined;
  if (hasCredentials && allowPlainHttpCredentials !== true && isReadableByOthers(url.href, proxyUrl)) {
    fail(parts.userName, plainHttpRefusal(url.href));
  }

  const files = new TlsFiles({
    ca: server.ca,
    cert: user.cert,
    key: user.key,
    serverName: server.tlsServerName,
    insecureSkipVerify: server.insecureSkipTlsVerify || undefined,
    clock: around.clock,
  });
  const plugin =
    user.exec !== undefined && !hasToken && !hasPassword && user.cert === undefined
      ? ExecPlugin.of(user.exec, server, around)
      : undefined;
  const isTls = url.protocol === 'https:';
  const tls: TlsSource = plugin?.tls(files) ?? files;
  return new LoadedConfig({
    server: url.href.replace(/\/$/, ''),
    tls: isTls ? tls : undefined,
    credentials: plugin ?? headerCredentials(user, around),
    impersonate: user.impersonate,
    proxyUrl,
    allowPlainHttpCredentials,
    userAgent: parts.userAgent,
    namespace: parts.namespace,
    context: parts.context,
    identity: parts.identity,
    source: parts.source,
  });
}

/** The URL of a server. @param name how errors call its entry */
export function checkServer(server: string, name: string, place: ConfigErrorPlace = {}): URL {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url?.username || url?.password) {
    throw new ConfigError(`${name}: its server has credentials in the URL: give them to the user`, place);
  }
  if (url !== undefined && (url.protocol === 'https:' || url.protocol === 'http:') && !url.search && !url.hash)
    return url;
  throw new ConfigError(
    `${name}: its server ${JSON.stringify(server)} must be a URL such as https://127.0.0.1:6443`,
    place,
  );
}

function headerCredentials(user: UserSpec, around: Surroundings): Credentials | undefined {
  const { token, tokenFile, username, password, oidc } = user;
  if (tokenFile !== undefined) return new TokenFile(tokenFile, { clock: around.clock, fallback: token });
  if (token !== undefined) return new FixedCredentials(bearer(token.reveal()));
  if (username !== undefined || password !== undefined) {
    return new FixedCredentials(basic(username ?? '', password?.reveal() ?? ''));
  }
  return oidc === undefined ? undefined : OidcProvider.of(oidc, around);
}

function proxyFor(server: ServerSpec, url: URL, parts: ConnectionParts, around: Surroundings): string | undefined {
  if (server.proxyUrl === undefined) return environmentProxy(url, around.env);
  return checkProxyUrl(server.proxyUrl.reveal(), parts.serverName);
}

/** Reads every file that was named once, so that a missing one is noticed here and not at the first request. */
export async function checkFiles(
  { server, user, serverName, userName, place }: ConnectionParts,
  around: Surroundings,
): Promise<void> {
  const { clock } = around;
  const check = async (who: string, read: () => unknown): Promise<void> => {
    try {
      await read();
    } catch (error) {
      throw new ConfigError(`${who}: ${(error as Error).message}`, { ...place, cause: error });
    }
  };
  await check(serverName, () => new TlsFiles({ ca: server.ca, clock }).material());
  await check(userName, () => new TlsFiles({ cert: user.cert, key: user.key, clock }).material());
  const { tokenFile, token } = user;
  if (tokenFile !== undefined)
    await check(userName, () => new TokenFile(tokenFile, { clock, fallback: token }).headers());
}
