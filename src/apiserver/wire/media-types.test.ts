import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bodyFormat, negotiate, negotiateDiscovery, patchFormat, patchMediaTypes } from './media-types.js';

const ALL = ['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList'] as const;
const KUBECTL_TABLE =
  'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json';
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

describe('negotiate', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['*/*', undefined],
    ['*', undefined],
    ['application/*', undefined],
    ['application/json', undefined],
    ['application/json;stream=watch', undefined],
    ['application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1,*/*', undefined],
    [KUBECTL_TABLE, 'Table'],
    ['application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1', 'PartialObjectMetadataList'],
    ['application/json; as=PartialObjectMetadata ; g=meta.k8s.io; v=v1', 'PartialObjectMetadata'],
    ['application/json;q=0.5, application/json;as=Table;g=meta.k8s.io;v=v1;q=0.9', 'Table'],
    ['application/json;as=Table;g=meta.k8s.io;v=v1;q=0.1, */*', undefined],
    ['*/*, application/json;as=Table;g=meta.k8s.io;v=v1', 'Table'],
  ])('%s', (accept, transform) => {
    expect(negotiate(accept, ALL)).toMatchObject({ transform, contentType: 'application/json' });
  });

  it.each([
    'text/html',
    'application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1',
    'application/json;stream=other',
    'application/json;as=Table;g=meta.k8s.io;v=v2',
    'application/json;as=Table;g=other;v=v1',
    'application/json;as=Unknown;g=meta.k8s.io;v=v1',
    'application/json;as=Table',
    AGGREGATED,
  ])('cannot answer %s', (accept) => {
    expect(negotiate(accept, ALL)).toBeUndefined();
  });

  it('picks protobuf, but not for custom resources that are not transformed', () => {
    const typed = 'application/vnd.kubernetes.protobuf,application/json';
    const metadata = 'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';
    expect(negotiate(typed, ALL)).toMatchObject({ format: 'protobuf', transform: undefined });
    expect(negotiate(typed, ALL, true)).toMatchObject({ format: 'json' });
    expect(negotiate('application/vnd.kubernetes.protobuf', ALL, true)).toBeUndefined();
    expect(negotiate(metadata, ALL, true)).toMatchObject({ format: 'protobuf', transform: 'PartialObjectMetadata' });
  });

  it('answers application/yaml, but not in watches', () => {
    expect(negotiate('application/yaml', ALL)).toMatchObject({ format: 'yaml', contentType: 'application/yaml' });
    expect(negotiate('application/yaml', ALL, false, false)).toBeUndefined();
  });

  it('passes over a transform that the endpoint does not have', () => {
    expect(negotiate(KUBECTL_TABLE, ['PartialObjectMetadata'])).toMatchObject({ transform: undefined });
    expect(negotiate('application/json;as=Table;g=meta.k8s.io;v=v1', [])).toBeUndefined();
  });

  it('says which version of the transform was asked for', () => {
    expect(negotiate('application/json;as=Table;g=meta.k8s.io;v=v1beta1', ALL)?.apiVersion).toBe('meta.k8s.io/v1beta1');
  });

  it('reads any header', () => {
    fc.assert(fc.property(fc.string(), (header) => void negotiate(header, ALL)));
  });
});

describe('negotiateDiscovery', () => {
  it('prefers the aggregated document and says so in the content type', () => {
    const kubectl = `application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList;profile=nopeer,${AGGREGATED},application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json`;
    expect(negotiateDiscovery(kubectl)).toEqual({
      format: 'json',
      transform: 'APIGroupDiscoveryList',
      apiVersion: 'apidiscovery.k8s.io/v2',
      contentType: AGGREGATED,
    });
    expect(negotiateDiscovery(`application/json,${AGGREGATED};q=0.1`)?.contentType).toBe(AGGREGATED);
  });

  it('gives the old document to other clients, and none to clients that accept neither', () => {
    expect(negotiateDiscovery(undefined)?.contentType).toBe('application/json');
    expect(negotiateDiscovery('*/*')?.contentType).toBe('application/json');
    expect(
      negotiateDiscovery('application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList'),
    ).toBeUndefined();
  });
});

describe('bodies', () => {
  it('are JSON with or without parameters, and without a Content-Type', () => {
    for (const type of [undefined, '', 'application/json', 'application/json; charset=utf-8', 'Application/JSON'])
      expect(bodyFormat(type)).toBe('json');
    expect(bodyFormat('application/yaml; charset=utf-8')).toBe('yaml');
    expect(bodyFormat('application/vnd.kubernetes.protobuf')).toBe('protobuf');
    for (const type of ['application/x-yaml', 'text/plain', 'application/jsonx'])
      expect(bodyFormat(type)).toBeUndefined();
  });

  it('of patches have one of the formats that the resource allows', () => {
    const custom = ['json', 'merge'] as const;
    expect(patchFormat('application/json-patch+json; charset=utf-8', custom)).toBe('json');
    expect(patchFormat('application/merge-patch+json', custom)).toBe('merge');
    expect(patchFormat('application/strategic-merge-patch+json', custom)).toBeUndefined();
    expect(patchFormat('application/strategic-merge-patch+json', ['strategic'])).toBe('strategic');
    expect(patchFormat(undefined, custom)).toBeUndefined();
    expect(patchMediaTypes(custom)).toEqual(['application/json-patch+json', 'application/merge-patch+json']);
  });
});
