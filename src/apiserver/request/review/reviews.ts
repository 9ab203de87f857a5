import { StatusError } from '../../../meta/errors/errors.js';
import { fieldInvalid } from '../../../meta/errors/field-cause.js';
import { badRequest, invalid } from '../../../meta/errors/status.js';
import { valueAt } from '../../../meta/json-paths.js';
import { isJsonObject, type JsonObject } from '../../../meta/json-values.js';
import { type AccountTokens, ISSUER, type TokenClaims } from '../../access/account-tokens.js';
import { type Authenticator, authenticated, type User } from '../../access/authentication.js';
import type { RbacAuthorizer } from '../../access/authorization.js';
import type { ApiRequest } from '../../wire/exchange.js';

/** What reviews are answered from. Without an authorizer every user may do everything. */
export interface ReviewContext {
  readonly accountTokens: AccountTokens;
  readonly authenticate: Authenticator;
  readonly authorizer: RbacAuthorizer | undefined;
}

/**
 * Answers TokenReview and the access reviews: the create returns the object with its status, and nothing is stored.
 * Undefined for other resources.
 */
export function answerReview(
  context: ReviewContext,
  resource: string,
  namespace: string,
  review: JsonObject,
  user: User,
  request: ApiRequest,
): JsonObject | undefined {
  switch (resource) {
    case 'selfsubjectreviews.authentication.k8s.io':
      return { ...review, status: { userInfo: userInfo(user) } };
    case 'tokenreviews.authentication.k8s.io':
      return { ...review, status: tokenStatus(context, review, request) };
    case 'selfsubjectaccessreviews.authorization.k8s.io':
      return { ...review, status: { allowed: isAllowed(context, review, user) } };
    case 'subjectaccessreviews.authorization.k8s.io':
    case 'localsubjectaccessreviews.authorization.k8s.io': {
      if (namespace !== '') requireLocal(review, namespace);
      const groups = valueAt(review, ['spec', 'groups']);
      const subject: User = {
        name: text(valueAt(review, ['spec', 'user'])),
        groups: Array.isArray(groups) ? groups.map(String) : [],
      };
      return { ...review, status: { allowed: isAllowed(context, review, subject) } };
    }
    case 'selfsubjectrulesreviews.authorization.k8s.io':
      // The rules are listed only for a user who may do everything; otherwise `incomplete` is true.
      return {
        ...review,
        status:
          context.authorizer === undefined
            ? {
                resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
                nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
                incomplete: false,
              }
            : { resourceRules: [], nonResourceRules: [], incomplete: true },
      };
    default:
      return undefined;
  }
}

function userInfo(user: User): JsonObject {
  return { username: user.name, groups: user.groups };
}

function tokenStatus(context: ReviewContext, review: JsonObject, request: ApiRequest): JsonObject {
  const token = text(valueAt(review, ['spec', 'token']));
  if (token === '') throw new StatusError(badRequest('token is required for TokenReview in authentication'));
  const claims = context.accountTokens.verify(token);
  if (claims !== undefined) return accountStatus(claims, review);
  try {
    const headers = { ...request.headers, authorization: `Bearer ${token}` };
    const user = context.authenticate({ ...request, headers, clientCertificate: undefined });
    return { authenticated: true, user: userInfo(authenticated(user.name, user.groups)) };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return { user: {}, error: 'invalid bearer token' };
  }
}

/** The status of a ServiceAccount's token, which must be for one of the audiences that the review names. */
function accountStatus({ account, audiences, id }: TokenClaims, review: JsonObject): JsonObject {
  const named = valueAt(review, ['spec', 'audiences']);
  const asked = Array.isArray(named) && named.length > 0 ? named : [ISSUER];
  const common = audiences.filter((audience) => asked.includes(audience));
  if (common.length === 0) {
    const shown = (list: readonly unknown[]): string => `[${list.map((one) => JSON.stringify(one)).join(' ')}]`;
    const mismatch = `token audiences ${shown(audiences)} is invalid for the target audiences ${shown(asked)}`;
    return { user: {}, error: `[invalid bearer token, ${mismatch}]` };
  }
  const { name, groups } = authenticated(`system:serviceaccount:${account.namespace}:${account.name}`, []);
  const extra = { 'authentication.kubernetes.io/credential-id': [`JTI=${id}`] };
  return { authenticated: true, user: { username: name, uid: account.uid, groups, extra }, audiences: common };
}

/** A review that is created in a namespace must be about that namespace, where it was authorized. */
function requireLocal(review: JsonObject, namespace: string): void {
  const asked = valueAt(review, ['spec', 'resourceAttributes', 'namespace']) ?? '';
  const path = valueAt(review, ['spec', 'nonResourceAttributes']);
  const causes = [
    ...(asked === namespace
      ? []
      : [fieldInvalid('spec.resourceAttributes.namespace', asked, 'must match metadata.namespace')]),
    ...(path === undefined
      ? []
      : [fieldInvalid('spec.nonResourceAttributes', path, 'disallowed on this kind of request')]),
  ];
  if (causes.length === 0) return;
  throw new StatusError(invalid({ group: 'authorization.k8s.io', kind: 'LocalSubjectAccessReview' }, '', causes));
}

function isAllowed({ authorizer }: ReviewContext, review: JsonObject, user: User): boolean {
  if (authorizer === undefined) return true;
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
  if (!isJsonObject(path)) return false;
  return authorizer.mayVisit(user, { verb: text(path['verb']), path: text(path['path']) });
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
