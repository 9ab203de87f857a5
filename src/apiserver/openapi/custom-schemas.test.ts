import { expect, it } from 'vitest';
import { customSchemas } from './custom-schemas.js';

const schema = {
  type: 'object',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer', default: 2 },
        port: { 'x-kubernetes-int-or-string': true },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        name: { type: 'string', nullable: true, pattern: '^a' },
        part: { type: 'object', 'x-kubernetes-embedded-resource': true },
        map: { type: 'object', additionalProperties: { type: 'string', default: 'x' } },
      },
    },
  },
};
const kind = { group: 'stable.example.com', version: 'v1', kind: 'Widget', listKind: 'WidgetList', schema };

function specOf(openApi: 2 | 3): Record<string, unknown> {
  const [[, widget] = []] = customSchemas(kind, openApi);
  return (widget as unknown as typeof schema).properties.spec.properties;
}

it('name a custom kind by its reversed group, and its list', () => {
  expect(customSchemas(kind, 3).map(([name]) => name)).toEqual([
    'com.example.stable.v1.Widget',
    'com.example.stable.v1.WidgetList',
  ]);
});

it('write out in OpenAPI 3 what a structural schema implies', () => {
  const [[, widget] = []] = customSchemas(kind, 3);
  expect(Object.keys(widget?.['properties'] as object)).toEqual(['spec', 'apiVersion', 'kind', 'metadata']);
  expect(specOf(3)).toMatchObject({
    size: { default: 2 },
    port: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
    part: { required: ['kind', 'apiVersion'], properties: { kind: { type: 'string' } } },
  });
});

it('leave out in OpenAPI 2 what it has no words for', () => {
  expect(specOf(2)).toEqual({
    size: { type: 'integer' },
    port: { 'x-kubernetes-int-or-string': true },
    free: { 'x-kubernetes-preserve-unknown-fields': true },
    name: { pattern: '^a' },
    part: { type: 'object', 'x-kubernetes-embedded-resource': true },
    map: { type: 'object', additionalProperties: { type: 'string' } },
  });
  const open = { ...schema, 'x-kubernetes-preserve-unknown-fields': true };
  const [[, widget] = []] = customSchemas({ ...kind, schema: open }, 2);
  expect(widget).toEqual({
    type: 'object',
    'x-kubernetes-group-version-kind': [{ group: 'stable.example.com', kind: 'Widget', version: 'v1' }],
  });
});
