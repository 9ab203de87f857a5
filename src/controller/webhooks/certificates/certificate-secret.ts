import { X509Certificate } from 'node:crypto';
import type { DeepReadonly, New } from '../../../index.js';
import { isJsonObject } from '../../../meta/json-values.js';
import type { Secret } from '../../../resources/types/core-v1.js';
import { type Authority, bundleOf, type CertificateState } from './rotation.js';

/** The label of Secrets that hold the certificates of webhooks. */
export const CERTIFICATES_LABEL = 'kubeflect.dev/webhook-certificates';

/** Where the Secret is, and of which version. */
export interface SecretName {
  readonly name: string;
  readonly namespace: string;
  /** Of the state that is replaced; undefined to create the Secret. */
  readonly resourceVersion?: string | undefined;
}

/** The name of the Secret of a manager. */
export function secretNameOf(manager: string): string {
  return `${manager}-webhook-certificates`;
}

/**
 * The Secret of a state: `tls.crt`, `tls.key` and `ca.crt` as other programs expect them, and `authorities` with the stages of
 * a rotation.
 */
export function toSecret(state: CertificateState, { name, namespace, resourceVersion }: SecretName): New<Secret> {
  const { authorities, serving } = state;
  const data = {
    'tls.crt': serving.certificate,
    'tls.key': serving.key,
    'ca.crt': bundleOf(state),
    authorities: JSON.stringify(authorities),
  };
  return {
    metadata: {
      name,
      namespace,
      labels: { [CERTIFICATES_LABEL]: 'true' },
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    type: 'kubernetes.io/tls',
    data: Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')] as const),
    ),
  };
}

/** The state in a Secret; undefined if it holds none that can be used. */
export function readSecret({ data = {} }: DeepReadonly<Secret>): CertificateState | undefined {
  const text = (key: string): string => Buffer.from(data[key] ?? '', 'base64').toString('utf8');
  try {
    const authorities: unknown = JSON.parse(text('authorities'));
    if (!Array.isArray(authorities) || !authorities.every(isAuthority)) return undefined;
    const serving = { certificate: text('tls.crt'), key: text('tls.key') };
    for (const { certificate } of [...authorities, serving]) new X509Certificate(certificate);
    return serving.key === '' ? undefined : { authorities, serving };
  } catch {
    return undefined;
  }
}

const STAGES: readonly unknown[] = ['next', 'trusted', 'current', 'previous'] satisfies Authority['stage'][];

function isAuthority(value: unknown): value is Authority {
  if (!isJsonObject(value)) return false;
  const { stage, certificate, key, since } = value;
  const hasKey = typeof key === 'string' || stage === 'previous';
  return STAGES.includes(stage) && typeof certificate === 'string' && hasKey && typeof since === 'number';
}
