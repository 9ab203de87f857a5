import { StatusError } from '../../../meta/errors/errors.js';
import { badRequest, invalid } from '../../../meta/errors/status.js';
import { valueAt } from '../../../meta/json-paths.js';
import { isJsonObject, type JsonObject } from '../../../meta/json-values.js';
import { printGroupResource } from '../../../meta/resource.js';
import { finish } from '../../../time/steps.js';
import { type AccountTokens, ISSUER } from '../../access/account-tokens.js';
import { accountUser, type User } from '../../access/authentication.js';
import { type Decision, printMissing, type RbacAuthorizer } from '../../access/authorization.js';
import { userInfo } from '../../resources/admission.js';
import type { ResourceCall } from '../resource-call.js';
import { accessReviewCauses, REVIEW_GROUP } from './access-review-rules.js';

/** What reviews are answered from. Without an authorizer every user may do everything. */
export interface ReviewContext {
  readonly accountTokens: AccountTokens;
  /** The users of the tokens that were given as data. */
  readonly tokenUsers: ReadonlyMap<string, User>;
  readonly authorizer: RbacAuthorizer | undefined;
}

/**
 * Answers TokenReview and the access reviews: the create returns the object with its status, and nothing is stored.
 * Undefined for other resources.
 */
export function answerReview(
  context: ReviewContext,
  call: ResourceCall,
  review: JsonObject,
  manager: string,
): JsonObject | undefined {
  const { resource, user } = call;
  const { kind, apiVersion } = resource;
  switch (printGroupResource(resource.groupResource)) {
    case 'selfsubjectreviews.authentication.k8s.io': {
      const metadata = { creationTimestamp: call.context.writer.timestamp() };
      return { kind, apiVersion, metadata, status: { userInfo: userInfo(user) } };
    }
    case 'selfsubjectrulesreviews.authorization.k8s.io':
      return { kind, apiVersion, metadata: {}, spec: {}, status: rulesStatus(context, review, user) };
    case 'tokenreviews.authentication.k8s.io':
      return { ...tracked(call, review, manager), status: tokenStatus(context, review) };
    case 'selfsubjectaccessreviews.authorization.k8s.io':
    case 'subjectaccessreviews.authorization.k8s.io':
    case 'localsubjectaccessreviews.authorization.k8s.io': {
      const asked = tracked(call, review, manager);
      const isSelf = kind === 'SelfSubjectAccessReview';
      const causes = [...accessReviewCauses(asked, isSelf, call.namespace)];
      // kube-apiserver names no kind here.
      if (causes.length > 0) throw new StatusError(invalid({ group: REVIEW_GROUP, kind: '' }, '', causes));
      return { ...asked, status: accessStatus(context, review, isSelf ? user : subjectOf(review)) };
    }
    default:
      return undefined;
  }
}

/** The review with its place and its managedFields, which a review has although it is not stored. */
function tracked({ context, resource, namespace }: ResourceCall, review: JsonObject, manager: string): JsonObject {
  const { kind, apiVersion } = resource;
  const { namespace: _, creationTimestamp: __, ...sent } = (review['metadata'] ?? {}) as JsonObject;
  const metadata = { ...sent, ...(namespace === '' ? {} : { namespace }) };
  const object = { ...review, kind, apiVersion, metadata };
  const managedFields = finish(context.writer.fields.update(resource, '', manager)(undefined, object));
  const { spec } = review;
  return { kind, apiVersion, metadata: { ...metadata, ...(managedFields && { managedFields }) }, spec };
}

/** The status of a token, which must be for one of the audiences that the review names: by default this server. */
function tokenStatus({ accountTokens, tokenUsers }: ReviewContext, review: JsonObject): JsonObject {
  const token = text(valueAt(review, ['spec', 'token']));
  if (token === '') throw new StatusError(badRequest('token is required for TokenReview in authentication'));
  const named = valueAt(review, ['spec', 'audiences']);
  const asked: readonly unknown[] = Array.isArray(named) && named.length > 0 ? named : [ISSUER];
  const known = tokenUsers.get(token);
  if (known !== undefined && asked.includes(ISSUER)) {
    return { authenticated: true, user: userInfo(known), audiences: [ISSUER] };
  }
  const { claims, error } = accountTokens.verify(token);
  const common = claims?.audiences.filter((audience) => asked.includes(audience)) ?? [];
  if (claims !== undefined && common.length > 0) {
    return { authenticated: true, user: userInfo(accountUser(claims)), audiences: common };
  }
  const shown = (list: readonly unknown[]): string => `[${list.map((one) => JSON.stringify(one)).join(' ')}]`;
  const mismatch =
    claims && `token audiences ${shown(claims.audiences)} is invalid for the target audiences ${shown(asked)}`;
  const why = error ?? mismatch;
  return { user: {}, error: why === undefined ? 'invalid bearer token' : `[invalid bearer token, ${why}]` };
}

function subjectOf(review: JsonObject): User {
  const groups = valueAt(review, ['spec', 'groups']);
  return { name: text(valueAt(review, ['spec', 'user'])), groups: Array.isArray(groups) ? groups.map(String) : [] };
}

function accessStatus(context: ReviewContext, review: JsonObject, user: User): JsonObject {
  const { allowed, reason } = decide(context, review, user);
  return { allowed, ...(reason === '' ? {} : { reason }) };
}

function decide({ authorizer }: ReviewContext, review: JsonObject, user: User): Decision {
  if (authorizer === undefined) return { allowed: true, reason: '' };
  const attributes = valueAt(review, ['spec', 'resourceAttributes']);
  if (isJsonObject(attributes)) {
    const { verb, group, resource, subresource, namespace, name } = attributes;
    return authorizer.mayUse(user, {
      verb: text(verb),
      group: text(group),
      resource: text(resource),
      subresource: text(subresource),
      namespace: text(namespace),
      name: text(name),
    });
  }
  const path = valueAt(review, ['spec', 'nonResourceAttributes']);
  const { verb, path: asked } = isJsonObject(path) ? path : {};
  return authorizer.mayVisit(user, { verb: text(verb), path: text(asked) });
}

/** The rules of the user in the namespace that the review names. */
function rulesStatus({ authorizer }: ReviewContext, review: JsonObject, user: User): JsonObject {
  const namespace = text(valueAt(review, ['spec', 'namespace']));
  if (namespace === '') throw new StatusError(badRequest('no namespace on request'));
  if (authorizer === undefined) {
    return {
      resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      incomplete: false,
    };
  }
  const { rules, missing } = authorizer.rulesOf(user, namespace);
  return {
    resourceRules: rules
      .filter(({ resources }) => resources?.length)
      .map(({ nonResourceURLs: _, ...rule }) => filled(rule)),
    nonResourceRules: rules
      .filter(({ nonResourceURLs }) => nonResourceURLs?.length)
      .map(({ verbs, nonResourceURLs }) => filled({ verbs, nonResourceURLs })),
    incomplete: false,
    ...(missing.length === 0 ? {} : { evaluationError: printMissing(missing) }),
  };
}

/** The lists of a rule that are not empty. */
function filled(rule: Readonly<Record<string, readonly string[] | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(rule).filter(([, list]) => list?.length));
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
