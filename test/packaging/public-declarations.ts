import ts from 'typescript';
import type { EntryPoint } from './packed-package.js';

/** The exports of all entries, from a TypeScript program. */
export class PublicDeclarations {
  readonly #checker: ts.TypeChecker;
  readonly #root: string;
  /** By the original symbol, because exports may rename it. */
  readonly #exported = new Map<ts.Symbol, string>();

  constructor(root: string, entryPoints: readonly EntryPoint[]) {
    this.#root = root;
    const program = ts.createProgram({
      rootNames: entryPoints.map(({ types }) => types),
      options: {
        module: ts.ModuleKind.NodeNext,
        moduleResolution: ts.ModuleResolutionKind.NodeNext,
        target: ts.ScriptTarget.ES2023,
        types: [],
        noEmit: true,
      },
    });
    this.#checker = program.getTypeChecker();
    for (const { types, specifier } of entryPoints) {
      const module = this.#checker.getSymbolAtLocation(program.getSourceFile(types)!)!;
      for (const symbol of this.#checker.getExportsOfModule(module)) this.#add(symbol, `${specifier}: ${symbol.name}`);
    }
  }

  /** Exports without a doc comment. */
  undocumented(): string[] {
    return [...this.#exported]
      .filter(([symbol]) => (symbol.flags & ts.SymbolFlags.ValueModule) === 0)
      .filter(([symbol]) => ts.displayPartsToString(symbol.getDocumentationComment(this.#checker)).trim() === '')
      .map(([, name]) => name);
  }

  /** Types that exports mention, but that no entry exports. */
  unnameable(): string[] {
    const found = new Map<string, string>();
    for (const [symbol, name] of this.#exported) {
      for (const declaration of symbol.declarations ?? []) {
        this.#mentions(declaration, (mentioned) => {
          const [where] = mentioned.declarations ?? [];
          const file = where?.getSourceFile();
          if (where === undefined || !file?.fileName.startsWith(this.#root)) return;
          if (this.#exported.has(mentioned) || !this.#isExportedByItsFile(where)) return;
          found.set(mentioned.name, `${mentioned.name} (${file.fileName.slice(this.#root.length + 1)}), by ${name}`);
        });
      }
    }
    return [...found.values()];
  }

  #add(symbol: ts.Symbol, name: string): void {
    const meant = symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol;
    if (this.#exported.has(meant)) return;
    this.#exported.set(meant, name);
    // `export * as coreV1`: the names in it are public too.
    if (meant.flags & ts.SymbolFlags.ValueModule) {
      for (const member of this.#checker.getExportsOfModule(meant)) this.#add(member, `${name}.${member.name}`);
    }
  }

  #mentions(node: ts.Node, report: (symbol: ts.Symbol) => void): void {
    const isPrivate =
      ts.canHaveModifiers(node) && ts.getModifiers(node)?.some((m) => m.kind === ts.SyntaxKind.PrivateKeyword);
    // Inherited members appear as own members, so that the parent type need not be exported.
    if (isPrivate || ts.isSourceFile(node) || ts.isHeritageClause(node)) return;
    const name = ts.isTypeReferenceNode(node)
      ? node.typeName
      : ts.isExpressionWithTypeArguments(node)
        ? node.expression
        : undefined;
    const symbol = name && this.#checker.getSymbolAtLocation(name);
    if (symbol !== undefined) {
      report(symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol);
    }
    ts.forEachChild(node, (child) => this.#mentions(child, report));
  }

  /** A helper type that its own file does not export need not be exported by an entry. */
  #isExportedByItsFile(declaration: ts.Declaration): boolean {
    return (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Export) !== 0;
  }
}
