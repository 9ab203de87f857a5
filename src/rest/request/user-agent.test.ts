import { expect, it } from 'vitest';
import { userAgent } from './user-agent.js';

it('the User-Agent names program, version and system', () => {
  expect(userAgent({ program: 'web', version: '1.2.3-rc.1' })).toBe(
    `web/1.2.3 (${process.platform}/${process.arch}) kubeflect`,
  );
  expect(userAgent()).toMatch(/^\S+\/unknown \(.+\) kubeflect$/);
  expect(userAgent({ program: 'wéb\n' })).toMatch(/^wb\/unknown /);
});
