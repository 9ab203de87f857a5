import { createPrivateKey, X509Certificate } from 'node:crypto';
import { Secret } from '../../meta/secret.js';

/** Where a PEM text comes from: given as it is, or in a file that may be replaced at any time. */
export type PemSource = { readonly data: Secret } | { readonly file: string };

/** The PEM text behind a field that kubeconfig files hold as base64, or undefined if it is none. */
export function pemFromBase64(base64: string): string | undefined {
  const packed = base64.replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(packed)) return undefined;
  const text = Buffer.from(packed, 'base64').toString();
  return looksLikePem(text) ? text : undefined;
}

/** Whether a text has at least one PEM block. Anything else in a handshake fails with words that help nobody. */
export function looksLikePem(text: string): boolean {
  return /-----BEGIN [A-Z0-9 ]+-----/.test(text);
}

/** What keeps a certificate and a key from being used together, or undefined if nothing does. Shows neither. */
export function keyPairTrouble(certificate: string, key: string): string | undefined {
  let parsed: X509Certificate;
  try {
    parsed = new X509Certificate(certificate);
  } catch {
    return 'the certificate cannot be read as PEM';
  }
  try {
    return parsed.checkPrivateKey(createPrivateKey(key)) ? undefined : 'the private key is not that of the certificate';
  } catch {
    return 'the private key cannot be read as PEM without a passphrase';
  }
}

/** A PEM text given as it is. */
export function pemData(pem: string): PemSource {
  return { data: new Secret(pem) };
}
