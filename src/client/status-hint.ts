import { StatusError } from '../meta/errors/errors.js';

/** The same error with what to do about it at the end of its message. */
export function withHint(error: StatusError, hint: string): StatusError {
  const { document, verb, resource, objectName, namespace } = error;
  const message = `${document.message ?? ''}; ${hint}`;
  return new StatusError({ ...document, message }, { verb, resource, objectName, namespace, cause: error });
}
