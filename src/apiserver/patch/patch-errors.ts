import { StatusError } from '../../meta/errors/errors.js';
import { badRequest } from '../../meta/errors/status.js';

/** 400 for a malformed patch. */
export function malformedPatch(message: string): StatusError {
  return new StatusError(badRequest(message));
}

/**
 * 422 for a patch that does not apply to the object. kube-apiserver does not send the reason; here it is the `cause` of
 * the error.
 */
export function inapplicablePatch(why: string): StatusError {
  return new StatusError(
    {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'the server rejected our request due to an error in our request',
      reason: 'Invalid',
      details: {},
      code: 422,
    },
    { cause: new Error(why) },
  );
}

/** 500 without a reason: the answer of kube-apiserver to a strategic merge patch that contradicts itself. */
export function brokenPatch(message: string): StatusError {
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
}
