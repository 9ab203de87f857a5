import { isJsonObject } from '../../meta/json-values.js';
import type { Steps } from '../../time/steps.js';
import { bareName, byName, info, isInPath, responseDescriptions, sharedParameters } from './openapi-v3.js';
import { type Operation, type PathOperations, parameterTypes } from './operations.js';
import type { OpenApiSchema } from './schema.js';
import { schemaName } from './schema-names.js';
import { referencedSchemas, type SchemaSource, withReferences } from './schema-references.js';

const DEFINITIONS = '#/definitions/';
const PARAMETERS = '#/parameters/';
const DELETE_OPTIONS = schemaName('meta/v1.DeleteOptions');
const PATCH = schemaName('meta/v1.Patch');

/**
 * The parameters that the document has once, by the names under which operations refer to them. Kubernetes derives the names
 * from the parameters; clients generated from its documents contain them.
 */
const SHARED_NAMES: Readonly<Record<string, string>> = Object.fromEntries(
  [
    'allowWatchBookmarks-HC2hJt-J',
    'continue-QfD61s0i',
    'fieldManager-Qy4HdaTW',
    'fieldSelector-xIcQKXFG',
    'force-tOGGb0Yi',
    'gracePeriodSeconds--K5HaBOS',
    'ignoreStoreReadErrorWithClusterBreakingPotential-QbNkfIqj',
    'labelSelector-5Zw57w4C',
    'limit-1NfNmdNH',
    'namespace-vgWSWtn3',
    'orphanDependents-uRB25kX5',
    'pretty-tJGM1-ng',
    'propagationPolicy-6jk3prlO',
    'resourceVersion-5WAnf1kx',
    'resourceVersionMatch-t8XhRHeC',
    'sendInitialEvents-rLXlEK_k',
    'shardSelector-Kgyki_3_',
    'timeoutSeconds-yvYezaOC',
    'watch-XNNPZGbK',
  ].map((name) => [name.slice(0, name.indexOf('-')), name]),
);
const DELETE_BODY = 'body-2Y1dVQaQ';
const PATCH_BODY = 'body-78PwaGsr';
const PATCH_MANAGER = 'fieldManager-7c6nTn1T';

/** The schemas that differ from those of OpenAPI 3. */
const OWN_SCHEMAS: Readonly<Record<string, OpenApiSchema>> = {
  [schemaName('resource.Quantity')]: { type: 'string' },
  [schemaName('intstr.IntOrString')]: { type: 'string', format: 'int-or-string' },
};

/** The OpenAPI 2.0 document of all paths. */
export function* openApiV2(paths: readonly PathOperations[], schemas: SchemaSource): Steps<object> {
  const items: Record<string, object> = {};
  for (const { path, operations } of paths) {
    items[path] = pathItem(operations);
    yield;
  }
  const roots = paths.flatMap(({ operations }) => operations.flatMap(({ answer, body }) => [answer, body]));
  const definitions: Record<string, OpenApiSchema> = {};
  for (const [name, schema] of yield* referencedSchemas(roots, schemas)) {
    definitions[name] = withReferences(OWN_SCHEMAS[name] ?? (downgraded(schema) as OpenApiSchema), DEFINITIONS);
    yield;
  }
  return {
    swagger: '2.0',
    info,
    paths: items,
    definitions,
    parameters: sharedDefinitions(),
    securityDefinitions: {
      BearerToken: {
        description: 'Bearer Token authentication',
        type: 'apiKey',
        name: 'authorization',
        in: 'header',
      },
    },
    security: [{ BearerToken: [] }],
  };
}

/** A schema without defaults, and with plain references. */
function downgraded(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(downgraded);
  if (!isJsonObject(schema)) return schema;
  const { default: _, allOf, properties, ...rest } = schema;
  const copy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(rest)) copy[name] = downgraded(value);
  if (isJsonObject(properties)) {
    copy['properties'] = Object.fromEntries(
      Object.entries(properties).map(([name, value]) => [name, downgraded(value)]),
    );
  }
  return Array.isArray(allOf) ? { ...copy, ...(allOf[0] as object) } : copy;
}

function sharedDefinitions(): Record<string, object> {
  const shared: [string, object][] = Object.entries(SHARED_NAMES).map(([name, key]) => [key, printParameter(name)]);
  const body = (name: string): object => ({ $ref: `${DEFINITIONS}${name}` });
  shared.push([DELETE_BODY, { name: 'body', in: 'body', schema: body(DELETE_OPTIONS) }]);
  shared.push([PATCH_BODY, { name: 'body', in: 'body', required: true, schema: body(PATCH) }]);
  shared.push([PATCH_MANAGER, printParameter('fieldManager')]);
  return Object.fromEntries(shared.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function pathItem(operations: readonly Operation[]): object {
  const shared = sharedParameters(operations);
  const item: Record<string, object> = {};
  for (const operation of operations) item[operation.method] = printOperation(operation, shared);
  return { ...item, ...(shared.length === 0 ? {} : { parameters: shared.map((name) => referenceTo(name, false)) }) };
}

function printOperation(operation: Operation, shared: readonly string[]): object {
  const { id, tag, action, kind, body, consumes, produces, method } = operation;
  const own = operation.parameters.filter((name) => !shared.includes(name)).sort(byName);
  const parameters = [
    ...(body === undefined ? [] : [bodyParameter(body)]),
    ...own.map((name) => referenceTo(name, method === 'patch')),
  ];
  return {
    ...(consumes.length === 0 ? {} : { consumes }),
    produces,
    schemes: ['https'],
    tags: [tag],
    operationId: id,
    ...(parameters.length === 0 ? {} : { parameters }),
    responses: Object.fromEntries(operation.codes.map((code) => [code, printResponse(code, operation)])),
    ...(action === undefined ? {} : { 'x-kubernetes-action': action, 'x-kubernetes-group-version-kind': kind }),
  };
}

function bodyParameter(body: string): object {
  if (body === DELETE_OPTIONS) return { $ref: `${PARAMETERS}${DELETE_BODY}` };
  if (body === PATCH) return { $ref: `${PARAMETERS}${PATCH_BODY}` };
  return { name: 'body', in: 'body', required: true, schema: { $ref: `${DEFINITIONS}${body}` } };
}

function referenceTo(parameter: string, isPatch: boolean): object {
  const key = isPatch && parameter === 'fieldManager' ? PATCH_MANAGER : SHARED_NAMES[parameter];
  return key === undefined ? printParameter(parameter) : { $ref: `${PARAMETERS}${key}` };
}

function printParameter(parameter: string): object {
  const typed = { uniqueItems: true, type: parameterTypes[parameter] ?? 'string', name: bareName(parameter) };
  return isInPath(parameter) ? { ...typed, in: 'path', required: true } : { ...typed, in: 'query' };
}

function printResponse(code: string, { answer }: Operation): object {
  const description = responseDescriptions[code];
  if (code === '401') return { description };
  return { description, schema: answer === undefined ? { type: 'string' } : { $ref: `${DEFINITIONS}${answer}` } };
}
