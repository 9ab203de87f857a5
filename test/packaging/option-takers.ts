import ts from 'typescript';

/**
 * The functions that the declarations of entries export and that take options: `processQueue`, `new Client`, `Client.resolve`.
 * Found by the types of parameters.
 */
export function optionTakers(entries: readonly string[]): string[] {
  const program = ts.createProgram({
    rootNames: entries,
    options: {
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      target: ts.ScriptTarget.ES2023,
      types: [],
      noEmit: true,
    },
  });
  const checker = program.getTypeChecker();
  const found = new Set<string>();
  for (const entry of entries) {
    const module = checker.getSymbolAtLocation(program.getSourceFile(entry)!)!;
    for (const exported of checker.getExportsOfModule(module)) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      for (const declaration of symbol.declarations ?? []) {
        if (ts.isFunctionDeclaration(declaration) && takesOptions(declaration)) found.add(symbol.name);
        if (!ts.isClassDeclaration(declaration) && !ts.isInterfaceDeclaration(declaration)) continue;
        for (const member of declaration.members) {
          if (!ts.isFunctionLike(member) || isHidden(member) || !takesOptions(member)) continue;
          found.add(ts.isConstructorDeclaration(member) ? `new ${symbol.name}` : `${symbol.name}.${nameOf(member)}`);
        }
      }
    }
  }
  return [...found].sort();
}

function takesOptions(node: ts.SignatureDeclaration): boolean {
  return node.parameters.some(({ name, type }) => {
    const text = type?.getText() ?? '';
    if (text === 'ErrorOptions' || text.includes('ErrorOptions &') || text.includes('& ErrorOptions')) return false;
    return /^(options|limits|context)$/.test(name.getText()) || /Options\b|Abortable\b/.test(text);
  });
}

/** Private, protected or internal. */
function isHidden(node: ts.SignatureDeclaration): boolean {
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  const isInternal = ts.getJSDocTags(node).some(({ tagName }) => tagName.text === 'internal');
  if (isInternal || (node.name !== undefined && ts.isPrivateIdentifier(node.name))) return true;
  return (ts.getCombinedModifierFlags(node as unknown as ts.Declaration) & hidden) !== 0;
}

function nameOf(node: ts.SignatureDeclaration): string {
  return node.name === undefined ? 'call' : node.name.getText();
}
