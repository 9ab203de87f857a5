import { dns1123LabelErrors, dns1123SubdomainErrors } from '../../../meta/names.js';
import {
  authorizerType,
  decisionType,
  groupCheckType,
  pathCheckType,
  resourceCheckType,
} from '../check/declarations.js';
import type { CelType } from '../check/types.js';
import { CelError, noSuchOverload, type OpaqueValue, type Value } from '../eval/values.js';
import type { CelFunction } from './function.js';

/** What an expression asks about: a path, or a resource. */
export interface AccessQuestion {
  readonly verb: string;
  readonly path?: string | undefined;
  readonly group?: string | undefined;
  readonly resource?: string | undefined;
  readonly subresource?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  /** The service account to ask for instead of the user of the request. */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string } | undefined;
}

/** Answers questions of expressions. */
export type AccessOracle = (question: AccessQuestion) => { readonly allowed: boolean; readonly reason: string };

/** A check that is not complete yet: the variable `authorizer` and what its functions return. */
class AccessCheckValue implements OpaqueValue {
  constructor(
    readonly opaqueType: CelType,
    readonly oracle: AccessOracle,
    readonly question: Omit<AccessQuestion, 'verb'>,
  ) {}

  equals(other: OpaqueValue): boolean {
    return this === other;
  }

  with(opaqueType: CelType, part: Partial<AccessQuestion>): AccessCheckValue {
    return new AccessCheckValue(opaqueType, this.oracle, { ...this.question, ...part });
  }
}

class DecisionValue implements OpaqueValue {
  readonly opaqueType: CelType = decisionType;

  constructor(
    readonly allowed: boolean,
    readonly reason: string,
  ) {}

  equals(other: OpaqueValue): boolean {
    return this === other;
  }
}

/** The value of the variable `authorizer`. */
export function authorizerValue(oracle: AccessOracle): Value {
  return new AccessCheckValue(authorizerType, oracle, {});
}

/** The value of the variable `authorizer.requestResource`. */
export function resourceCheckValue(oracle: AccessOracle, question: Omit<AccessQuestion, 'verb'>): Value {
  return new AccessCheckValue(resourceCheckType, oracle, question);
}

function step(from: CelType, to: CelType, field: keyof AccessQuestion): CelFunction {
  return (target, text) =>
    target instanceof AccessCheckValue && target.opaqueType === from && typeof text === 'string'
      ? target.with(to, { [field]: text })
      : noSuchOverload;
}

/** A step whose text must not be blank. */
function filledStep(from: CelType, to: CelType, field: 'path' | 'resource'): CelFunction {
  const plain = step(from, to, field);
  return (target, text) =>
    typeof text === 'string' && text.trim() === '' ? new CelError(`${field} must not be empty`) : plain(target, text);
}

function ofDecision(read: (decision: DecisionValue) => Value): CelFunction {
  return (decision) => (decision instanceof DecisionValue ? read(decision) : noSuchOverload);
}

/** A selector limits what is asked about; roles cannot, so that the answer is the same without it. */
const selector: CelFunction = (target, text) =>
  target instanceof AccessCheckValue && target.opaqueType === resourceCheckType && typeof text === 'string'
    ? target
    : noSuchOverload;

export const authorizers: Readonly<Record<string, CelFunction>> = {
  path: filledStep(authorizerType, pathCheckType, 'path'),
  group: step(authorizerType, groupCheckType, 'group'),
  resource: filledStep(groupCheckType, resourceCheckType, 'resource'),
  subresource: step(resourceCheckType, resourceCheckType, 'subresource'),
  namespace: step(resourceCheckType, resourceCheckType, 'namespace'),
  name: step(resourceCheckType, resourceCheckType, 'name'),
  fieldSelector: selector,
  labelSelector: selector,
  serviceAccount: (target, namespace, name) => {
    if (!(target instanceof AccessCheckValue) || typeof namespace !== 'string' || typeof name !== 'string') {
      return noSuchOverload;
    }
    if (dns1123SubdomainErrors(name).length > 0) return new CelError('Invalid service account name');
    if (dns1123LabelErrors(namespace).length > 0) return new CelError('Invalid service account namespace');
    return target.with(authorizerType, { serviceAccount: { namespace, name } });
  },
  check: (target, verb) => {
    if (!(target instanceof AccessCheckValue) || typeof verb !== 'string') return noSuchOverload;
    const { allowed, reason } = target.oracle({ ...target.question, verb });
    return new DecisionValue(allowed, reason);
  },
  allowed: ofDecision(({ allowed }) => allowed),
  reason: ofDecision(({ reason }) => reason),
  errored: ofDecision(() => false),
  error: ofDecision(() => ''),
};
