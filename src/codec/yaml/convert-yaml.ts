import { Composer, isAlias, isMap, isScalar, LineCounter, visit } from 'yaml';
import { yamlNumberOf } from './yaml-numbers.js';
import { YamlDepthError, yamlTokens } from './yaml-tokens.js';

/** A YAML text as JSON. */
export interface YamlAsJson {
  /** With sorted keys, as kube-apiserver converts it. */
  readonly json: string;
  /** The keys that occur twice in a map, as `line 5: key "a" already set in map`; the last one counts. */
  readonly duplicates: readonly string[];
}

/** The result of a conversion: an error is its message. */
export type Converted = YamlAsJson | { readonly error: string };

/** The most aliases that a document may resolve to: a few lines can expand to gigabytes. */
const MAX_ALIASES = 10_000;

/** Converts the first document of a text. */
export function convertYaml(text: string): Converted {
  const lines = new LineCounter();
  try {
    const composer = new Composer({
      version: '1.1',
      uniqueKeys: false,
      merge: true,
      // Dates and sexagesimal numbers stay texts.
      customTags: (tags) => {
        // The parser would read `e0` as a number too.
        const number = {
          identify: () => false,
          default: true as const,
          tag: 'tag:yaml.org,2002:float',
          test: /^[-+.0-9eE]/,
          resolve: (source: string) => yamlNumberOf(source) ?? source,
        };
        return [
          number,
          ...tags.filter(
            (tag) => typeof tag === 'string' || !(tag.tag.endsWith(':timestamp') || tag.format === 'TIME'),
          ),
        ];
      },
    });
    const [document] = composer.compose(yamlTokens(text, lines));
    if (document === undefined) return { json: 'null', duplicates: [] };
    const [error] = document.errors;
    if (error !== undefined) {
      const said: Record<string, string> = {
        BAD_INDENT: 'did not find expected key',
        BLOCK_AS_IMPLICIT_KEY: 'mapping values are not allowed in this context',
        MULTILINE_IMPLICIT_KEY: 'mapping values are not allowed in this context',
        MISSING_CHAR: 'did not find expected node content',
        TAB_AS_INDENT: 'found character that cannot start any token',
        UNEXPECTED_TOKEN: 'did not find expected node content',
      };
      const { line } = lines.linePos(Math.max(0, Math.min(error.pos[0], text.trimEnd().length - 1)));
      // A flow collection that ends after a value lacks its bracket, otherwise a value.
      const open = /must.* end with a (.)/.exec(error.message)?.[1];
      const isComplete = open !== undefined && !/[[{,:]\s*$/.test(text);
      const missing = isComplete ? `did not find expected ',' or '${open}'` : 'did not find expected node content';
      const problem = open === undefined ? (said[error.code] ?? error.message) : missing;
      return { error: `yaml: line ${line}: ${problem}` };
    }
    const duplicates: string[] = [];
    visit(document, {
      Map(_key, map) {
        const seen = new Set<string>();
        for (const { key } of map.items) {
          if (!isScalar(key)) continue;
          const name = String(key.value);
          const { line } = lines.linePos(key.range?.[0] ?? 0);
          if (seen.has(name)) duplicates.push(`line ${line}: key ${JSON.stringify(name)} already set in map`);
          seen.add(name);
        }
      },
    });
    let wrongKey: string | undefined;
    visit(document, {
      Pair(_key, { key }) {
        if (isMap(key)) wrongKey = 'map[interface {}]interface {}';
        else if (key !== null && !isScalar(key) && !isAlias(key)) wrongKey = '[]interface {}';
      },
    });
    if (wrongKey !== undefined) return { error: `unsupported map key of type: ${wrongKey}` };
    let unsupported: string | undefined;
    const sorted = (value: unknown): unknown => {
      if (typeof value === 'number' && !Number.isFinite(value)) {
        unsupported = Number.isNaN(value) ? 'NaN' : value < 0 ? '-Inf' : '+Inf';
      }
      if (Array.isArray(value)) return value.map(sorted);
      if (typeof value === 'bigint') return Number(value);
      if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
      if (value instanceof Set) return Object.fromEntries([...value].sort().map((item) => [String(item), null]));
      if (value === null || typeof value !== 'object') return value;
      const entries = value instanceof Map ? [...value] : Object.entries(value);
      const named = entries.map(([name, item]) => [String(name), sorted(item)] as [string, unknown]);
      return Object.fromEntries(named.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
    };
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES, mapAsMap: true });
    const json = JSON.stringify(sorted(value) ?? null);
    return unsupported === undefined ? { json, duplicates } : { error: `json: unsupported value: ${unsupported}` };
  } catch (error) {
    if (error instanceof YamlDepthError) return { error: `yaml: ${error.message}` };
    // The parser gives up on too many aliases, on aliases in aliases that exhaust the stack, and on wrong merge keys.
    if (error instanceof ReferenceError) {
      const anchor = /^Unresolved alias .*: (.*)$/.exec(error.message)?.[1];
      if (anchor !== undefined) return { error: `yaml: unknown anchor '${anchor}' referenced` };
      return { error: 'yaml: document contains excessive aliasing' };
    }
    if (error instanceof RangeError) return { error: 'yaml: exceeded max depth of 10000' };
    return { error: 'yaml: map merge requires map or sequence of maps as the value' };
  }
}
