import type { Steps } from '../../time/steps.js';
import { type Operation, type PathOperations, parameterTypes } from './operations.js';
import type { OpenApiSchema } from './schema.js';
import { referencedSchemas, type SchemaSource, withReferences } from './schema-references.js';

const PREFIX = '#/components/schemas/';
/** The reasons of status codes, which OpenAPI requires. */
export const responseDescriptions: Readonly<Record<string, string>> = {
  '200': 'OK',
  '201': 'Created',
  '202': 'Accepted',
  '401': 'Unauthorized',
};

/** The top of every document, in both versions of OpenAPI. */
export const info = { title: 'Kubernetes', version: '1.36' };

/** An OpenAPI 3.0 document of some paths, with the schemas that they refer to. */
export function* openApiV3(paths: readonly PathOperations[], schemas: SchemaSource): Steps<object> {
  const items: Record<string, object> = {};
  for (const { path, operations } of paths) {
    items[path] = pathItem(operations);
    yield;
  }
  const roots = paths.flatMap(({ operations }) => operations.flatMap(({ answer, body }) => [answer, body]));
  const found = yield* referencedSchemas(roots, schemas);
  const printed = [...found].map(([name, schema]) => [name, withReferences(schema, PREFIX)]);
  const securitySchemes = {
    BearerToken: {
      type: 'apiKey',
      description: 'Bearer Token authentication',
      name: 'authorization',
      in: 'header',
    },
  };
  return {
    openapi: '3.0.0',
    info,
    paths: items,
    components: { ...(printed.length === 0 ? {} : { schemas: Object.fromEntries(printed) }), securitySchemes },
  };
}

function pathItem(operations: readonly Operation[]): object {
  const shared = sharedParameters(operations);
  const item: Record<string, object> = {};
  for (const operation of operations) item[operation.method] = printOperation(operation, shared);
  return { ...item, ...(shared.length === 0 ? {} : { parameters: shared.map(printParameter) }) };
}

/** The parameters that all operations of a path have; OpenAPI documents them once. */
export function sharedParameters(operations: readonly Operation[]): string[] {
  const [first, ...others] = operations;
  const shared = (first?.parameters ?? []).filter((name) => others.every((other) => other.parameters.includes(name)));
  return shared.sort(byName);
}

/** Compares parameters; one in braces is part of the path, beside another one of that name. */
export function byName(a: string, b: string): number {
  const [left, right] = [bareName(a), bareName(b)];
  return left < right ? -1 : left > right ? 1 : a < b ? 1 : -1;
}

export function bareName(parameter: string): string {
  return parameter.replace(/[{}]/g, '');
}

export function isInPath(parameter: string): boolean {
  return parameter === 'name' || parameter === 'namespace' || parameter.startsWith('{');
}

function printOperation(operation: Operation, shared: readonly string[]): object {
  const { id, tag, action, kind, body, consumes } = operation;
  const own = operation.parameters.filter((name) => !shared.includes(name)).sort(byName);
  return {
    tags: [tag],
    operationId: id,
    ...(own.length === 0 ? {} : { parameters: own.map(printParameter) }),
    ...(body === undefined
      ? {}
      : { requestBody: requestBody(body, action === 'delete' || action === 'deletecollection', consumes) }),
    responses: Object.fromEntries(operation.codes.map((code) => [code, printResponse(code, operation)])),
    ...(action === undefined ? {} : { 'x-kubernetes-action': action, 'x-kubernetes-group-version-kind': kind }),
  };
}

function printParameter(parameter: string): object {
  const name = bareName(parameter);
  const schema = { type: parameterTypes[parameter] ?? 'string', uniqueItems: true };
  return isInPath(parameter) ? { name, in: 'path', required: true, schema } : { name, in: 'query', schema };
}

function requestBody(body: string, isOptional: boolean, consumes: readonly string[]): object {
  const content = contentOf(consumes, { $ref: `${PREFIX}${body}` });
  return isOptional ? { content } : { content, required: true };
}

function printResponse(code: string, { answer, produces }: Operation): object {
  const description = responseDescriptions[code];
  if (code === '401') return { description };
  const schema = answer === undefined ? { type: 'string' } : { $ref: `${PREFIX}${answer}` };
  return { description, content: contentOf(produces, schema) };
}

function contentOf(types: readonly string[], schema: OpenApiSchema): object {
  return Object.fromEntries([...types].sort().map((type) => [type, { schema }]));
}
