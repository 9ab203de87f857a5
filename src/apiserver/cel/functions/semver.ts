import { semverType } from '../check/declarations.js';
import type { CelType } from '../check/types.js';
import { CelError, noSuchOverload, type OpaqueValue, type Value } from '../eval/values.js';
import type { CelFunction } from './function.js';
import { compareQuantities } from './quantity.js';

/** A semantic version. Build metadata does not count. */
class CelSemver implements OpaqueValue {
  readonly opaqueType: CelType = semverType;

  constructor(
    readonly numbers: readonly [bigint, bigint, bigint],
    readonly preRelease: readonly string[],
  ) {}

  equals(other: OpaqueValue): boolean {
    return other instanceof CelSemver && compareVersions(this, other) === 0;
  }
}

const numeric = /^\d+$/;

function compareVersions(left: CelSemver, right: CelSemver): number {
  for (let i = 0; i < 3; i++) {
    const [a, b] = [left.numbers[i] as bigint, right.numbers[i] as bigint];
    if (a !== b) return a < b ? -1 : 1;
  }
  if (left.preRelease.length === 0 || right.preRelease.length === 0)
    return Math.sign(right.preRelease.length - left.preRelease.length);
  for (let i = 0; i < Math.min(left.preRelease.length, right.preRelease.length); i++) {
    const order = compareParts(left.preRelease[i] as string, right.preRelease[i] as string);
    if (order !== 0) return order;
  }
  return Math.sign(left.preRelease.length - right.preRelease.length);
}

/** Numbers come before words. */
function compareParts(left: string, right: string): number {
  const [a, b] = [numeric.test(left), numeric.test(right)];
  if (a !== b) return a ? -1 : 1;
  if (left === right) return 0;
  return (a ? BigInt(left) < BigInt(right) : left < right) ? -1 : 1;
}

function splitInThree(text: string): string[] {
  const parts = text.split('.');
  return parts.length <= 3 ? parts : [...parts.slice(0, 2), parts.slice(2).join('.')];
}

function parseVersion(text: string): CelSemver | CelError {
  if (text === '') return new CelError('Version string empty');
  const parts = splitInThree(text);
  if (parts.length !== 3) return new CelError('No Major.Minor.Patch elements found');
  const [beforeBuild = '', ...buildRest] = (parts[2] as string).split('+');
  const build = buildRest.length === 0 ? [] : buildRest.join('+').split('.');
  const [patch = '', ...preRest] = beforeBuild.split('-');
  const preRelease = preRest.length === 0 ? [] : preRest.join('-').split('.');
  const numbers: bigint[] = [];
  for (const [name, digits] of [
    ['Major', parts[0]],
    ['Minor', parts[1]],
    ['Patch', patch],
  ] as [string, string][]) {
    if (!/^\d*$/.test(digits))
      return new CelError(`Invalid character(s) found in ${name.toLowerCase()} number ${JSON.stringify(digits)}`);
    if (digits.length > 1 && digits.startsWith('0'))
      return new CelError(`${name} number must not contain leading zeroes ${JSON.stringify(digits)}`);
    if (digits === '') return new CelError('strconv.ParseUint: parsing "": invalid syntax');
    if (BigInt(digits) >= 1n << 64n)
      return new CelError(`strconv.ParseUint: parsing ${JSON.stringify(digits)}: value out of range`);
    numbers.push(BigInt(digits));
  }
  for (const part of preRelease) {
    if (part === '') return new CelError('Prerelease is empty');
    if (numeric.test(part) && part.length > 1 && part.startsWith('0'))
      return new CelError(`Numeric PreRelease version must not contain leading zeroes ${JSON.stringify(part)}`);
    if (!/^[0-9A-Za-z-]+$/.test(part))
      return new CelError(`Invalid character(s) found in prerelease ${JSON.stringify(part)}`);
  }
  for (const part of build) {
    if (part === '') return new CelError('Build meta data is empty');
    if (!/^[0-9A-Za-z-]+$/.test(part))
      return new CelError(`Invalid character(s) found in build meta data ${JSON.stringify(part)}`);
  }
  return new CelSemver(numbers as [bigint, bigint, bigint], preRelease);
}

/** Adds missing parts, and removes a `v` and leading zeros. */
function parseNormalized(text: string): CelSemver | CelError {
  const parts = splitInThree(text.replace(/^v/, '')).map((part) => {
    if (part.length <= 1) return part;
    const trimmed = part.replace(/^0+/, '');
    return trimmed === '' || !/^\d/.test(trimmed) ? `0${trimmed}` : trimmed;
  });
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) as string))
    return new CelError('short version cannot contain PreRelease/Build meta data');
  while (parts.length < 3) parts.push('0');
  return parseVersion(parts.join('.'));
}

function parsed(text: Value, normalize: Value | undefined): CelSemver | CelError {
  if (typeof text !== 'string') return noSuchOverload;
  return normalize === true ? parseNormalized(text) : parseVersion(text);
}

function number(index: 0 | 1 | 2): CelFunction {
  return (value) => (value instanceof CelSemver ? BigInt.asIntN(64, value.numbers[index]) : noSuchOverload);
}

/** A comparison of two versions, or of two quantities: the functions have the same names. */
function comparison(result: (order: number) => Value): CelFunction {
  return (left, right) => {
    const order =
      left instanceof CelSemver && right instanceof CelSemver
        ? compareVersions(left, right)
        : compareQuantities(left, right as Value);
    return order === undefined ? noSuchOverload : result(order);
  };
}

export const versions: Readonly<Record<string, CelFunction>> = {
  semver: (text, normalize?) => parsed(text, normalize),
  isSemver: (text, normalize?) => {
    const version = parsed(text, normalize);
    return version === noSuchOverload ? version : version instanceof CelSemver;
  },
  major: number(0),
  minor: number(1),
  patch: number(2),
  compareTo: comparison((order) => BigInt(order)),
  isGreaterThan: comparison((order) => order > 0),
  isLessThan: comparison((order) => order < 0),
};
