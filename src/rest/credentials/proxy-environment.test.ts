import { describe, expect, it } from 'vitest';
import { checkProxyUrl, environmentProxy } from './proxy-environment.js';

const proxy = 'http://proxy:3128';

function via(server: string, noProxy = ''): string | undefined {
  return environmentProxy(new URL(server), { HTTPS_PROXY: proxy, HTTP_PROXY: 'plain:80', NO_PROXY: noProxy });
}

describe('environmentProxy', () => {
  it('reads the variable of the scheme, in upper or lower case, and adds http://', () => {
    expect(via('https://k8s.example.com')).toBe(proxy);
    expect(via('http://k8s.example.com')).toBe('http://plain:80');
    expect(environmentProxy(new URL('https://a.example'), { https_proxy: 'p:1' })).toBe('http://p:1');
    expect(environmentProxy(new URL('https://a.example'), { HTTP_PROXY: proxy })).toBeUndefined();
    expect(environmentProxy(new URL('https://a.example'), {})).toBeUndefined();
  });

  it.each(['https://localhost:6443', 'https://127.1.2.3', 'https://[::1]:6443'])('is undefined for %s', (server) => {
    expect(via(server)).toBeUndefined();
  });

  it.each([
    ['*', 'https://a.example'],
    ['example.com', 'https://example.com'],
    ['example.com', 'https://k8s.example.com:6443'],
    ['.example.com', 'https://k8s.example.com'],
    ['*.example.com', 'https://k8s.example.com'],
    ['EXAMPLE.com', 'https://K8S.Example.com'],
    ['a.example , example.com:6443', 'https://example.com:6443'],
    ['example.com:443', 'https://example.com'],
    ['10.0.0.0/8', 'https://10.96.0.1'],
    ['10.96.0.1', 'https://10.96.0.1:6443'],
    ['10.96.0.1:6443', 'https://10.96.0.1:6443'],
    ['fd00::/8', 'https://[fd00::1]:6443'],
    ['fd00::1', 'https://[fd00:0::1]'],
    ['[fd00::1]:6443', 'https://[fd00::1]:6443'],
  ])('NO_PROXY=%s exempts %s', (list, server) => {
    expect(via(server, list)).toBeUndefined();
  });

  it.each([
    ['', 'https://a.example'],
    ['.example.com', 'https://example.com'],
    ['example.com', 'https://badexample.com'],
    ['example.com:6443', 'https://example.com'],
    ['10.0.0.0/8', 'https://11.0.0.1'],
    ['10.0.0.0/99', 'https://10.0.0.1'],
    ['10.0.0.0/8', 'https://10.example.com'],
    ['fd00::/8', 'https://10.0.0.1'],
    ['10.0.0.1:1', 'https://10.0.0.1'],
    [',,', 'https://a.example'],
  ])('NO_PROXY=%s does not exempt %s', (list, server) => {
    expect(via(server, list)).toBe(proxy);
  });
});

describe('checkProxyUrl', () => {
  it.each(['socks5://bob:hunter22@proxy:1080', 'http://bob:hunter22@', 'bob:hunter22@proxy', 'hunter22', 'ftp://a'])(
    'refuses %s without showing a password',
    (url) => {
      // The whole message, without the password.
      expect(() => checkProxyUrl(url, 'cluster "a"')).toThrow(/^cluster "a": cannot use the proxy: ((?!hunter22).)+$/);
    },
  );

  it('accepts HTTP proxies', () => {
    expect(checkProxyUrl('https://bob:hunter22@proxy', 'x')).toBe('https://bob:hunter22@proxy');
  });
});
