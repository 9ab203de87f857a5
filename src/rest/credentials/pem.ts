import { createPrivateKey, X509Certificate } from 'node:crypto';
import { Secret } from '../../meta/secret.js';

/** A PEM text, or a file with one, which may be replaced at any time. */
export type PemSource = { readonly data: Secret } | { readonly file: string };

/** Decodes a PEM text from base64, as kubeconfigs contain it; undefined if it is none. */
export function pemFromBase64(base64: string): string | undefined {
  const packed = base64.replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(packed)) return undefined;
  const text = Buffer.from(packed, 'base64').toString();
  return looksLikePem(text) ? text : undefined;
}

/** Whether a text has a PEM block. OpenSSL's error for other texts does not say what is wrong. */
export function looksLikePem(text: string): boolean {
  return /-----BEGIN [A-Z0-9 ]+-----/.test(text);
}

/** Describes why a certificate and a key cannot be used together; undefined if they can. Contains neither. */
export function keyPairTrouble(certificate: string, key: string): string | undefined {
  let parsed: X509Certificate;
  try {
    parsed = new X509Certificate(certificate);
  } catch {
    return 'the certificate cannot be read as PEM';
  }
  try {
    return parsed.checkPrivateKey(createPrivateKey(key))
      ? undefined
      : 'the private key does not belong to the certificate';
  } catch {
    return 'the private key cannot be read as PEM without a passphrase';
  }
}

/** A {@link PemSource} of a PEM text. */
export function pemData(pem: string): PemSource {
  return { data: new Secret(pem) };
}
