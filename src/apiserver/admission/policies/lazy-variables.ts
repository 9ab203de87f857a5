import { finish } from '../../../time/steps.js';
import { CelError, type CelMap, EntryMap, type Value } from '../../cel/eval/values.js';
import { evaluateExpression, type Expression } from '../../cel/expression.js';

/** The variables of a policy for one request. Each is evaluated when an expression first reads it. */
export class LazyVariables extends EntryMap {
  readonly #expressions: ReadonlyMap<string, Expression>;
  readonly #values: ReadonlyMap<string, Value>;
  readonly #known = new Map<string, Value>();
  #cost = 0;

  /** @param values those of the request; they get this object as `variables` */
  constructor(expressions: ReadonlyMap<string, Expression>, values: Map<string, Value>) {
    super();
    this.#expressions = expressions;
    this.#values = values;
    values.set('variables', this);
  }

  /** What evaluations have cost since the last call. */
  takeCost(): number {
    const cost = this.#cost;
    this.#cost = 0;
    return cost;
  }

  override get mapSize(): number {
    return this.#expressions.size;
  }

  override keys(): readonly Value[] {
    return [...this.#expressions.keys()];
  }

  override find(key: Value): Value | undefined {
    const expression = typeof key === 'string' ? this.#expressions.get(key) : undefined;
    if (expression === undefined) return undefined;
    const name = key as string;
    let value = this.#known.get(name);
    if (value === undefined) {
      const result = finish(evaluateExpression(expression, this.#values));
      this.#cost += result.cost;
      value =
        result.value instanceof CelError
          ? new CelError(`composited variable ${JSON.stringify(name)} fails to evaluate: ${result.value.message}`)
          : result.value;
      this.#known.set(name, value);
    }
    return value;
  }

  override equalsMap(other: CelMap): boolean {
    return this === other;
  }
}
