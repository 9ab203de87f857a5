import { redact, Secret } from '../../meta/secret.js';
import type { Credentials } from '../http/connection-config.js';
import type { ConfigEnvironment } from './config-environment.js';
import { CredentialsError } from './config-errors.js';
import { basic, bearer } from './fixed-credentials.js';
import { parseJsonObject } from './json-object.js';
import type { ProviderRequest, ProviderResponse } from './oidc-http.js';
import type { PemSource } from './pem.js';
import { sharedProvider } from './shared-provider.js';
import { SingleFlight } from './single-flight.js';
import { TlsFiles } from './tls-files.js';

type Headers = Readonly<Record<string, string>>;

/** The `oidc` auth provider of a kubeconfig. */
export interface OidcConfig {
  readonly issuerUrl: string;
  readonly clientId: string;
  readonly clientSecret?: Secret | undefined;
  readonly idToken?: Secret | undefined;
  readonly refreshToken?: Secret | undefined;
  /** The certificate authority of the provider. @default Node's own authorities */
  readonly ca?: PemSource | undefined;
}

/** A token is replaced this long before it expires, since clocks differ and requests take time. */
const LEEWAY_MS = 10_000;

/** ID tokens of an OpenID Connect provider, refreshed with a refresh token. New tokens are kept in memory only, not in the kubeconfig. */
export class OidcProvider implements Credentials {
  readonly #config: OidcConfig;
  readonly #environment: ConfigEnvironment;
  readonly #tls: TlsFiles;
  readonly #refreshing: SingleFlight<Headers>;
  #refreshToken: Secret | undefined;
  #headers: Headers | undefined;
  #goodUntil = Number.NEGATIVE_INFINITY;

  private constructor(config: OidcConfig, environment: ConfigEnvironment) {
    this.#config = config;
    this.#environment = environment;
    this.#tls = new TlsFiles({ ca: config.ca, clock: environment.clock });
    this.#refreshToken = config.refreshToken;
    this.#refreshing = new SingleFlight((signal) => this.#refresh(signal));
    if (config.idToken !== undefined) this.#useToken(config.idToken.reveal());
  }

  /** Returns the provider of a configuration: one for all clients, since a refresh token may be valid only once. */
  static of(config: OidcConfig, environment: ConfigEnvironment): OidcProvider {
    const { issuerUrl, clientId, clientSecret, idToken, refreshToken, ca } = config;
    const secrets = [clientSecret, idToken, refreshToken, ca && 'data' in ca ? ca.data : undefined];
    const identity = ['oidc', issuerUrl, clientId, ca, secrets.map((secret) => secret?.reveal() ?? null)];
    return sharedProvider(environment, identity, () => new OidcProvider(config, environment));
  }

  headers(signal?: AbortSignal): Headers | Promise<Headers> {
    const headers = this.#headers;
    return headers !== undefined && this.#environment.clock.now() < this.#goodUntil
      ? headers
      : this.#refreshing.run(signal);
  }

  async onUnauthorized(used: Headers, signal?: AbortSignal): Promise<boolean> {
    if (used.authorization !== this.#headers?.authorization) return true;
    if (this.#refreshToken === undefined) return false;
    const headers = await this.#refreshing.run(signal);
    return used.authorization !== headers.authorization;
  }

  #useToken(idToken: string): Headers {
    const expiry = expiryOf(idToken);
    if (expiry === undefined) throw this.#error('the id-token is not a JWT with an expiry (exp)');
    const headers = bearer(idToken);
    this.#headers = headers;
    this.#goodUntil = expiry - LEEWAY_MS;
    return headers;
  }

  async #refresh(signal: AbortSignal): Promise<Headers> {
    const { issuerUrl, clientId, clientSecret } = this.#config;
    const refreshToken = this.#refreshToken;
    if (refreshToken === undefined) {
      throw this.#error('the id-token has expired and there is no refresh-token: log in again');
    }
    const { requestProvider } = await import('./oidc-http.js');
    const ask = (request: ProviderRequest): Promise<ProviderResponse> =>
      requestProvider(request, { tls: this.#tls, environment: this.#environment, signal });
    const discoveryUrl = `${issuerUrl.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const discovery = await ask({ url: discoveryUrl });
    const { token_endpoint: endpoint, token_endpoint_auth_methods_supported: methods } = discovery.document;
    if (typeof endpoint !== 'string') {
      throw this.#error(
        `its discovery document (HTTP ${discovery.status}) has no token_endpoint: check idp-issuer-url`,
      );
    }

    // OpenID Connect's default is client_secret_basic; the discovery document lists other methods.
    const inBody = Array.isArray(methods) && !methods.includes('client_secret_basic');
    const secret = clientSecret?.reveal() ?? '';
    const response = await ask({
      url: endpoint,
      form: {
        grant_type: 'refresh_token',
        refresh_token: refreshToken.reveal(),
        ...(secret === '' || inBody ? { client_id: clientId } : {}),
        ...(secret !== '' && inBody ? { client_secret: secret } : {}),
      },
      headers: secret === '' || inBody ? {} : basic(encodeURIComponent(clientId), encodeURIComponent(secret)),
    });
    const { id_token: idToken, refresh_token: nextRefreshToken } = response.document;
    if (response.status !== 200) throw this.#error(`it refused to refresh the token: ${this.#describe(response)}`);
    // Kept before anything else is checked: the refresh token that was sent may be invalid now.
    if (typeof nextRefreshToken === 'string' && nextRefreshToken !== '') {
      this.#refreshToken = new Secret(nextRefreshToken);
    }
    if (typeof idToken !== 'string') {
      throw this.#error('its response has no id_token: log in again with the scope "openid"');
    }
    return this.#useToken(idToken);
  }

  /** Status, `error` and `error_description` of the provider's response. */
  #describe({ status, document }: ProviderResponse): string {
    const words = [document.error, document.error_description].filter((word) => typeof word === 'string').join(': ');
    const secrets = [this.#refreshToken, this.#config.clientSecret, this.#config.idToken];
    return `HTTP ${status}${words === '' ? '' : ` ${redact(words, secrets).slice(0, 500)}`}`;
  }

  #error(reason: string): CredentialsError {
    return new CredentialsError(`OIDC provider ${this.#config.issuerUrl}: ${reason}`);
  }
}

/** When a JWT expires, in ms since 1970. The API server checks its signature. */
function expiryOf(jwt: string): number | undefined {
  const [, payload, signature, ...others] = jwt.split('.');
  if (payload === undefined || signature === undefined || others.length > 0) return undefined;
  const exp = parseJsonObject(Buffer.from(payload, 'base64url').toString())?.exp;
  return typeof exp === 'number' ? exp * 1000 : undefined;
}
