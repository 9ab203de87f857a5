import { durationPart, type TimePart, timePart } from '../eval/time.js';
import { Duration, noSuchOverload, Timestamp, type Value } from '../eval/values.js';
import { authorizers } from './authorizer.js';
import { conversions } from './conversions.js';
import { format } from './format-text.js';
import type { CelFunction, CelStepFunction } from './function.js';
import { lists, optionals } from './lists.js';
import { namedFormats } from './named-formats.js';
import { network } from './network.js';
import { operators } from './operators.js';
import { quantities } from './quantity.js';
import { versions } from './semver.js';
import { strings } from './strings.js';
import { textMatching } from './text-matching.js';
import { urls } from './url.js';

const parts: readonly TimePart[] = [
  'FullYear',
  'Month',
  'DayOfYear',
  'Date',
  'DayOfMonth',
  'DayOfWeek',
  'Hours',
  'Minutes',
  'Seconds',
  'Milliseconds',
];

function getPart(part: TimePart): CelFunction {
  return (time: Value, zone?: Value) => {
    if (time instanceof Duration) return durationPart(time, part);
    if (!(time instanceof Timestamp) || (zone !== undefined && typeof zone !== 'string')) return noSuchOverload;
    return timePart(time, part, zone);
  };
}

const functions: ReadonlyMap<string, CelFunction> = new Map(
  Object.entries({
    ...operators,
    ...conversions,
    ...strings,
    ...lists,
    ...optionals,
    ...network,
    ...urls,
    ...quantities,
    ...versions,
    ...namedFormats,
    ...authorizers,
    ...Object.fromEntries(parts.map((part) => [`get${part}`, getPart(part)])),
    format,
  }),
);

/** The function of a name. Overloads of one name are one function, which looks at its arguments. */
export function functionNamed(name: string): CelFunction | undefined {
  return functions.get(name);
}

export function stepFunctionNamed(name: string): CelStepFunction | undefined {
  return Object.hasOwn(textMatching, name) ? textMatching[name] : undefined;
}
