import { KubeflectError } from '../errors.js';
import { checkOptions, type OptionNames } from '../known-options.js';
import type { DeepReadonly, LabelSelector } from '../objects.js';
import { printCauses } from '../status.js';
import {
  type LabelOperator,
  type LabelRequirement,
  labelRequirementCauses,
  labelRequirementHolds,
  printLabelRequirement,
} from './label-requirement.js';
import { parseLabelRequirements } from './label-selector-parser.js';

/** A label selector ready for use: all of its requirements must hold. Immutable. */
export class ParsedLabelSelector {
  /** Selects every object. */
  static readonly everything: ParsedLabelSelector = new ParsedLabelSelector([]);
  /**
   * Selects no object; what an absent selector means inside of objects. It is made of two requirements that exclude each
   * other, so that it still selects nothing when it travels as text.
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

  /** @internal Of requirements that have been checked. */
  static of(requirements: readonly LabelRequirement[]): ParsedLabelSelector {
    if (requirements.length === 0) return ParsedLabelSelector.everything;
    return new ParsedLabelSelector([...requirements].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)));
  }

  /** Whether every object is selected, whatever its labels. */
  get matchesEverything(): boolean {
    return this.requirements.length === 0;
  }

  /** Whether this is {@link ParsedLabelSelector.nothing}: there is no need to look at any object. */
  get matchesNothing(): boolean {
    return this === ParsedLabelSelector.nothing;
  }

  matches(labels: Readonly<Record<string, string>> | ((key: string) => string | undefined) | undefined): boolean {
    for (const requirement of this.requirements) {
      const value = typeof labels === 'function' ? labels(requirement.key) : labels?.[requirement.key];
      // What plain objects inherit (`constructor`, `toString`) is never a string, so it is no label.
      if (!labelRequirementHolds(requirement, typeof value === 'string' ? value : undefined)) return false;
    }
    return true;
  }

  /** The only value that a label of a selected object can have; undefined when there are more or none. */
  exactValue(key: string): string | undefined {
    for (const { key: candidate, operator, values } of this.requirements) {
      if (candidate !== key || values.length !== 1) continue;
      if (operator === '=' || operator === '==' || operator === 'in') return values[0];
    }
    return undefined;
  }

  /** Selects what both select. */
  and(other: ParsedLabelSelector): ParsedLabelSelector {
    if (this.matchesNothing || other.matchesNothing) return ParsedLabelSelector.nothing;
    return ParsedLabelSelector.of([...this.requirements, ...other.requirements]);
  }

  /** As a request carries it; it parses back to a selector of the same requirements. */
  toString(): string {
    return this.requirements.map(printLabelRequirement).join(',');
  }
}

/**
 * Parses the text form: `app=web,tier!=cache,env in (a,b),!canary,rank>3`. An empty text selects everything.
 *
 * @throws ParseError with the position, and the reason in a server's words.
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

/** A selector as objects hold it (`matchLabels`, `matchExpressions`). An empty one selects everything. */
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

/** A selector in any of the forms that options take; an absent one selects everything. */
export function toLabelSelector(
  selector: string | DeepReadonly<LabelSelector> | ParsedLabelSelector | undefined,
): ParsedLabelSelector {
  if (selector === undefined) return ParsedLabelSelector.everything;
  if (typeof selector === 'string') return parseLabelSelector(selector);
  if (selector instanceof ParsedLabelSelector) return selector;
  // `{ app: 'web' }` instead of `{ matchLabels: { app: 'web' } }` would select everything.
  return labelSelectorFromObject(checkOptions('a label selector', selector as LabelSelector, selectorNames));
}
