import { describe, expect, it } from 'vitest';
import { impersonationHeaders } from './impersonation.js';

describe('impersonationHeaders', () => {
  it('has the user, and uid, groups and extras if there are any', () => {
    expect(impersonationHeaders({ user: 'jane' })).toEqual({ 'impersonate-user': 'jane' });
    expect(impersonationHeaders({ user: 'jane', uid: '', groups: [], extra: { a: [] } })).toEqual({
      'impersonate-user': 'jane',
    });
  });

  it('has a header for every group and every value of an extra', () => {
    expect(
      impersonationHeaders({
        user: 'jane',
        uid: '42',
        groups: ['dev', 'ops'],
        extra: { 'Example.com/Scope%': ['view', 'edit'], ünit: ['a'] },
      }),
    ).toEqual({
      'impersonate-user': 'jane',
      'impersonate-uid': '42',
      'impersonate-group': ['dev', 'ops'],
      'impersonate-extra-example.com%2Fscope%25': ['view', 'edit'],
      'impersonate-extra-%C3%BCnit': ['a'],
    });
  });

  it('needs a user', () => {
    expect(() => impersonationHeaders({ user: '' })).toThrow(/impersonate\.user/);
  });
});
