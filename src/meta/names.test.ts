import { describe, expect, it } from 'vitest';
import {
  dns1035LabelErrors,
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  labelKeyErrors,
  labelValueErrors,
  pathSegmentErrors,
  withGroup,
} from './names.js';

const long = (length: number): string => 'a'.repeat(length);

describe('DNS names', () => {
  it.each(['a', '0', 'a-b', long(63)])('accepts the label %j', (value) =>
    expect(dns1123LabelErrors(value)).toEqual([]),
  );
  it.each(['', '-a', 'a-', 'A', 'a_b', 'a.b', 'ä', 'a\n'])('rejects the label %j', (value) =>
    expect(dns1123LabelErrors(value)).toHaveLength(1),
  );
  it('reports dots, other characters and length separately', () => {
    expect(dns1123LabelErrors('a.b')).toEqual(['must not contain dots']);
    expect(dns1123LabelErrors(long(64))).toEqual(['must be no more than 63 characters']);
    expect(dns1123LabelErrors('A')).toEqual([
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ]);
  });
  it.each(['a', 'a.b', 'example.com', '1.2.3'])('accepts the subdomain %j', (value) =>
    expect(dns1123SubdomainErrors(value)).toEqual([]),
  );
  it.each(['', '.', 'a..b', 'a.', '-B', 'a.-b'])('rejects the subdomain %j', (value) =>
    expect(dns1123SubdomainErrors(value)).toHaveLength(1),
  );
  it('reports an invalid subdomain as kube-apiserver does', () => {
    expect(dns1123SubdomainErrors(`${long(254)}!`)).toEqual([
      'must be no more than 253 characters',
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ]);
  });
  it('requires a letter first in a DNS-1035 label', () => {
    expect(dns1035LabelErrors('v1')).toEqual([]);
    expect(dns1035LabelErrors('1v')).toHaveLength(1);
    expect(dns1035LabelErrors(long(64))).toEqual(['must be no more than 63 characters']);
  });
});

describe('label keys and values', () => {
  it.each(['a', 'A.b_c-9', 'example.com/name', `example.com/${long(63)}`])('accepts the key %j', (value) =>
    expect(labelKeyErrors(value)).toEqual([]),
  );
  it.each([
    ['', ['name part must be non-empty', expect.stringContaining('name part must consist of')]],
    ['/b', ['prefix part must be non-empty']],
    ['a/', ['name part must be non-empty', expect.stringContaining('name part must consist of')]],
    ['A/b', [expect.stringContaining('prefix part a lowercase RFC 1123 subdomain')]],
    [long(64), ['name part must be no more than 63 bytes']],
    ['a b', [expect.stringContaining('name part must consist of')]],
    ['a/b/c', [expect.stringContaining('a valid label key must consist of')]],
  ])('rejects the key %j', (value, errors) => expect(labelKeyErrors(value)).toEqual(errors));
  it.each(['', 'a', 'A_b.c-9', long(63)])('accepts the value %j', (value) =>
    expect(labelValueErrors(value)).toEqual([]),
  );
  it.each(['-', 'a-', 'a b', 'ä'])('rejects the value %j', (value) => expect(labelValueErrors(value)).toHaveLength(1));
  it('limits the bytes of a value', () =>
    expect(labelValueErrors(long(64))).toEqual(['must be no more than 63 bytes']));
});

describe('path segments', () => {
  it.each([
    ['system:admin', []],
    ['.', ["may not be '.'"]],
    ['..', ["may not be '..'"]],
    ['a/b%c', ["may not contain '/'", "may not contain '%'"]],
  ])('%j', (value, errors) => expect(pathSegmentErrors(value)).toEqual(errors));
});

it('leaves the core group out of a name', () => {
  expect(withGroup('pods', '')).toBe('pods');
  expect(withGroup('deployments', 'apps')).toBe('deployments.apps');
});
