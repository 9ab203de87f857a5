import { describe, expect, it } from 'vitest';
import { ownHosts } from '../../rest/http/own-hosts.js';
import { Access } from './access.js';

const token = 'abcdefghijklmnop';
const open = new Access({ isOwnHost: ownHosts({}), token: undefined, cookie: 'c' });
const closed = new Access({
  isOwnHost: ownHosts({ host: '0.0.0.0', allowedHosts: ['box.example.com'] }),
  token,
  cookie: 'c',
});

describe('Access', () => {
  it('on a loopback address, loopback names are accepted and no token is asked for', () => {
    for (const host of ['127.0.0.1:9099', 'localhost:9099', '[::1]:9099', 'inspector.localhost'])
      expect(open.refusal({ host })).toBeUndefined();
  });

  it('other names are refused: DNS rebinding', () => {
    for (const host of ['evil.example.com:9099', '10.0.0.1', 'localhost.evil.com', '', 'a b', undefined])
      expect(open.refusal(host === undefined ? {} : { host })).toMatchObject({ status: 403 });
  });

  it('pages of other sites are refused, links to the page are not', () => {
    const host = '127.0.0.1:9099';
    expect(open.refusal({ host, origin: 'http://127.0.0.1:9099' })).toBeUndefined();
    for (const origin of ['http://127.0.0.1:8080', 'https://evil.example.com', 'null'])
      expect(open.refusal({ host, origin })).toMatchObject({ status: 403 });
    expect(open.refusal({ host, 'sec-fetch-site': 'same-origin' })).toBeUndefined();
    const foreign = { host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' };
    expect(open.refusal(foreign)).toMatchObject({ status: 403 });
    expect(open.refusal({ ...foreign, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' })).toBeUndefined();
    expect(open.refusal({ ...foreign, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' })).toMatchObject({
      status: 403,
    });
  });

  it('a token is accepted as a header and as a cookie, and no other text is', () => {
    const host = '10.0.0.1:9099';
    expect(closed.refusal({ host })).toMatchObject({ status: 401 });
    expect(closed.refusal({ host, authorization: `Bearer ${token}` })).toBeUndefined();
    expect(closed.refusal({ host: 'box.example.com', cookie: `a=b; c=${token}; d=e` })).toBeUndefined();
    for (const wrong of ['', 'x', `${token}x`, token.slice(1)]) {
      expect(closed.refusal({ host, authorization: `Bearer ${wrong}` })).toMatchObject({ status: 401 });
      expect(closed.refusal({ host, cookie: `c=${wrong}` })).toMatchObject({ status: 401 });
    }
    expect(closed.refusal({ host: 'evil.example.com', authorization: `Bearer ${token}` })).toMatchObject({
      status: 403,
    });
    expect([closed.isToken(token), closed.isToken('x'), open.isToken('')]).toEqual([true, false, false]);
  });
});
