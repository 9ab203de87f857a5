import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPathSegmentName, parseRequestInfo, queryFlag, type ResourceRequestInfo } from './request-info.js';

function resource(method: string, target: string): ResourceRequestInfo {
  const info = parseRequestInfo(method, target);
  if (info?.isResourceRequest !== true) throw new Error(`${method} ${target} is no resource request`);
  return info;
}

/** verb group/version resource/subresource namespace/name, so that a case is one line. */
function summary(method: string, target: string): string {
  const i = resource(method, target);
  return `${i.verb} ${i.group}/${i.version} ${i.resource}/${i.subresource} ${i.namespace}/${i.name}`;
}

describe('parseRequestInfo', () => {
  it.each([
    ['GET', '/api/v1/pods', 'list /v1 pods/ /'],
    ['GET', '/api/v1/pods?watch=true', 'watch /v1 pods/ /'],
    ['GET', '/api/v1/pods?watch=', 'watch /v1 pods/ /'],
    ['GET', '/api/v1/pods?watch=0', 'list /v1 pods/ /'],
    ['GET', '/api/v1/pods?watch=False', 'list /v1 pods/ /'],
    ['HEAD', '/api/v1/namespaces/a/pods/b', 'get /v1 pods/ a/b'],
    ['POST', '/api/v1/namespaces/a/pods', 'create /v1 pods/ a/'],
    ['POST', '/api/v1/namespaces/a/pods/b/binding', 'create /v1 pods/binding a/b'],
    ['PUT', '/apis/apps/v1/namespaces/a/deployments/b/scale', 'update apps/v1 deployments/scale a/b'],
    ['PATCH', '/apis/apps/v1/namespaces/a/deployments/b', 'patch apps/v1 deployments/ a/b'],
    ['DELETE', '/api/v1/namespaces/a/pods/b', 'delete /v1 pods/ a/b'],
    ['DELETE', '/api/v1/namespaces/a/pods', 'deletecollection /v1 pods/ a/'],
    ['GET', '/api/v1/namespaces', 'list /v1 namespaces/ /'],
    ['GET', '/api/v1/namespaces/a', 'get /v1 namespaces/ a/a'],
    ['PUT', '/api/v1/namespaces/a/status', 'update /v1 namespaces/status a/a'],
    ['PUT', '/api/v1/namespaces/a/finalize', 'update /v1 namespaces/finalize a/a'],
    ['GET', '/api/v1/namespaces/status', 'get /v1 namespaces/ status/status'],
    ['GET', '/api/v1/watch/pods', 'watch /v1 pods/ /'],
    ['GET', '/api/v1/watch/namespaces/a/pods/b', 'watch /v1 pods/ a/b'],
    ['GET', '/apis/apps/v1/watch/deployments', 'watch apps/v1 deployments/ /'],
    ['POST', '/api/v1/watch/pods', ' /v1 pods/ /'],
    ['OPTIONS', '/api/v1/pods', ' /v1 pods/ /'],
    ['GET', '/api/v1/pods/', 'list /v1 pods/ /'],
    ['GET', 'http://127.0.0.1:8001/api/v1/pods?watch=1', 'watch /v1 pods/ /'],
    [
      'GET',
      '/apis/rbac.authorization.k8s.io/v1/clusterroles/a%3Ab',
      'get rbac.authorization.k8s.io/v1 clusterroles/ /a:b',
    ],
  ])('%s %s', (method, target, expected) => {
    expect(summary(method, target)).toBe(expected);
  });

  it.each(['/', '/api', '/api/v1', '/apis', '/apis/apps', '/apis/apps/v1', '/version', '/readyz', '/other/v1/pods/a'])(
    'says that %s is no resource',
    (target) => {
      expect(parseRequestInfo('GET', target)).toMatchObject({ isResourceRequest: false, verb: 'get', path: target });
    },
  );

  it('keeps what follows a subresource', () => {
    expect(resource('GET', '/api/v1/namespaces/a/services/b/proxy/x/y').rest).toEqual(['x', 'y']);
  });

  it('tells the legacy watch paths apart', () => {
    expect(resource('GET', '/api/v1/watch/pods').isLegacyWatch).toBe(true);
    expect(resource('GET', '/api/v1/pods?watch=1').isLegacyWatch).toBe(false);
  });

  it('finds the name a field selector narrows to', () => {
    expect(resource('GET', '/api/v1/pods?fieldSelector=metadata.name%3Da').selectedName).toBe('a');
    expect(resource('GET', '/api/v1/pods?fieldSelector=x=y,metadata.name==a').selectedName).toBe('a');
    expect(resource('GET', '/api/v1/pods?fieldSelector=metadata.name!=a').selectedName).toBe('');
    expect(resource('GET', '/api/v1/pods?fieldSelector=metadata.name=..').selectedName).toBe('');
    expect(resource('GET', '/api/v1/pods/b?fieldSelector=metadata.name=a').selectedName).toBe('');
  });

  it('does not resolve dot segments and divides at encoded slashes', () => {
    expect(summary('GET', '/api/v1/namespaces/a/pods/..')).toBe('get /v1 pods/ a/..');
    expect(summary('GET', '/api/v1/namespaces/a/pods/b%2Fstatus')).toBe('get /v1 pods/status a/b');
    expect(resource('GET', '/api/v1//pods').resource).toBe('');
    expect(parseRequestInfo('GET', '//api/v1/pods')?.isResourceRequest).toBe(false);
    expect(summary('GET', '/api/v1/namespaces/a/pods/%00')).toBe('get /v1 pods/ a/\0');
    expect(summary('GET', '/api/v1/namespaces/a/pods/%ff')).toBe('get /v1 pods/ a/\ufffd');
  });

  it.each(['pods', '/api/v1/pods/%zz', '/api/v1/pods/%', '*', ''])('refuses %s', (target) => {
    expect(parseRequestInfo('GET', target)).toBeUndefined();
  });

  it('never throws, and reads back the paths it is given', () => {
    const segment = fc.stringMatching(/^[a-z0-9][a-z0-9.:-]{0,8}$/).filter((s) => s !== 'watch' && s !== 'namespaces');
    fc.assert(
      fc.property(segment, segment, segment, segment, segment, (group, version, namespace, plural, name) => {
        fc.pre(!['status', 'finalize'].includes(plural));
        const path = ['apis', group, version, 'namespaces', namespace, plural, name].map(encodeURIComponent).join('/');
        expect(resource('GET', `/${path}`)).toMatchObject({
          verb: 'get',
          group,
          version,
          namespace,
          resource: plural,
          name,
        });
      }),
    );
    fc.assert(fc.property(fc.string(), fc.string(), (method, target) => void parseRequestInfo(method, `/${target}`)));
  });
});

describe('queryFlag', () => {
  it('takes the first of several values and is false when there is none', () => {
    expect(queryFlag(new URLSearchParams('a=false&a=true'), 'a')).toBe(false);
    expect(queryFlag(new URLSearchParams('a=yes'), 'a')).toBe(true);
    expect(queryFlag(new URLSearchParams(''), 'a')).toBe(false);
  });
});

describe('isPathSegmentName', () => {
  it.each(['.', '..', 'a/b', 'a%b'])('refuses %s', (name) => expect(isPathSegmentName(name)).toBe(false));
  it('accepts a name', () => expect(isPathSegmentName('a:b.c')).toBe(true));
});
