import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import { isIP } from 'node:net';
import { requireString } from '../meta/options/validate.js';
import type { Clock } from '../time/clock.js';
import {
  bitString,
  boolean,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  set,
  tagged,
  time,
  utf8String,
} from './der.js';

/** A certificate and its private key, both as PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** The user of a client certificate. */
export interface ClientSubject {
  /** The user name. */
  readonly commonName: string;
  /** The groups. */
  readonly organizations?: readonly string[] | undefined;
}

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;

const OID = {
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
} as const;

/** The bits of a key usage extension, from the first: digitalSignature is 0x80, keyCertSign 0x04, cRLSign 0x02. */
const USAGE_SIGN = bitString(Buffer.from([0x80]), 7);
const USAGE_AUTHORITY = bitString(Buffer.from([0x86]), 1);

/** What an authority is made of. */
export interface AuthorityOptions {
  /** @default 'kubeflect' */
  readonly commonName?: string | undefined;
  /** @default ten years */
  readonly validMs?: number | undefined;
  /** The {@link CertificateAuthority.keyPair} of an authority of the same name that is used again. @default a new one */
  readonly kept?: KeyPair | undefined;
}

/** What a server's certificate is made of, beside its hosts. */
export interface ServerCertificateOptions {
  /** @default 'kubeflect-apiserver' */
  readonly commonName?: string | undefined;
  /** @default one year */
  readonly validMs?: number | undefined;
}

/**
 * A self-signed authority and the certificates that it issues: ECDSA P-256, valid from an hour before the time of its
 * clock.
 *
 * @example
 * const authority = new CertificateAuthority(realClock);
 * const server = authority.issueServer();
 * const admin = authority.issueClient({ commonName: 'admin', organizations: ['system:masters'] });
 */
export class CertificateAuthority {
  /** The certificate of the authority that clients must trust, as PEM. */
  readonly certificate: string;
  readonly #clock: Clock;
  readonly #name: Buffer;
  readonly #key: KeyObject;
  readonly #keyIdentifier: Buffer;

  constructor(clock: Clock, options: AuthorityOptions = {}) {
    const { commonName = 'kubeflect', validMs = 10 * YEAR_MS, kept } = options;
    this.#clock = clock;
    this.#name = distinguishedName({ commonName: requireString('commonName', commonName) });
    this.#key = kept === undefined ? newKey().privateKey : createPrivateKey(kept.key);
    const publicKey = createPublicKey(this.#key);
    this.#keyIdentifier = keyIdentifier(publicKey);
    const extensions = [
      extension(OID.basicConstraints, sequence(boolean(true)), true),
      extension(OID.keyUsage, USAGE_AUTHORITY, true),
    ];
    this.certificate = kept?.certificate ?? this.#issue(this.#name, publicKey, validMs, extensions);
  }

  /** The certificate and the private key of the authority, to keep. */
  get keyPair(): KeyPair {
    return { certificate: this.certificate, key: printKey(this.#key) };
  }

  /** A certificate for a server under these host names and addresses. */
  issueServer(
    hosts: readonly string[] = ['localhost', '127.0.0.1', '::1'],
    options: ServerCertificateOptions = {},
  ): KeyPair {
    const { commonName = 'kubeflect-apiserver', validMs = YEAR_MS } = options;
    const names = sequence(...hosts.map((host) => alternativeName(requireString('hosts[]', host))));
    const extensions = [extension(OID.subjectAltName, names, false)];
    return this.#issueLeaf({ commonName }, OID.serverAuth, validMs, extensions);
  }

  /** A client certificate for a user. */
  issueClient(subject: ClientSubject): KeyPair {
    requireString('commonName', subject.commonName);
    return this.#issueLeaf(subject, OID.clientAuth, YEAR_MS, []);
  }

  #issueLeaf(subject: ClientSubject, purpose: string, validMs: number, extensions: readonly Buffer[]): KeyPair {
    const { publicKey, privateKey } = newKey();
    const certificate = this.#issue(distinguishedName(subject), publicKey, validMs, [
      extension(OID.basicConstraints, sequence(), true),
      extension(OID.keyUsage, USAGE_SIGN, true),
      extension(OID.extendedKeyUsage, sequence(objectIdentifier(purpose)), false),
      ...extensions,
    ]);
    return { certificate, key: printKey(privateKey) };
  }

  #issue(subject: Buffer, publicKey: KeyObject, validMs: number, extensions: readonly Buffer[]): string {
    const algorithm = sequence(objectIdentifier(OID.ecdsaWithSha256));
    const now = this.#clock.now();
    const body = sequence(
      tagged(0, integer(Buffer.from([2]))),
      integer(serialNumber()),
      algorithm,
      this.#name,
      sequence(time(now - HOUR_MS), time(now + validMs)),
      subject,
      publicKey.export({ type: 'spki', format: 'der' }),
      tagged(
        3,
        sequence(
          ...extensions,
          extension(OID.subjectKeyIdentifier, octetString(keyIdentifier(publicKey)), false),
          extension(OID.authorityKeyIdentifier, sequence(tagged(0, this.#keyIdentifier, false)), false),
        ),
      ),
    );
    return pem(sequence(body, algorithm, bitString(sign('sha256', body, this.#key))));
  }
}

function printKey(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function newKey(): { publicKey: KeyObject; privateKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

/** A random positive number of 16 bytes that does not begin with zeros. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = (bytes[0]! & 0x7f) | 0x40;
  return bytes;
}

function keyIdentifier(publicKey: KeyObject): Buffer {
  return createHash('sha1')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest();
}

function distinguishedName({ commonName, organizations = [] }: ClientSubject): Buffer {
  const attribute = (oid: string, value: string): Buffer => set(sequence(objectIdentifier(oid), utf8String(value)));
  const groups = organizations.map((organization) => attribute(OID.organization, organization));
  return sequence(...groups, attribute(OID.commonName, commonName));
}

function extension(oid: string, value: Uint8Array, isCritical: boolean): Buffer {
  return sequence(objectIdentifier(oid), ...(isCritical ? [boolean(true)] : []), octetString(value));
}

function alternativeName(host: string): Buffer {
  return isIP(host) === 0 ? tagged(2, Buffer.from(host, 'latin1'), false) : tagged(7, addressBytes(host), false);
}

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  // A `::` stands for as many zeros as are missing.
  const [left = '', right] = address.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const head = left === '' ? [] : left;
  const tail = right ?? [];
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  const bytes = Buffer.alloc(16);
  for (const [at, group] of [...head, ...zeros, ...tail].entries())
    bytes.writeUInt16BE(Number.parseInt(group, 16), at * 2);
  return bytes;
}

function pem(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
