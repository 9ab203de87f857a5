import { expect, it } from 'vitest';
import { printEntries, storedEntries } from './entries.js';

it('entries are printed with their fields in the order of kube-apiserver, without those that are empty', () => {
  const stored = [
    {
      manager: 'web',
      operation: 'Apply',
      apiVersion: 'v1',
      time: '2026-01-01T00:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { 'f:a': {} } },
    },
    {
      operation: 'Update',
      apiVersion: 'v1',
      time: '2026-01-02T00:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:status': {} },
      subresource: 'status',
    },
  ];
  expect(JSON.stringify(printEntries(storedEntries(stored)))).toBe(JSON.stringify(stored));
  expect(printEntries(storedEntries([]))).toBeUndefined();
});
