import { KubeflectError } from '../../meta/errors/errors.js';

/** An object of a manifest. */
export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  /** Undefined for cluster-scoped objects. */
  readonly namespace: string | undefined;
  readonly name: string;
}

/** Where an object of a manifest was written. */
export interface ManifestPlace {
  /** The file; undefined for a text, and for objects. */
  readonly file: string | undefined;
  /** The number of the document in its file or text, or of the object in its array, from 1. */
  readonly document: number;
  /** The line of the document, or of the mistake in it; undefined for objects. */
  readonly line: number | undefined;
  /** The number of the item, from 1, if the document is a List. */
  readonly item: number | undefined;
}

/** What is wrong with one object of a manifest. */
export interface ManifestProblem {
  readonly place: ManifestPlace;
  /** Undefined if the document could not be read. */
  readonly object: ObjectReference | undefined;
  /** Why: a StatusError if the server refused it. */
  readonly error: Error;
}

/** The most problems that a message lists. */
const MOST_SHOWN = 20;

/** Objects of a manifest could not be read, applied, deleted, compared or waited for. The others were. */
export class ManifestError extends KubeflectError {
  static {
    ManifestError.prototype.name = 'ManifestError';
  }

  /** In the order of the manifest. */
  readonly problems: readonly ManifestProblem[];

  constructor(what: string, problems: readonly ManifestProblem[]) {
    const shown = problems.slice(0, MOST_SHOWN).map((problem) => `\n  ${describeProblem(problem)}`);
    const more = problems.length > MOST_SHOWN ? `\n  and ${problems.length - MOST_SHOWN} more` : '';
    super('MANIFEST', `${what}:${shown.join('')}${more}`, { cause: problems[0]?.error });
    this.problems = problems;
  }
}

function describeProblem({ place, object, error }: ManifestProblem): string {
  const named = object === undefined ? '' : `: ${printReference(object)}`;
  return `${printPlace(place)}${named}: ${error.message}`;
}

/** As `deploy.yaml, document 2 (line 14), item 3`, or `object 2`. */
export function printPlace({ file, document, line, item }: ManifestPlace): string {
  const where = line === undefined ? `object ${document}` : `document ${document} (line ${line})`;
  return `${file === undefined ? '' : `${file}, `}${where}${item === undefined ? '' : `, item ${item}`}`;
}

/** As `Deployment web/api`, or `Namespace web`. */
export function printReference({ kind, namespace, name }: ObjectReference): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}
