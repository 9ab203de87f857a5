import { StatusError } from '../../meta/errors.js';
import { badRequest } from '../../meta/status.js';

/** 400: the patch is no patch. */
export function malformedPatch(message: string): StatusError {
  return new StatusError(badRequest(message));
}

/**
 * 422: the patch is well formed and does not fit the object. The real server keeps the reason to itself; here it is at
 * least the cause of the error.
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

/** 500 without a reason: how the real server answers strategic merge patches that contradict themselves. */
export function brokenPatch(message: string): StatusError {
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
}
