import type { ConfigEnvironment } from '../credentials/config-environment.js';
import { ConfigError, type ConfigErrorPlace } from '../credentials/config-errors.js';
import { ExecPlugin } from '../credentials/exec-plugin.js';
import { basic, bearer, FixedCredentials } from '../credentials/fixed-credentials.js';
import { OidcProvider } from '../credentials/oidc-provider.js';
import { checkProxyUrl, environmentProxy } from '../credentials/proxy-environment.js';
import type { ServerSpec } from '../credentials/server-spec.js';
import { TlsFiles } from '../credentials/tls-files.js';
import { TokenFile } from '../credentials/token-file.js';
import type { UserSpec } from '../credentials/user-spec.js';
import type { Credentials, TlsSource } from '../http/connection-config.js';
import { isReadableOnNetwork, plainHttpRefusal } from '../http/plain-http.js';
import { type KubeconfigEntries, LoadedConfig } from './loaded-config.js';

/** The parts of a configuration, and how errors name server and user. */
export interface ConfigParts {
  readonly server: ServerSpec;
  readonly user: UserSpec;
  /** Names the server's entry in errors: `kubeconfig /a: cluster "x"`. */
  readonly serverName: string;
  /** Names the user's entry in errors. */
  readonly userName: string;
  readonly place: ConfigErrorPlace;
  readonly source: string;
  readonly context?: string | undefined;
  readonly kubeconfig?: KubeconfigEntries | undefined;
  /** Names the user in the error of a 401. */
  readonly identity?: string | undefined;
  readonly namespace?: string | undefined;
  readonly userAgent?: string | undefined;
}

/**
 * Checks the parts and makes a configuration of them. It reads no file and runs no plugin.
 *
 * The first of these that is present authenticates: token file or token, user name and password, client certificate, plugin,
 * OIDC. A client certificate is used in the TLS handshake besides the others too.
 */
export function buildConfig(parts: ConfigParts, environment: ConfigEnvironment): LoadedConfig {
  const { server, user, place } = parts;
  const url = checkServer(server.server, parts.serverName, place);
  const fail = (entry: string, reason: string): never => {
    throw new ConfigError(`${entry}: ${reason}`, place);
  };
  if (server.insecureSkipTlsVerify && server.ca !== undefined) {
    fail(parts.serverName, 'it has both a certificate authority and insecure-skip-tls-verify: remove one of them');
  }
  if ((user.cert === undefined) !== (user.key === undefined)) {
    fail(parts.userName, 'it has only one of client certificate and client key: set both');
  }
  const hasToken = user.token !== undefined || user.tokenFile !== undefined;
  const hasPassword = user.username !== undefined || user.password !== undefined;
  if (hasToken && hasPassword) fail(parts.userName, 'it has both a token and a password: remove one of them');
  if (user.exec !== undefined && user.oidc !== undefined) {
    fail(parts.userName, 'it has both a plugin (exec) and an auth-provider: remove one of them');
  }

  const proxyUrl = proxyFor(server, url, parts, environment);
  const { allowPlainHttpCredentials } = environment;
  const hasCredentials = hasToken || hasPassword || user.exec !== undefined || user.oidc !== undefined;
  if (hasCredentials && allowPlainHttpCredentials !== true && isReadableOnNetwork(url.href, proxyUrl)) {
    fail(parts.userName, plainHttpRefusal(url.href));
  }

  const files = new TlsFiles({
    ca: server.ca,
    cert: user.cert,
    key: user.key,
    serverName: server.tlsServerName,
    insecureSkipVerify: server.insecureSkipTlsVerify || undefined,
    clock: environment.clock,
  });
  const plugin =
    user.exec !== undefined && !hasToken && !hasPassword && user.cert === undefined
      ? ExecPlugin.of(user.exec, server, environment)
      : undefined;
  const isTls = url.protocol === 'https:';
  const tls: TlsSource = plugin?.tls(files) ?? files;
  return new LoadedConfig({
    server: url.href.replace(/\/$/, ''),
    tls: isTls ? tls : undefined,
    credentials: plugin ?? headerCredentials(user, environment),
    impersonate: user.impersonate,
    proxyUrl,
    allowPlainHttpCredentials,
    userAgent: parts.userAgent,
    namespace: parts.namespace,
    context: parts.context,
    identity: parts.identity,
    source: parts.source,
    kubeconfig: parts.kubeconfig,
  });
}

/** Parses the URL of a server. @param name names its entry in errors */
export function checkServer(server: string, name: string, place: ConfigErrorPlace = {}): URL {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url?.username || url?.password) {
    throw new ConfigError(`${name}: the URL of its server has credentials: move them to the user`, place);
  }
  if (url !== undefined && (url.protocol === 'https:' || url.protocol === 'http:') && !url.search && !url.hash)
    return url;
  throw new ConfigError(
    `${name}: its server ${JSON.stringify(server)} must be a URL such as https://127.0.0.1:6443`,
    place,
  );
}

function headerCredentials(user: UserSpec, environment: ConfigEnvironment): Credentials | undefined {
  const { token, tokenFile, username, password, oidc } = user;
  if (tokenFile !== undefined) return new TokenFile(tokenFile, { clock: environment.clock, fallback: token });
  if (token !== undefined) return new FixedCredentials(bearer(token.reveal()));
  if (username !== undefined || password !== undefined) {
    return new FixedCredentials(basic(username ?? '', password?.reveal() ?? ''));
  }
  return oidc === undefined ? undefined : OidcProvider.of(oidc, environment);
}

function proxyFor(
  server: ServerSpec,
  url: URL,
  parts: ConfigParts,
  environment: ConfigEnvironment,
): string | undefined {
  if (server.proxyUrl === undefined) return environmentProxy(url, environment.env);
  return checkProxyUrl(server.proxyUrl.reveal(), parts.serverName);
}

/** Reads each file of the configuration once, so that a missing one fails here and not at the first request. */
export async function checkFiles(
  { server, user, serverName, userName, place }: ConfigParts,
  environment: ConfigEnvironment,
): Promise<void> {
  const { clock } = environment;
  const check = async (entry: string, read: () => unknown): Promise<void> => {
    try {
      await read();
    } catch (error) {
      throw new ConfigError(`${entry}: ${(error as Error).message}`, { ...place, cause: error });
    }
  };
  await check(serverName, () => new TlsFiles({ ca: server.ca, clock }).material());
  await check(userName, () => new TlsFiles({ cert: user.cert, key: user.key, clock }).material());
  const { tokenFile, token } = user;
  if (tokenFile !== undefined)
    await check(userName, () => new TokenFile(tokenFile, { clock, fallback: token }).headers());
}
