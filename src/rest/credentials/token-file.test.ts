import { rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { TempFolder } from '../../../test/support/temp-folder.js';
import { Secret } from '../../meta/secret.js';
import { FakeClock } from '../../time/fake-clock.js';
import { basic } from './fixed-credentials.js';
import { TokenFile } from './token-file.js';

describe('TokenFile', () => {
  it('reads the file again after 50 s, and not before', async () => {
    const folder = new TempFolder();
    const clock = new FakeClock();
    const token = new TokenFile(await folder.write('token', 'one\n'), { clock });
    expect(await token.headers()).toEqual({ authorization: 'Bearer one' });
    await folder.write('token', 'two');
    await clock.advance(49_999);
    expect(token.headers()).toEqual({ authorization: 'Bearer one' });
    await clock.advance(1);
    expect(await token.headers()).toEqual({ authorization: 'Bearer two' });
    expect(clock.pendingTimers).toEqual([]);
  });

  it('reads it at once when the server rejects the token, and says whether that helps', async () => {
    const folder = new TempFolder();
    const token = new TokenFile(await folder.write('token', 'one'), { clock: new FakeClock() });
    const one = await token.headers();
    expect(await token.onUnauthorized(one)).toBe(false);
    await folder.write('token', 'two');
    expect(await token.onUnauthorized(one)).toBe(true);
    expect(token.headers()).toEqual({ authorization: 'Bearer two' });
    await rm(folder.file('token'));
    expect(await token.onUnauthorized(one)).toBe(true);
  });

  it('keeps the last token while the file is away or empty', async () => {
    const folder = new TempFolder();
    const clock = new FakeClock();
    const token = new TokenFile(await folder.write('token', 'one'), { clock });
    await token.headers();
    await clock.advance(60_000);
    await folder.write('token', ' \n');
    expect(await token.headers()).toEqual({ authorization: 'Bearer one' });
    await rm(folder.file('token'));
    expect(await token.headers()).toEqual({ authorization: 'Bearer one' });
    await folder.write('token', 'two');
    expect(await token.headers()).toEqual({ authorization: 'Bearer two' });
  });

  it('starts with the fallback, and without one says which file is missing', async () => {
    const folder = new TempFolder();
    const clock = new FakeClock();
    const file = folder.file('token');
    const withFallback = new TokenFile(file, { clock, fallback: new Secret('old') });
    expect(await withFallback.headers()).toEqual({ authorization: 'Bearer old' });
    await expect(new TokenFile(file, { clock }).headers()).rejects.toThrow(
      `cannot read the token file ${file}: there is no such file`,
    );
    await folder.write('token', '');
    await expect(new TokenFile(file, { clock }).headers()).rejects.toThrow(/it is empty/);
    await folder.write('token', 'new');
    expect(await withFallback.headers()).toEqual({ authorization: 'Bearer new' });
  });
});

it('encodes a user name and a password', () => {
  expect(basic('jane', 'p:ß')).toEqual({ authorization: `Basic ${Buffer.from('jane:p:ß').toString('base64')}` });
});
