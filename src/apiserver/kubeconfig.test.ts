import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { writeKubeconfig } from './kubeconfig.js';

describe('writeKubeconfig', () => {
  it('writes what is needed to reach a plain server', () => {
    expect(parse(writeKubeconfig({ server: 'http://127.0.0.1:8001' }))).toEqual({
      apiVersion: 'v1',
      kind: 'Config',
      preferences: {},
      'current-context': 'kubeflect',
      clusters: [{ name: 'kubeflect', cluster: { server: 'http://127.0.0.1:8001', 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'kubeflect', user: {} }],
      contexts: [{ name: 'kubeflect', context: { cluster: 'kubeflect', user: 'kubeflect', namespace: 'default' } }],
    });
  });

  it('carries credentials and trust', () => {
    const config = parse(
      writeKubeconfig({
        server: 'https://127.0.0.1:6443',
        certificateAuthority: 'CA',
        token: 'secret',
        clientCertificate: { certificate: 'CERT', key: 'KEY' },
      }),
    );
    expect(config.clusters[0].cluster['certificate-authority-data']).toBe('Q0E=');
    expect(config.users[0].user).toEqual({
      'client-certificate-data': 'Q0VSVA==',
      'client-key-data': 'S0VZ',
      token: 'secret',
    });
  });

  it('keeps any name and token as it is', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom('no', 'Null', '1e3', 'e4', '- a', 'a: b')),
        (text) => {
          for (const version of ['1.1', '1.2'] as const) {
            const config = parse(writeKubeconfig({ server: 'http://x', name: text, namespace: text, token: text }), {
              version,
            });
            expect(config['current-context']).toBe(text);
            expect(config.contexts[0]).toEqual({ name: text, context: { cluster: text, user: text, namespace: text } });
            expect(config.users[0].user.token).toBe(text);
          }
        },
      ),
    );
  });

  it('checks its options', () => {
    expect(() => writeKubeconfig({ server: '' })).toThrow('server must be');
    expect(() => writeKubeconfig({ server: 'http://x', name: '' })).toThrow('name must be');
  });
});
