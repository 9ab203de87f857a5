import { fieldInvalid, fieldRequired } from '../../meta/errors/field-cause.js';
import { isJsonObject, type JsonObject } from '../../meta/json-values.js';
import { dns1123SubdomainErrors } from '../../meta/names.js';
import type { Causes } from './causes.js';

const FORM = '; desired format: https://host[/path]';

/** Go's parts of a URL: scheme, authority, path, query and fragment. It accepts more than the URL class does. */
const URL_PARTS = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s;

/** Causes for the `url` of a webhook: https, without user, query and fragment. */
export function* webhookUrlCauses(field: string, text: string): Causes {
  const [, scheme = '', authority = '', , query = '', fragment = ''] = URL_PARTS.exec(text) ?? [];
  if (scheme.toLowerCase() !== 'https') {
    yield fieldInvalid(field, scheme.toLowerCase(), `'https' is the only allowed URL scheme${FORM}`);
  }
  const at = authority.lastIndexOf('@');
  if (authority.length === at + 1) yield fieldInvalid(field, '', `host must be specified${FORM}`);
  if (at >= 0) yield fieldInvalid(field, authority.slice(0, at), 'user information is not permitted in the URL');
  if (fragment !== '') yield fieldInvalid(field, fragment, 'fragments are not permitted in the URL');
  if (query !== '') yield fieldInvalid(field, query, 'query parameters are not permitted in the URL');
}

/** Causes for the `service` of a webhook. */
export function* webhookServiceCauses(field: string, service: unknown): Causes {
  const { name, namespace, path, port = 443 }: JsonObject = isJsonObject(service) ? service : {};
  // kube-apiserver confuses the two: the cause for one names the other.
  if (!namespace) yield fieldRequired(`${field}.name`, '');
  if (!name) yield fieldRequired(`${field}.namespace`, '');
  if (typeof port !== 'number' || port < 1 || port > 65535) {
    yield fieldInvalid(`${field}.port`, port, 'port is not valid: must be between 1 and 65535, inclusive');
  }
  if (typeof path !== 'string' || path === '' || path === '/') return;
  if (path === '//') {
    yield fieldInvalid(`${field}.path`, path, 'segment[0] may not be empty');
    return;
  }
  if (!path.startsWith('/')) yield fieldInvalid(`${field}.path`, path, "must start with a '/'");
  for (const [at, segment] of path.slice(1).replace(/\/$/, '').split('/').entries()) {
    if (segment === '') yield fieldInvalid(`${field}.path`, path, `segment[${at}] may not be empty`);
    else {
      for (const error of dns1123SubdomainErrors(segment)) {
        yield fieldInvalid(`${field}.path`, path, `segment[${at}]: ${error}`);
      }
    }
  }
}
