import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { isJsonObject } from '../../meta/json-values.js';
import type { Clock } from '../../time/clock.js';
import { randomUid } from '../../time/random-uid.js';

/** The issuer of the tokens, and the audience of this server. */
export const ISSUER = 'https://kubernetes.default.svc';

/** A ServiceAccount as a token names it. */
export interface TokenAccount {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** What a valid token says. */
export interface TokenClaims {
  readonly account: TokenAccount;
  readonly audiences: readonly string[];
  /** The id of the token. */
  readonly id: string;
}

interface SigningKeys {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** Names the key in tokens. */
  readonly id: string;
}

/**
 * Issues and verifies the tokens of ServiceAccounts: JSON Web Tokens, signed with a key that the server makes for the first one.
 * `exists` says whether an account still exists: its tokens end with it.
 */
export class AccountTokens {
  readonly #clock: Clock;
  readonly #exists: (account: TokenAccount) => boolean;
  #keys: SigningKeys | undefined;

  /** @param signingKey a private key as PEM, of a server whose tokens stay valid @default a new one */
  constructor(clock: Clock, exists: (account: TokenAccount) => boolean, signingKey?: string | undefined) {
    this.#clock = clock;
    this.#exists = exists;
    if (signingKey !== undefined) this.#keys = signingKeys(createPrivateKey(signingKey));
  }

  issue(account: TokenAccount, audiences: readonly string[], seconds: number, bound: object | undefined): string {
    const { privateKey, id } = this.#ownKeys();
    const now = Math.floor(this.#clock.now() / 1000);
    const claims = {
      aud: audiences,
      exp: now + seconds,
      iat: now,
      iss: ISSUER,
      jti: randomUid(this.#clock),
      'kubernetes.io': {
        namespace: account.namespace,
        ...bound,
        serviceaccount: { name: account.name, uid: account.uid },
      },
      nbf: now,
      sub: `system:serviceaccount:${account.namespace}:${account.name}`,
    };
    const text = `${encode({ alg: 'ES256', kid: id })}.${encode(claims)}`;
    const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return `${text}.${signature.toString('base64url')}`;
  }

  /** The claims of a token that this server has issued and that has not ended; undefined for any other text. */
  verify(token: string): TokenClaims | undefined {
    const [head, body, signature, ...more] = token.split('.');
    if (this.#keys === undefined || body === undefined || signature === undefined || more.length > 0) return undefined;
    const key = { key: this.#keys.publicKey, dsaEncoding: 'ieee-p1363' } as const;
    if (!verify('sha256', Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url'))) return undefined;
    // Signed by this server: the claims have the form that `issue` gave them.
    const claims: unknown = JSON.parse(Buffer.from(body, 'base64url').toString('utf8'));
    if (!isJsonObject(claims) || (claims['exp'] as number) * 1000 <= this.#clock.now()) return undefined;
    const { namespace, serviceaccount } = claims['kubernetes.io'] as {
      namespace: string;
      serviceaccount: { name: string; uid: string };
    };
    const account = { namespace, ...serviceaccount };
    if (!this.#exists(account)) return undefined;
    return { account, audiences: claims['aud'] as string[], id: claims['jti'] as string };
  }

  #ownKeys(): SigningKeys {
    this.#keys ??= signingKeys(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
    return this.#keys;
  }
}

function signingKeys(privateKey: KeyObject): SigningKeys {
  const publicKey = createPublicKey(privateKey);
  const id = createHash('sha256')
    .update(publicKey.export({ format: 'der', type: 'spki' }))
    .digest('base64url');
  return { privateKey, publicKey, id };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
