import { afterEach, describe, expect, it } from 'vitest';
import { anonymousIdentity, InformerName, InformerNameTakenError } from './informer-name.js';

const pods = { group: '', version: 'v1', resource: 'pods' };
const deployments = { group: 'apps', version: 'v1', resource: 'deployments' };

describe('InformerName', () => {
  const made: InformerName[] = [];
  const take = (name: string) => {
    const result = new InformerName(name);
    made.push(result);
    return result;
  };
  afterEach(() => {
    for (const each of made.splice(0)) each.release();
  });

  it('[S154] is unique in the process until it is released', () => {
    const first = take('mine');
    expect(first.name).toBe('mine');
    expect(() => take('mine')).toThrow(InformerNameTakenError);
    expect(() => take('')).toThrow('name must be a string that is not empty');
    take('other');
    first.release();
    expect(take('mine').name).toBe('mine');
  });

  it('[S155] reserves each resource once', () => {
    const name = take('mine');
    expect(name.identify(pods)).toEqual({ name: 'mine', ...pods, isReserved: true });
    expect(name.identify({ ...pods }).isReserved).toBe(false);
    expect(name.identify(deployments).isReserved).toBe(true);
    expect(name.identify({ ...deployments, version: 'v2' }).isReserved).toBe(true);
    expect(anonymousIdentity(pods)).toEqual({ name: '', ...pods, isReserved: false });
  });

  it('[S156] what was reserved is so no longer after the release, and can be reserved anew', () => {
    const before = take('mine');
    const identity = before.identify(pods);
    expect(identity.isReserved).toBe(true);
    before.release();
    expect(identity.isReserved).toBe(false);
    expect(before.identify(deployments).isReserved).toBe(false);
    const after = take('mine').identify(pods);
    before.release();
    expect(after.isReserved).toBe(true);
    expect(identity.isReserved).toBe(false);
    expect(() => take('mine')).toThrow('the informer name "mine" is taken in this process');
  });

  it('can be disposed of', () => {
    {
      using name = new InformerName('mine');
      expect(name.identify(pods).isReserved).toBe(true);
    }
    expect(take('mine').name).toBe('mine');
  });
});
