import { portNameErrors, portNumberErrors } from '../../../../meta/names.js';
import { type CauseSteps, invalids } from '../../causes.js';

/** The protocols of ports. */
export const PROTOCOLS: readonly string[] = ['SCTP', 'TCP', 'UDP'];

/** Causes for a port that is neither a valid number nor a valid name. */
export function* portCauses(port: number | string, path: string): CauseSteps {
  yield* invalids(path, port, typeof port === 'number' ? portNumberErrors(port) : portNameErrors(port));
}
