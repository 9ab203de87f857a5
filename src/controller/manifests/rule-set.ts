import type { DeepReadonly } from '../../meta/objects.js';
import type { PolicyRule } from '../../resources/types/rbac-v1.js';

/** One right: a verb on a resource or on a path. */
export interface Right {
  readonly verb: string;
  /** `''` for the core group; undefined for a path. */
  readonly group?: string | undefined;
  /** With its subresource: `websites/status`. Undefined for a path. */
  readonly resource?: string | undefined;
  /** A single object. @default all */
  readonly name?: string | undefined;
  readonly path?: string | undefined;
}

/** Rights without duplicates, and the rules that grant them in as few lines as possible. */
export class RuleSet implements Iterable<Right> {
  readonly #rights = new Map<string, Right>();

  get size(): number {
    return this.#rights.size;
  }

  [Symbol.iterator](): IterableIterator<Right> {
    return this.#rights.values();
  }

  add(right: Right): void {
    this.#rights.set(keyOf(right), right);
  }

  /** Adds what a rule grants. `*` stays what it is: a name of its own. */
  addRule(rule: DeepReadonly<PolicyRule>): void {
    const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
    for (const verb of verbs) {
      for (const path of nonResourceURLs) this.add({ verb, path });
      for (const group of apiGroups) {
        for (const resource of resources) {
          if (resourceNames.length === 0) this.add({ verb, group, resource });
          for (const name of resourceNames) this.add({ verb, group, resource, name });
        }
      }
    }
  }

  /** The rights of this set that none of the requests needed. */
  unusedBy(requests: Iterable<Right>): RuleSet {
    const unused = new RuleSet();
    const used = [...requests];
    for (const right of this) if (!used.some((wanted) => grants(right, wanted))) unused.add(right);
    return unused;
  }

  /** The rules of a Role, sorted: resources with the same verbs share one. */
  toRules(): PolicyRule[] {
    const verbsOf = new Map<string, { right: Right; verbs: Set<string> }>();
    for (const right of this) {
      const key = keyOf({ ...right, verb: '' });
      const entry = verbsOf.get(key) ?? { right, verbs: new Set() };
      verbsOf.set(key, entry);
      entry.verbs.add(right.verb);
    }
    const groups = new Map<string, { rule: PolicyRule; targets: string[] }>();
    for (const { right, verbs } of [...verbsOf.values()].sort(byTarget)) {
      const ordered = [...verbs].sort(byVerb);
      const { group, resource, name, path } = right;
      const target = path ?? resource ?? '';
      const key = JSON.stringify([group, name, path !== undefined, ordered]);
      const known = groups.get(key);
      if (known !== undefined) known.targets.push(target);
      else {
        const targets = [target];
        const rule: PolicyRule =
          path !== undefined
            ? { nonResourceURLs: targets, verbs: ordered }
            : {
                apiGroups: [group ?? ''],
                resources: targets,
                ...(name === undefined ? {} : { resourceNames: [name] }),
                verbs: ordered,
              };
        groups.set(key, { rule, targets });
      }
    }
    return [...groups.values()].map(({ rule }) => rule);
  }
}

function keyOf({ verb, group, resource, name, path }: Right): string {
  return JSON.stringify([group, resource, name, path, verb]);
}

/** As RBAC decides it: `*` stands for all, and a rule with names allows no request without a name. */
function grants(right: Right, wanted: Right): boolean {
  const is = (granted: string | undefined, asked: string | undefined): boolean => granted === '*' || granted === asked;
  if (!is(right.verb, wanted.verb)) return false;
  if (right.path !== undefined || wanted.path !== undefined) return is(right.path, wanted.path);
  return (
    is(right.group, wanted.group) &&
    (is(right.resource, wanted.resource) || right.resource === `*/${wanted.resource?.split('/')[1]}`) &&
    (right.name === undefined || right.name === wanted.name)
  );
}

type Entry = { readonly right: Right };

function byTarget({ right: a }: Entry, { right: b }: Entry): number {
  return (
    compare(a.path, b.path) || compare(a.group, b.group) || compare(a.resource, b.resource) || compare(a.name, b.name)
  );
}

/** Reading verbs first, as in hand-written roles. */
const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];

function byVerb(a: string, b: string): number {
  return rankOf(a) - rankOf(b) || compare(a, b);
}

function rankOf(verb: string): number {
  const at = VERBS.indexOf(verb);
  return at < 0 ? VERBS.length : at;
}

function compare(a = '', b = ''): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
