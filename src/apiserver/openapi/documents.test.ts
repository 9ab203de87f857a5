import { describe, expect, it } from 'vitest';
import { builtinResources } from '../../resources/catalogue.js';
import { finish } from '../../time/steps.js';
import { builtInResources } from '../resources/built-in-resources.js';
import { Registry } from '../resources/registry.js';
import { Storage } from '../storage/storage.js';
import { builtInSchema, typeOfKind } from './built-in-schemas.js';
import { OpenApiDocuments } from './documents.js';

interface Document {
  paths: Record<string, Record<string, { operationId: string; parameters?: { name: string }[] }>>;
  components: { schemas: Record<string, object> };
  definitions: Record<string, object>;
}

function documents(): OpenApiDocuments {
  const registry = new Registry();
  for (const resource of builtInResources(new Storage({ historyLimit: 10, firstVersion: 1 }))) registry.add(resource);
  return new OpenApiDocuments(registry);
}

function parsed(body: Uint8Array | undefined): Document {
  return JSON.parse(Buffer.from(body!).toString());
}

function references(value: unknown): string[] {
  return [...JSON.stringify(value).matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference!);
}

describe('the documents of OpenAPI', () => {
  it('have a schema for each built-in kind and its list', () => {
    for (const { group, version, kind, verbs } of builtinResources) {
      const gvk = { 'x-kubernetes-group-version-kind': [{ group, kind, version }] };
      expect(builtInSchema(typeOfKind(group, version, kind)!)).toMatchObject(gvk);
      if (verbs.includes('list')) expect(builtInSchema(typeOfKind(group, version, `${kind}List`)!)).toBeDefined();
    }
  });

  it('contain what they refer to', () => {
    const all = documents();
    const index = parsed(finish(all.index()));
    for (const path of Object.keys(index.paths)) {
      const document = parsed(finish(all.v3(path))?.body);
      for (const reference of references(document)) {
        expect(document.components.schemas).toHaveProperty([reference.replace('#/components/schemas/', '')]);
      }
    }
    const v2 = parsed(finish(all.v2()).body);
    for (const reference of references(v2)) {
      expect(v2).toHaveProperty(reference.slice(2).split('/'));
    }
  });

  it('name in the index the hash of each document', () => {
    const all = documents();
    const index = JSON.parse(Buffer.from(finish(all.index())).toString());
    expect(index.paths['apis/apps/v1']).toEqual({
      serverRelativeURL: `/openapi/v3/apis/apps/v1?hash=${finish(all.v3('apis/apps/v1'))?.etag}`,
    });
    expect(finish(all.v3('apis/absent/v1'))).toBeUndefined();
  });

  it('declare on each patch the parameters that kubectl looks for', () => {
    const { paths } = parsed(finish(documents().v3('apis/apps/v1'))?.body);
    const patch = paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}']?.['patch'];
    expect(patch?.operationId).toBe('patchAppsV1NamespacedDeployment');
    expect(patch?.parameters?.map(({ name }) => name)).toEqual(['dryRun', 'fieldManager', 'fieldValidation', 'force']);
  });

  it('have different operation ids', () => {
    const { paths } = parsed(finish(documents().v2()).body);
    const ids = Object.values(paths).flatMap((item) =>
      Object.values(item).flatMap(({ operationId }) => operationId ?? []),
    );
    expect(ids.length).toBeGreaterThan(800);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
