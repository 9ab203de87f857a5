import type { StatusCause } from '../../meta/errors/status.js';
import { escapeTextControls } from '../../meta/escape-controls.js';
import { isJsonObject } from '../../meta/json-values.js';
import { describeValue } from '../../meta/options/validate.js';
import type { AdmissionDefinition } from './webhook.js';

/** Something that is wrong with an object. */
interface Problem {
  readonly field?: string | undefined;
  readonly message: string;
}

/** The problems that a function of the program has returned. Throws a TypeError for what is no verdict. */
export function problemsOf(verdict: unknown, { name }: Pick<AdmissionDefinition, 'name'>): readonly Problem[] {
  if (verdict === undefined || verdict === null) return [];
  const problems: readonly unknown[] = Array.isArray(verdict) ? verdict : [verdict];
  return problems.map((problem) => {
    if (typeof problem === 'string') return { message: escapeTextControls(problem) };
    if (isJsonObject(problem) && Array.isArray(verdict)) {
      const { field, message } = problem;
      if (typeof field === 'string' && typeof message === 'string')
        return { field: escapeTextControls(field), message: escapeTextControls(message) };
    }
    const expected = 'nothing, a text, or a list of texts and of { field, message }';
    throw new TypeError(`${name} must return ${expected}, not ${describeValue(verdict)}`);
  });
}

/** The Status of a refused request: 422 if fields are named, otherwise 403. */
export function refusal(problems: readonly Problem[], { resource }: AdmissionDefinition, objectName: string): object {
  const message = problems.map(({ field, message: text }) => (field ? `${field}: ${text}` : text)).join('; ');
  if (!problems.some(({ field }) => field !== undefined))
    return { status: 'Failure', message, reason: 'Forbidden', code: 403 };
  const causes = problems.map(
    ({ field, message: text }): StatusCause => ({
      ...(field === undefined ? {} : { reason: 'FieldValueInvalid', field }),
      message: text,
    }),
  );
  const { group, kind } = resource;
  const details = {
    ...(objectName === '' ? {} : { name: objectName }),
    ...(group === '' ? {} : { group }),
    kind,
    causes,
  };
  return { status: 'Failure', message, reason: 'Invalid', details, code: 422 };
}
