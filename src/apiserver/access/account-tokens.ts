import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { LruCache } from '../../structures/lru-cache.js';
import type { Clock } from '../../time/clock.js';
import { randomUid } from '../../time/random-uid.js';
import { accountUserName } from './account-names.js';

/** The issuer of the tokens, and the audience of this server. */
export const ISSUER = 'https://kubernetes.default.svc';

/** A ServiceAccount as a token names it. */
export interface TokenAccount {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** An object that a token names. The node of a pod need not exist, and has no uid then. */
export interface TokenReference {
  readonly name: string;
  readonly uid?: string | undefined;
}

/** The objects that a token is bound to: it ends with them. The node of a pod is only named. */
export type TokenBound = Readonly<Partial<Record<'pod' | 'secret' | 'node', TokenReference>>>;

/** What a valid token says. */
export interface TokenClaims {
  readonly account: TokenAccount;
  readonly bound: TokenBound;
  readonly audiences: readonly string[];
  /** The id of the token. */
  readonly id: string;
}

/** The result of a verification: the claims, or why a token of this server is no longer valid. Neither: the text is no token of this server. */
export interface Verified {
  readonly claims?: TokenClaims | undefined;
  readonly error?: string | undefined;
}

/** Finds the objects that tokens name. */
export interface TokenObjects {
  /** Undefined if there is no such object. `deletedAt` is its deletionTimestamp in milliseconds. */
  find(
    resource: 'serviceaccounts' | 'pods' | 'secrets' | 'nodes',
    namespace: string,
    name: string,
  ): { readonly uid: string; readonly deletedAt?: number | undefined } | undefined;
}

/** A terminating object keeps its tokens for so long. */
const LEEWAY_MS = 60_000;
/** How many tokens need no second check of their signature. */
const MOST_SIGNED = 1000;
const INVALIDATED = 'service account token has been invalidated';

/** The claims of a token as they are signed. */
interface SignedClaims {
  readonly aud: readonly string[];
  readonly exp: number;
  readonly jti: string;
  readonly 'kubernetes.io': TokenBound & {
    readonly namespace: string;
    readonly serviceaccount: { readonly name: string; readonly uid: string };
  };
}

interface SigningKeys {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** Names the key in tokens. */
  readonly id: string;
}

/**
 * Issues and verifies the tokens of ServiceAccounts: JSON Web Tokens, signed with a key that the server makes for the first one.
 * A token ends with its account, and with the pod, secret or node that it is bound to.
 */
export class AccountTokens {
  readonly #clock: Clock;
  readonly #objects: TokenObjects;
  /** The claims of tokens with a valid signature: checking one takes longer than most requests. */
  readonly #signed = new LruCache<string, SignedClaims>(MOST_SIGNED);
  #keys: SigningKeys | undefined;

  /** @param signingKey a private key as PEM, of a server whose tokens stay valid @default a new one */
  constructor(clock: Clock, objects: TokenObjects, signingKey?: string | undefined) {
    this.#clock = clock;
    this.#objects = objects;
    if (signingKey !== undefined) this.#keys = signingKeys(createPrivateKey(signingKey));
  }

  /** The public key as a JSON Web Key. */
  publicKey(): object {
    const { publicKey, id } = this.#ownKeys();
    const { kty, crv, x, y } = publicKey.export({ format: 'jwk' });
    return { use: 'sig', kty, kid: id, crv, alg: 'ES256', x, y };
  }

  issue(account: TokenAccount, audiences: readonly string[], seconds: number, bound: TokenBound): string {
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
      sub: accountUserName(account.namespace, account.name),
    };
    const text = `${encode({ alg: 'ES256', kid: id })}.${encode(claims)}`;
    const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return `${text}.${signature.toString('base64url')}`;
  }

  verify(token: string): Verified {
    const signed = this.#signed.get(token) ?? this.#readSigned(token);
    if (signed === undefined) return {};
    this.#signed.set(token, signed);
    const { namespace, serviceaccount, ...bound } = signed['kubernetes.io'];
    const claims = { account: { namespace, ...serviceaccount }, bound, audiences: signed.aud, id: signed.jti };
    const error =
      signed.exp * 1000 <= this.#clock.now() ? 'service account token has expired' : this.#whyInvalid(claims);
    return error === undefined ? { claims } : { error };
  }

  /** Returns the claims of a token that this server has signed; undefined for any other text. */
  #readSigned(token: string): SignedClaims | undefined {
    const [head, body, signature, ...more] = token.split('.');
    if (this.#keys === undefined || body === undefined || signature === undefined || more.length > 0) return undefined;
    const key = { key: this.#keys.publicKey, dsaEncoding: 'ieee-p1363' } as const;
    const isSigned = verify('sha256', Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url'));
    // Claims that this server has signed have the form that `issue` gave them.
    return isSigned ? (JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as SignedClaims) : undefined;
  }

  #whyInvalid({ account, bound }: TokenClaims): string | undefined {
    const { namespace, name, uid } = account;
    const found = this.#objects.find('serviceaccounts', namespace, name);
    if (found === undefined) return `serviceaccounts ${JSON.stringify(name)} not found`;
    if (found.uid !== uid) return `service account UID (${found.uid}) does not match claim (${uid})`;
    if (this.#isDeleted(found)) return `service account ${namespace}/${name} has been deleted`;
    const error = this.#whyUnbound('secret', namespace, bound.secret) ?? this.#whyUnbound('pod', namespace, bound.pod);
    // The node of a pod does not end the token.
    return error ?? (bound.pod === undefined ? this.#whyUnbound('node', '', bound.node) : undefined);
  }

  #whyUnbound(kind: keyof TokenBound, namespace: string, reference: TokenReference | undefined): string | undefined {
    if (reference === undefined) return undefined;
    const found = this.#objects.find(`${kind}s`, namespace, reference.name);
    if (found === undefined || this.#isDeleted(found)) return INVALIDATED;
    if (found.uid === reference.uid) return undefined;
    return `${kind} UID (${found.uid}) does not match service account ${kind} ref claim (${reference.uid})`;
  }

  #isDeleted({ deletedAt }: { readonly deletedAt?: number | undefined }): boolean {
    return deletedAt !== undefined && deletedAt < this.#clock.now() - LEEWAY_MS;
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
