import { KubeflectError } from '../errors/errors.js';
import { printCauses } from '../errors/status.js';
import type { DeepReadonly, LabelSelector } from '../objects.js';
import { checkOptions, type OptionNames } from '../options/known-options.js';
import {
  type LabelOperator,
  type LabelRequirement,
  labelRequirementCauses,
  labelRequirementHolds,
  printLabelRequirement,
} from './label-requirement.js';
import { parseLabelRequirements } from './label-selector-parser.js';

/** A parsed label selector: all of its requirements must hold. Immutable. */
export class ParsedLabelSelector {
  /** Selects every object. */
  static readonly everything: ParsedLabelSelector = new ParsedLabelSelector([]);
  /**
   * Selects no object: the meaning of an absent selector in the spec of an object. Its two requirements exclude each other,
   * so that its text form selects nothing either.
   */
  static readonly nothing: ParsedLabelSelector = new ParsedLabelSelector([
    { key: 'kubeflect/nothing', operator: 'exists', values: [] },
    { key: 'kubeflect/nothing', operator: '!', values: [] },
  ]);

  /** @internal Sorted by key. */
  readonly requirements: readonly LabelRequirement[];

  private constructor(requirements: readonly LabelRequirement[]) {
    this.requirements = requirements;
  }

  /** @internal Makes a selector of valid requirements. */
  static of(requirements: readonly LabelRequirement[]): ParsedLabelSelector {
    if (requirements.length === 0) return ParsedLabelSelector.everything;
    return new ParsedLabelSelector([...requirements].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)));
  }

  /** Whether every object is selected. */
  get matchesEverything(): boolean {
    return this.requirements.length === 0;
  }

  /** Whether this is {@link ParsedLabelSelector.nothing}, which selects no object. */
  get matchesNothing(): boolean {
    return this === ParsedLabelSelector.nothing;
  }

  matches(labels: Readonly<Record<string, string>> | ((key: string) => string | undefined) | undefined): boolean {
    for (const requirement of this.requirements) {
      const value = typeof labels === 'function' ? labels(requirement.key) : labels?.[requirement.key];
      // Inherited properties (`constructor`, `toString`) are never strings, and so never taken for labels.
      if (!labelRequirementHolds(requirement, typeof value === 'string' ? value : undefined)) return false;
    }
    return true;
  }

  /** The value that the selector requires of a label; undefined if it allows more than one, or none. */
  exactValue(key: string): string | undefined {
    for (const { key: candidate, operator, values } of this.requirements) {
      if (candidate !== key || values.length !== 1) continue;
      if (operator === '=' || operator === '==' || operator === 'in') return values[0];
    }
    return undefined;
  }

  /** A selector of the objects that both selectors select. */
  and(other: ParsedLabelSelector): ParsedLabelSelector {
    if (this.matchesNothing || other.matchesNothing) return ParsedLabelSelector.nothing;
    return ParsedLabelSelector.of([...this.requirements, ...other.requirements]);
  }

  /** The `labelSelector` query parameter; it parses to a selector with the same requirements. */
  toString(): string {
    return this.requirements.map(printLabelRequirement).join(',');
  }
}

/**
 * Parses the text form: `app=web,tier!=cache,env in (a,b),!canary,rank>3`. An empty text selects everything.
 *
 * @throws ParseError with the position, worded as in kube-apiserver.
 */
export function parseLabelSelector(selector: string): ParsedLabelSelector {
  return ParsedLabelSelector.of(parseLabelRequirements(selector));
}

const expressionOperators: ReadonlyMap<string, LabelOperator> = new Map<string, LabelOperator>([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

/** Converts a selector in the form of specs (`matchLabels`, `matchExpressions`). An empty one selects everything. */
export function labelSelectorFromObject(selector: DeepReadonly<LabelSelector>): ParsedLabelSelector {
  const requirements: LabelRequirement[] = [];
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    requirements.push(checked({ key, operator: '=', values: [value] }));
  }
  for (const { key, operator, values } of selector.matchExpressions ?? []) {
    const known = expressionOperators.get(operator);
    if (known === undefined) {
      throw new KubeflectError('SELECTOR', `${JSON.stringify(operator)} is not a valid label selector operator`);
    }
    requirements.push(checked({ key, operator: known, values: [...new Set(values ?? [])].sort() }));
  }
  return ParsedLabelSelector.of(requirements);
}

function checked(requirement: LabelRequirement): LabelRequirement {
  const causes = labelRequirementCauses(requirement);
  if (causes.length > 0) throw new KubeflectError('SELECTOR', printCauses(causes));
  return requirement;
}

const selectorNames: OptionNames<LabelSelector> = { matchLabels: true, matchExpressions: true };

/** Converts a selector in any of the forms that options accept; an absent one selects everything. */
export function toLabelSelector(
  selector: string | DeepReadonly<LabelSelector> | ParsedLabelSelector | undefined,
): ParsedLabelSelector {
  if (selector === undefined) return ParsedLabelSelector.everything;
  if (typeof selector === 'string') return parseLabelSelector(selector);
  if (selector instanceof ParsedLabelSelector) return selector;
  // `{ app: 'web' }` instead of `{ matchLabels: { app: 'web' } }` would select everything.
  return labelSelectorFromObject(checkOptions('a label selector', selector as LabelSelector, selectorNames));
}
