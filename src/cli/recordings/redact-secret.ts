import { createHmac, randomBytes } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../meta/json-values.js';

/** The annotation of `kubectl apply`, which repeats the whole object. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Makes a function that replaces the values of Secrets. Equal values are replaced by the same text, so that a recording still shows
 * whether one has changed; the key of this is random and forgotten, so that a value cannot be found by trying.
 */
export function secretRedactor(): (json: string) => string {
  const key = randomBytes(32);
  const redacted = (value: unknown): string => {
    const mark = createHmac('sha256', key).update(String(value)).digest('hex').slice(0, 12);
    return `redacted-${mark}`;
  };
  const each = (values: unknown, replace: (value: unknown) => string): unknown =>
    isJsonObject(values)
      ? Object.fromEntries(Object.entries(values).map(([name, value]) => [name, replace(value)]))
      : values;
  return (json) => {
    const secret = JSON.parse(json) as JsonObject;
    if (secret['data'] !== undefined) {
      secret['data'] = each(secret['data'], (value) => Buffer.from(redacted(value)).toString('base64'));
    }
    if (secret['stringData'] !== undefined) secret['stringData'] = each(secret['stringData'], redacted);
    const { metadata } = secret;
    const annotations = isJsonObject(metadata) ? metadata['annotations'] : undefined;
    if (isJsonObject(annotations) && annotations[LAST_APPLIED] !== undefined) {
      annotations[LAST_APPLIED] = redacted(annotations[LAST_APPLIED]);
    }
    return JSON.stringify(secret);
  };
}
