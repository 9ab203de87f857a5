import { parseLarge } from '../../codec/json/large-json.js';
import type { Steps } from '../../time/steps.js';

/** A parsed YAML text. */
export interface YamlText {
  readonly value: unknown;
  /** The keys that occur twice in a map, as messages: the last one counts. */
  readonly duplicates: readonly string[];
}

/** Reads a text as YAML 1.1, of which JSON is a part. Throws an Error with the message of kube-apiserver's parser. */
export type YamlReader = (text: string) => Steps<YamlText>;

/** Tags of YAML 1.1 that kube-apiserver reads as texts. */
const TEXTS: ReadonlySet<string> = new Set(['tag:yaml.org,2002:timestamp']);
const SEXAGESIMAL = 'TIME';

/** Loads the YAML parser unless the text is JSON, as most are. */
export async function yamlReader(text: string): Promise<YamlReader> {
  if (/^\s*[[{]/.test(text)) {
    return function* (json) {
      return { value: yield* parseLarge(json), duplicates: [] };
    };
  }
  const { LineCounter, parseDocument, visit } = await import('yaml');
  return function* (yaml) {
    yield;
    const lines = new LineCounter();
    const document = parseDocument(yaml, {
      version: '1.1',
      uniqueKeys: false,
      lineCounter: lines,
      prettyErrors: false,
      customTags: (tags) =>
        tags.filter((tag) => typeof tag === 'string' || !(TEXTS.has(tag.tag) || tag.format === SEXAGESIMAL)),
    });
    yield;
    const [error] = document.errors;
    if (error !== undefined) {
      throw new Error(
        `error converting YAML to JSON: yaml: line ${lines.linePos(error.pos[0]).line}: ${error.message}`,
      );
    }
    const duplicates: string[] = [];
    visit(document, {
      Map(_, map) {
        const seen = new Set<string>();
        for (const { key } of map.items) {
          const { value, range } = key as { value: unknown; range: [number] };
          const name = String(value);
          const line = lines.linePos(range[0]).line;
          if (seen.has(name)) duplicates.push(`line ${line}: key ${JSON.stringify(name)} already set in map`);
          seen.add(name);
        }
      },
    });
    yield;
    return { value: document.toJS(), duplicates };
  };
}
