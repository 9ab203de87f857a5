import { expect, it } from 'vitest';
import { basic } from './fixed-credentials.js';

it('encodes a user name and a password', () => {
  expect(basic('jane', 'p:ß')).toEqual({ authorization: `Basic ${Buffer.from('jane:p:ß').toString('base64')}` });
});
