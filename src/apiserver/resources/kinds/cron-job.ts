import { dns1123SubdomainErrors } from '../../../meta/names.js';
import type { Strategy } from '../strategy.js';

export const cronJobs: Partial<Strategy> = {
  generation: 'content',
  nameErrors: cronJobNameErrors,
  dependents: 'orphan',
};

/** A CronJob's name is limited to 52 characters: the names of its Jobs have eleven more. */
function cronJobNameErrors(name: string): readonly string[] {
  return name.length > 52 ? ['must be no more than 52 characters'] : dns1123SubdomainErrors(name);
}
