import type { TlsMaterial, TlsSource } from '../../src/rest/http/connection-config.js';

/** A {@link TlsSource} whose material never changes. */
export function fixedTls(options: TlsMaterial & Pick<TlsSource, 'serverName' | 'insecureSkipVerify'>): TlsSource {
  const { serverName, insecureSkipVerify, ...material } = options;
  return { serverName, insecureSkipVerify, material: () => material };
}
