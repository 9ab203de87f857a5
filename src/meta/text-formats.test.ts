import { describe, expect, it } from 'vitest';
import { formatCheck } from './text-formats.js';

const valid: Readonly<Record<string, readonly string[]>> = {
  bsonobjectid: ['507f1f77bcf86cd799439011'],
  uri: ['https://example.com/a?b=c', '/path', 'urn:x:y', 'http://[::1]:80/'],
  email: ['a@example.com', 'A B <a.b@example.com>', '"a b"@example.com'],
  hostname: ['example.com', 'a', 'xn--a.example'],
  ipv4: ['1.2.3.4', '010.0.0.1'],
  ipv6: ['::1', '::ffff:1.2.3.4'],
  cidr: ['10.0.0.0/8', '::/0'],
  mac: ['01:23:45:67:89:ab', '0123.4567.89ab'],
  uuid: ['123e4567-e89b-12d3-a456-426614174000', '123E4567E89B12D3A456426614174000'],
  uuid4: ['123e4567-e89b-42d3-a456-426614174000'],
  isbn: ['0321751043', '978-0321751041'],
  creditcard: ['4111 1111 1111 1111'],
  ssn: ['111-22-3333'],
  hexcolor: ['#fff', '00ff00'],
  rgbcolor: ['rgb(0, 128,255)'],
  byte: ['aGVsbG8='],
  date: ['2024-02-29'],
  duration: ['1h30m', '2 weeks', '-1.5s'],
  'date-time': ['2024-02-29T12:00:00Z', '2024-02-29t12:00:00.5+01:00'],
  'k8s-short-name': ['a-b'],
  'k8s-long-name': ['a.b-c'],
  password: ['anything at all'],
};

const invalid: Readonly<Record<string, readonly string[]>> = {
  uri: ['', 'relative', ':x', 'http://a b/', '/%zz'],
  email: ['a', '@b', 'a@', 'a..b@c'],
  hostname: ['a_b', '-a', 'a.1', ''],
  ipv4: ['::1', '1.2.3', '1.2.3.256'],
  ipv6: ['1.2.3.4', 'fe80::1%eth0'],
  cidr: ['10.0.0.0', '10.0.0.0/33'],
  uuid4: ['123e4567-e89b-12d3-a456-426614174000'],
  isbn: ['0321751044'],
  creditcard: ['4111 1111 1111 1112'],
  ssn: ['111223333'],
  byte: ['', 'a', 'aGVsbG8'],
  date: ['2023-02-29', '2024-13-01', '24-01-01'],
  duration: ['', 'soon', '5 lightyears'],
  'date-time': ['2024-02-29', '2024-02-29T24:00:00Z', '2024-02-29T12:00:00'],
  'k8s-short-name': ['A', 'a.b', 'a'.repeat(64)],
};

describe('formatCheck', () => {
  it.each(Object.entries(valid))('accepts %s', (format, texts) => {
    for (const text of texts) expect(formatCheck(format)!(text), text).toBe(true);
  });

  it.each(Object.entries(invalid))('refuses what is no %s', (format, texts) => {
    for (const text of texts) expect(formatCheck(format)!(text), text).toBe(false);
  });

  it('knows no others', () => {
    expect(formatCheck('toString')).toBeUndefined();
    expect(formatCheck('int32')).toBeUndefined();
  });

  it('needs a moment for texts of a megabyte', () => {
    const texts = ['1'.repeat(2 ** 20), ' '.repeat(2 ** 20), 'a1'.repeat(2 ** 19), `${'a.'.repeat(2 ** 19)}!`];
    const start = performance.now();
    for (const format of Object.keys(valid)) for (const text of texts) formatCheck(format)!(text);
    expect(performance.now() - start).toBeLessThan(5000);
  });
});
