import { escapeName } from '../../../../meta/cel-names.js';
import { compileRule, type DeclType, declTypeOf, type Program } from '../../../cel/cel.js';
import { findField } from '../field-path.js';
import { hasRules, type Structural, type ValidationRule } from './structural.js';

/** A rule with its programs. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  readonly program: Program;
  readonly message: Program | undefined;
  /** What the path of its cause ends with; empty for the value itself. */
  readonly fieldPath: string;
}

/** The rules of a schema and of the schemas below it; parts without any are left out. */
export interface CompiledRules {
  readonly schema: Structural;
  readonly rules: readonly CompiledRule[];
  readonly items: CompiledRules | undefined;
  readonly values: CompiledRules | undefined;
  readonly properties: ReadonlyMap<string, CompiledRules>;
}

/** Compiles the rules of a schema that definition-rules.ts has accepted. Undefined if it has none. */
export function compileRules(schema: Structural, isRoot: boolean): CompiledRules | undefined {
  return hasRules(schema) ? compileNode(schema, declTypeOf(schema.json, isRoot)) : undefined;
}

function compileNode(schema: Structural, declared: DeclType | undefined): CompiledRules | undefined {
  if (declared === undefined || !hasRules(schema)) return undefined;
  const { items, additionalProperties } = schema;
  const properties = new Map<string, CompiledRules>();
  for (const [name, property] of schema.properties) {
    const compiled = compileNode(property, propertyType(declared, property, name));
    if (compiled !== undefined) properties.set(name, compiled);
  }
  return {
    schema,
    rules: schema.rules.flatMap((rule) => compileOne(rule, schema, declared)),
    items: items && compileNode(items, declared.element),
    values: typeof additionalProperties === 'object' ? compileNode(additionalProperties, declared.element) : undefined,
    properties,
  };
}

/** The declaration of a property. One whose name rules cannot express has none in its object. */
export function propertyType(parent: DeclType, property: Structural, name: string): DeclType | undefined {
  const escaped = escapeName(name);
  return escaped === undefined ? declTypeOf(property.json, property.isEmbedded) : parent.fields?.get(escaped);
}

function compileOne(rule: ValidationRule, schema: Structural, declared: DeclType): CompiledRule[] {
  const optionalOldSelf = rule.optionalOldSelf === true;
  const { program } = compileRule(rule.rule, declared, { optionalOldSelf });
  if (program === undefined) return [];
  const message =
    rule.messageExpression === ''
      ? undefined
      : compileRule(rule.messageExpression, declared, { optionalOldSelf, output: 'string' }).program;
  const fieldPath = rule.fieldPath === '' ? '' : findField(rule.fieldPath, schema, true).path;
  return [{ rule, program, message, fieldPath }];
}
