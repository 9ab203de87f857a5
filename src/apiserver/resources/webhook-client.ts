import { fieldInvalid, fieldRequired } from '../../meta/errors/field-cause.js';
import { isJsonObject, type JsonObject } from '../../meta/json-values.js';
import { dns1123SubdomainErrors } from '../../meta/names.js';
import type { Causes } from './causes.js';

const FORM = '; desired format: https://host[/path]';

/** Causes for the `url` of a webhook: https, without user, query and fragment. */
export function* webhookUrlCauses(field: string, text: string): Causes {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const scheme = url?.protocol.slice(0, -1) ?? '';
  if (scheme !== 'https') yield fieldInvalid(field, scheme, `'https' is the only allowed URL scheme${FORM}`);
  if (url === undefined || url.host === '') yield fieldInvalid(field, '', `host must be specified${FORM}`);
  if (url === undefined) return;
  if (url.username !== '' || url.password !== '') {
    const user = url.password === '' ? url.username : `${url.username}:${url.password}`;
    yield fieldInvalid(field, user, 'user information is not permitted in the URL');
  }
  if (url.hash !== '') yield fieldInvalid(field, url.hash.slice(1), 'fragments are not permitted in the URL');
  if (url.search !== '')
    yield fieldInvalid(field, url.search.slice(1), 'query parameters are not permitted in the URL');
}

/** Causes for the `service` of a webhook. */
export function* webhookServiceCauses(field: string, service: unknown): Causes {
  const { name, namespace, path, port = 443 }: JsonObject = isJsonObject(service) ? service : {};
  if (!name) yield fieldRequired(`${field}.name`, '');
  if (!namespace) yield fieldRequired(`${field}.namespace`, '');
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
