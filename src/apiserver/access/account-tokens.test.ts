import { expect, it } from 'vitest';
import { FakeClock } from '../../time/fake-clock.js';
import { AccountTokens, ISSUER } from './account-tokens.js';

const account = { namespace: 'default', name: 'robot', uid: 'uid-1' };

it('judges a token by the time and the account of each request, also if its signature was checked before', () => {
  const clock = new FakeClock();
  let stored: { readonly uid: string } | undefined = account;
  const tokens = new AccountTokens(clock, { find: () => stored });
  const token = tokens.issue(account, [ISSUER], 600, {});
  expect(tokens.verify(token).claims).toMatchObject({ account });
  stored = { uid: 'uid-2' };
  expect(tokens.verify(token).error).toContain('does not match claim');
  stored = undefined;
  expect(tokens.verify(token).error).toContain('not found');
  stored = account;
  expect(tokens.verify(token).claims).toMatchObject({ account });
  clock.jump(600_000);
  expect(tokens.verify(token)).toEqual({ error: 'service account token has expired' });
});

it('refuses a changed token, also after the original was accepted', () => {
  const tokens = new AccountTokens(new FakeClock(), { find: () => account });
  const token = tokens.issue(account, [ISSUER], 600, {});
  const [head, , signature] = token.split('.');
  const body = Buffer.from(JSON.stringify({ sub: 'admin' })).toString('base64url');
  expect(tokens.verify(token).claims).toBeDefined();
  expect(tokens.verify(`${head}.${body}.${signature}`)).toEqual({});
  expect(tokens.verify(`${token}.more`)).toEqual({});
  expect(new AccountTokens(new FakeClock(), { find: () => account }).verify(token)).toEqual({});
});
