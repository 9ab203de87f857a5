/** An OpenAPI schema. `$ref` has the name of a schema; documents put `#/components/schemas/` or `#/definitions/` before it. */
export type OpenApiSchema = Readonly<Record<string, unknown>>;
