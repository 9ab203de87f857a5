import { type AccountTokens, ISSUER } from '../../access/account-tokens.js';

/** A document of the issuer of ServiceAccount tokens. */
export interface IssuerDocument {
  readonly contentType: string;
  readonly body: string;
}

/** The OpenID documents of the issuer; undefined for other paths. */
export function issuerDocument(path: string, host: string, tokens: AccountTokens): IssuerDocument | undefined {
  if (path === '/openid/v1/jwks') {
    return { contentType: 'application/jwk-set+json', body: JSON.stringify({ keys: [tokens.publicKey()] }) };
  }
  if (path !== '/.well-known/openid-configuration') return undefined;
  const configuration = {
    issuer: ISSUER,
    jwks_uri: `https://${host}/openid/v1/jwks`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  };
  return { contentType: 'application/json', body: JSON.stringify(configuration) };
}
