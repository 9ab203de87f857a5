// Finds optional options without a documented default.
//
// Options are the exported interfaces and object types whose names end in `Options`, and those interfaces that they extend,
// generated ones aside. Each of their optional properties needs a `@default`: a value, or in
// plain English what happens without it (`@default true if the server supports it`, `@default none: every object is selected`).
import ts from 'typescript';

/** Reports every optional option that has no `@default`, or an empty one. */
export function missingDefaults(trees, report) {
  const types = trees
    .filter(({ fileName }) => !fileName.startsWith('resources/'))
    .flatMap(({ statements }) => statements.filter(isExportedType));
  const optionTypes = types.filter(({ name }) => name.text.endsWith('Options'));
  const extended = new Set(optionTypes.flatMap(parentsOf));
  for (const type of types) {
    if (!optionTypes.includes(type) && !extended.has(type.name.text)) continue;
    for (const property of propertiesOf(type)) {
      if (property.questionToken === undefined || hasDefault(property)) continue;
      report(property, `${type.name.text}.${property.name.getText()} is optional and needs a @default in its comment`);
    }
  }
}

function isExportedType(node) {
  const isType = ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node);
  return isType && (node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false);
}

/** The names of the types that an interface extends; also `Parent` in `Omit<Parent, 'name'>`. */
function parentsOf(type) {
  return (type.heritageClauses ?? []).flatMap(({ types }) =>
    types.flatMap(({ expression, typeArguments }) => [
      expression.getText(),
      ...(typeArguments ?? []).filter(ts.isTypeReferenceNode).map(({ typeName }) => typeName.getText()),
    ]),
  );
}

function propertiesOf(type) {
  if (ts.isInterfaceDeclaration(type)) return type.members;
  const parts = ts.isIntersectionTypeNode(type.type) ? type.type.types : [type.type];
  return parts.filter(ts.isTypeLiteralNode).flatMap(({ members }) => [...members]);
}

function hasDefault(property) {
  return ts
    .getJSDocTags(property)
    .some(
      ({ tagName, comment }) => tagName.text === 'default' && (ts.getTextOfJSDocComment(comment) ?? '').trim() !== '',
    );
}
