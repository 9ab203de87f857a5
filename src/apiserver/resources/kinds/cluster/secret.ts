import { fieldForbidden, fieldInvalid, fieldRequired, fieldTooLong } from '../../../../meta/errors/field-cause.js';
import { setValueAt } from '../../../../meta/json-paths.js';
import { getField, isJsonObject, type JsonObject } from '../../../../meta/json-values.js';
import { configKeyErrors } from '../../../../meta/names.js';
import type { Secret } from '../../../../resources/types/core-v1.js';
import { type CauseSteps, eachEntry, invalids } from '../../causes.js';
import { fields, notSupported, type Strategy, strategyFor } from '../../strategy.js';
import { immutableCauses } from '../label-rules.js';
import { base64Bytes, isSame } from './config-data.js';
import { MAX_DATA_BYTES } from './config-map.js';

export const secrets: Partial<Strategy> = strategyFor<Secret>({
  fields: fields('type'),
  unknownField: notSupported,
  defaults(secret) {
    secret.type ??= 'Opaque';
    encodeStringData(secret as unknown as JsonObject);
  },
  *causes(secret, old): CauseSteps {
    if (old !== undefined) {
      yield* immutableCauses(secret.type, old.type, 'type');
      if (old.immutable === true) yield* frozenCauses(secret, old);
    }
    let bytes = 0;
    yield* eachEntry(secret.data, 'data', function* (key, value, path): CauseSteps {
      yield* invalids(path, key, configKeyErrors(key));
      bytes += base64Bytes(value);
    });
    if (bytes > MAX_DATA_BYTES) yield fieldTooLong('data', MAX_DATA_BYTES);
    yield* typeCauses(secret);
  },
});

/** Moves `stringData` into `data`, as base64. */
function encodeStringData(secret: JsonObject): void {
  const texts = secret['stringData'];
  delete secret['stringData'];
  if (!isJsonObject(texts)) return;
  for (const name of Object.keys(texts)) {
    setValueAt(secret, ['data', name], Buffer.from(String(getField(texts, name))).toString('base64'));
  }
}

const detail = 'field is immutable when `immutable` is set';

function* frozenCauses(secret: Secret, old: Secret): CauseSteps {
  if (secret.immutable !== true) yield fieldForbidden('immutable', detail);
  if (!(yield* isSame(secret.data, old.data))) yield fieldForbidden('data', detail);
}

/** The keys that a type of Secret needs: all of them, or (basic-auth) one of them. */
const REQUIRED_KEYS: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/basic-auth': ['username', 'password'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
};

const SERVICE_ACCOUNT = 'kubernetes.io/service-account.name';

function* typeCauses({ type = '', metadata, data = {} }: Secret): CauseSteps {
  if (type === 'kubernetes.io/service-account-token' && !metadata.annotations?.[SERVICE_ACCOUNT]) {
    yield fieldRequired(`metadata.annotations[${SERVICE_ACCOUNT}]`, '');
  }
  const keys = Object.hasOwn(REQUIRED_KEYS, type) ? REQUIRED_KEYS[type]! : [];
  const isEmptyMissing = type === 'kubernetes.io/ssh-auth';
  const missing = keys.filter((key) => !Object.hasOwn(data, key) || (isEmptyMissing && data[key] === ''));
  if (type !== 'kubernetes.io/basic-auth' || missing.length === keys.length) {
    for (const key of missing) yield fieldRequired(`data[${key}]`, '');
  }
  const config = keys[0] ?? '';
  if (!type.startsWith('kubernetes.io/dockerc') || missing.length > 0) return;
  const problem = jsonObjectProblem(Buffer.from(data[config]!, 'base64').toString());
  if (problem !== undefined) yield fieldInvalid(`data[${config}]`, '<secret contents redacted>', problem);
}

/** The message of Go's decoder for a text that is no JSON object. */
function jsonObjectProblem(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value) || value === null) return undefined;
    const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
    return `json: cannot unmarshal ${type} into Go value of type map[string]interface {}`;
  } catch {
    if (text.trim() === '') return 'unexpected end of JSON input';
    const first = text.trimStart()[0]!;
    const shown = first < ' ' ? `\\x${first.charCodeAt(0).toString(16).padStart(2, '0')}` : first;
    return `invalid character '${shown}' looking for beginning of value`;
  }
}
