import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { CertificateAuthority, type KeyPair } from '../certificates/certificate-authority.js';
import type { JsonObject } from '../meta/json-values.js';
import type { Clock } from '../time/clock.js';
import type { DataFiles } from './storage/disk/data-files.js';
import { readWholeFile, writeWholeFile } from './storage/disk/whole-file.js';

/** What clients of a server rely on after it was started again: kubeconfigs, tokens of ServiceAccounts, the address. */
export interface Credentials {
  /** The bearer token of a user of `system:masters`. */
  readonly token: string;
  /** The authority of all certificates. */
  readonly authority: KeyPair;
  /** The private key, as PEM, that signs the tokens of ServiceAccounts. */
  readonly signingKey: string;
  /** The last port that the server has listened on. */
  readonly port?: number | undefined;
}

/** The file of a data directory that holds them. */
export const CREDENTIALS_FILE = 'credentials';

/** The credentials of a data directory; made at the first start. */
export async function loadCredentials(files: DataFiles, clock: Clock): Promise<Credentials> {
  if ((await files.list()).includes(CREDENTIALS_FILE)) {
    return (await readWholeFile(files, CREDENTIALS_FILE)) as unknown as Credentials;
  }
  const credentials = newCredentials(clock);
  await saveCredentials(files, credentials);
  return credentials;
}

export function saveCredentials(files: DataFiles, credentials: Credentials): Promise<void> {
  return writeWholeFile(files, CREDENTIALS_FILE, credentials as unknown as JsonObject);
}

function newCredentials(clock: Clock): Credentials {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    token: newToken(),
    authority: new CertificateAuthority(clock).keyPair,
    signingKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** Not from the clock: its random numbers can be seeded, and uids show some of them. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}
