import { setValueAt } from '../../../meta/json-paths.js';
import { isJsonObject, type JsonObject } from '../../../meta/json-values.js';
import { fields, notSupported, type Strategy } from '../strategy.js';

export const secrets: Partial<Strategy> = {
  fields: fields('type'),
  unknownField: notSupported,
  canonicalize: encodeSecret,
};

/** Moves `stringData` of a Secret into `data`, as base64. */
function encodeSecret(secret: JsonObject): void {
  const text = secret['stringData'];
  delete secret['stringData'];
  secret['type'] ??= 'Opaque';
  if (!isJsonObject(text)) return;
  for (const name of Object.keys(text)) {
    setValueAt(secret, ['data', name], Buffer.from(String(text[name])).toString('base64'));
  }
}
