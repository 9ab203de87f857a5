import { expect } from 'vitest';
import type { Api } from '../api.js';
import { type Area, defineArea } from '../area.js';
import { at, type Doc } from '../doc.js';
import { expectStatus } from '../status.js';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const REVIEWS = '/apis/authorization.k8s.io/v1';
const GROUP = 'rbac.authorization.k8s.io';

/** What a SubjectAccessReview says. */
async function review(api: Api, spec: object): Promise<unknown> {
  return at(await api.create(`${REVIEWS}/subjectaccessreviews`, { spec }), 'status');
}

/** Binds a role of the namespace to a user of this case, and waits until the server applies it. */
async function bind(api: Api, namespace: string, rules: readonly object[] | undefined): Promise<string> {
  const user = api.unique('reviewed');
  const path = `${RBAC}/namespaces/${namespace}`;
  if (rules !== undefined) await api.create(`${path}/roles`, { metadata: { name: 'given' }, rules });
  await api.create(`${path}/rolebindings`, {
    metadata: { name: 'given' },
    subjects: [{ kind: 'User', apiGroup: GROUP, name: user }],
    roleRef: { kind: 'Role', apiGroup: GROUP, name: 'given' },
  });
  await settled(api, () => review(api, { user, resourceAttributes: { verb: 'get', resource: 'pods', namespace } }));
  return user;
}

/** Repeats a review until it has a reason: the authorizer of a real server reads roles from a watch. */
async function settled(api: Api, ask: () => Promise<unknown>): Promise<void> {
  for (let turn = 0; turn < 500; turn++) {
    if (((await ask()) as { reason?: string }).reason !== undefined) return;
    await api.get('/version');
  }
  throw new Error('the server does not apply the binding');
}

const INVALID: readonly (readonly [title: string, review: string, spec: object, cause: object])[] = [
  [
    'nothing to review',
    'selfsubjectaccessreviews',
    {},
    {
      field: 'spec.resourceAttributes',
      message: 'Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
    },
  ],
  [
    'a resource and a path',
    'selfsubjectaccessreviews',
    { resourceAttributes: { verb: 'get', resource: 'pods' }, nonResourceAttributes: { path: '/x', verb: 'get' } },
    {
      field: 'spec.nonResourceAttributes',
      message: 'Invalid value: {"Path":"/x","Verb":"get"}: cannot be specified in combination with resourceAttributes',
    },
  ],
  [
    'no subject',
    'subjectaccessreviews',
    { resourceAttributes: { verb: 'get', resource: 'pods' } },
    { field: 'spec.user', message: 'Invalid value: "": at least one of user or group must be specified' },
  ],
  [
    'a selector without requirements',
    'subjectaccessreviews',
    { user: 'x', resourceAttributes: { verb: 'list', resource: 'pods', fieldSelector: {} } },
    {
      field: 'spec.resourceAttributes.fieldSelector.requirements',
      message:
        'Required value: when spec.resourceAttributes.fieldSelector is specified, requirements or rawSelector is required',
    },
  ],
  [
    'a selector in two forms',
    'subjectaccessreviews',
    {
      user: 'x',
      resourceAttributes: {
        verb: 'list',
        labelSelector: { rawSelector: 'a=b', requirements: [{ key: 'a', operator: 'In', values: ['b'] }] },
      },
    },
    {
      field: 'spec.resourceAttributes.labelSelector.rawSelector',
      message: 'Invalid value: "a=b": may not specified at the same time as requirements',
    },
  ],
  [
    'requirements without values',
    'subjectaccessreviews',
    {
      user: 'x',
      resourceAttributes: {
        verb: 'list',
        labelSelector: {
          requirements: [
            { key: 'a', operator: 'In' },
            { key: 'b', operator: 'OfTomorrow' },
          ],
        },
      },
    },
    {
      field: 'spec.resourceAttributes.labelSelector.requirements[0].values',
      message: "Required value: must be specified when `operator` is 'In' or 'NotIn'",
    },
  ],
];

export const area: Area = defineArea('access reviews', (rule) => {
  for (const [title, resource, spec, cause] of INVALID) {
    rule(`a review is Invalid, without a kind in the message: ${title}`, async (api) => {
      const status = expectStatus(await api.request('POST', `${REVIEWS}/${resource}`, { body: { spec } }), {
        code: 422,
        reason: 'Invalid',
        message: /^\.authorization\.k8s\.io "" is invalid: /,
        causes: [cause],
      });
      expect(status.details).not.toHaveProperty('kind');
    });
  }

  rule('a review has no name', async (api) => {
    const body = { metadata: { name: 'x' }, spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } };
    expectStatus(await api.request('POST', `${REVIEWS}/selfsubjectaccessreviews`, { body }), {
      code: 422,
      reason: 'Invalid',
      causes: [{ field: 'metadata', message: /: must be empty$/ }],
    });
  });

  rule('a review is answered with its managedFields, and is not stored', async (api) => {
    const body = { spec: { user: 'x', resourceAttributes: { verb: 'get', resource: 'pods' } } };
    const answered = await api.create(`${REVIEWS}/subjectaccessreviews`, body);
    expect(answered).toMatchObject({ kind: 'SubjectAccessReview', ...body });
    expect(answered.metadata).not.toHaveProperty('uid');
    expect(answered.metadata.managedFields?.[0]?.fieldsV1).toEqual({
      'f:spec': { 'f:resourceAttributes': { '.': {}, 'f:resource': {}, 'f:verb': {} }, 'f:user': {} },
    });
    expectStatus(await api.request('GET', `${REVIEWS}/subjectaccessreviews`), {
      code: 405,
      reason: 'MethodNotAllowed',
    });
  });

  rule('SubjectAccessReview names the binding that allows', async (api) => {
    const namespace = await api.namespace();
    const user = await bind(api, namespace, [{ apiGroups: [''], resources: ['pods', 'pods/log'], verbs: ['get'] }]);
    const reason = `RBAC: allowed by RoleBinding "given/${namespace}" of Role "given" to User "${user}"`;
    const get = { verb: 'get', resource: 'pods', namespace };
    expect(await review(api, { user, resourceAttributes: get })).toEqual({ allowed: true, reason });
    expect(await review(api, { user, resourceAttributes: { ...get, subresource: 'log', name: 'a' } })).toEqual({
      allowed: true,
      reason,
    });
    expect(await review(api, { user, resourceAttributes: { ...get, verb: 'list' } })).toEqual({ allowed: false });
    expect(await review(api, { user, resourceAttributes: { ...get, namespace: 'default' } })).toEqual({
      allowed: false,
    });
  });

  rule('SubjectAccessReview names the roles that are missing, and so does Forbidden', async (api) => {
    const namespace = await api.namespace();
    const user = await bind(api, namespace, undefined);
    const reason = 'RBAC: role.rbac.authorization.k8s.io "given" not found';
    const resourceAttributes = { verb: 'get', resource: 'pods', namespace };
    expect(await review(api, { user, resourceAttributes })).toEqual({ allowed: false, reason });
    const path = `/api/v1/namespaces/${namespace}/pods`;
    expectStatus(await api.request('GET', path, { headers: { 'impersonate-user': user } }), {
      code: 403,
      reason: 'Forbidden',
      message: `pods is forbidden: User "${user}" cannot list resource "pods" in API group "" in the namespace "${namespace}": ${reason}`,
    });
  });

  rule('SubjectAccessReview takes groups as they are given', async (api) => {
    const path = { nonResourceAttributes: { verb: 'get', path: '/api/v1' } };
    expect(await review(api, { user: 'x', ...path })).toEqual({ allowed: false });
    expect(await review(api, { groups: ['system:authenticated'], ...path })).toEqual({
      allowed: true,
      reason:
        'RBAC: allowed by ClusterRoleBinding "system:discovery" of ClusterRole "system:discovery" to Group "system:authenticated"',
    });
    expect(await review(api, { groups: ['system:masters'], ...path })).toEqual({ allowed: true });
  });

  rule('LocalSubjectAccessReview is about its namespace only', async (api) => {
    const path = `${REVIEWS}/namespaces/default/localsubjectaccessreviews`;
    const ask = (spec: object) => api.request('POST', path, { body: { spec: { user: 'x', ...spec } } });
    const get = { verb: 'get', resource: 'pods' };
    const own = await ask({ resourceAttributes: { ...get, namespace: 'default' } });
    expect([own.status, at(own.json, 'status')]).toEqual([201, { allowed: false }]);
    expectStatus(await ask({ resourceAttributes: { ...get, namespace: 'other' } }), {
      code: 422,
      reason: 'Invalid',
      causes: [
        {
          field: 'spec.resourceAttributes.namespace',
          message: 'Invalid value: "other": must match metadata.namespace',
        },
      ],
    });
    expectStatus(await ask({ nonResourceAttributes: { verb: 'get', path: '/' } }), {
      code: 422,
      reason: 'Invalid',
      causes: [
        {
          field: 'spec.nonResourceAttributes',
          message: 'Invalid value: {"Path":"/","Verb":"get"}: disallowed on this kind of request',
        },
      ],
    });
  });

  rule('SelfSubjectRulesReview lists the rules of the user', async (api) => {
    const namespace = await api.namespace();
    const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['x'] }];
    const user = await bind(api, namespace, [...rules, { verbs: ['get'], apiGroups: [''], resources: ['pods'] }]);
    const answer = await api.request('POST', `${REVIEWS}/selfsubjectrulesreviews`, {
      body: { spec: { namespace } },
      headers: { 'impersonate-user': user },
    });
    expect(answer.status).toBe(201);
    expect(answer.json).toMatchObject({ kind: 'SelfSubjectRulesReview', metadata: {}, spec: {} });
    const status = at(answer.json, 'status') as unknown as Record<string, unknown[]>;
    expect(status['incomplete']).toBe(false);
    expect(status['resourceRules']).toEqual(
      expect.arrayContaining([
        ...rules,
        {
          verbs: ['create'],
          apiGroups: ['authorization.k8s.io'],
          resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
        },
      ]),
    );
    expect(status['nonResourceRules']).toContainEqual({
      verbs: ['get'],
      nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version', '/version/'],
    });
  });

  rule('SelfSubjectRulesReview needs a namespace', async (api) => {
    expectStatus(await api.request('POST', `${REVIEWS}/selfsubjectrulesreviews`, { body: { spec: {} } }), {
      code: 400,
      reason: 'BadRequest',
      message: 'no namespace on request',
    });
  });

  rule('SelfSubjectReview has nothing but the user', async (api) => {
    const body = { metadata: { name: 'x', labels: { a: 'b' } } };
    const answered: Doc = await api.create('/apis/authentication.k8s.io/v1/selfsubjectreviews', body);
    expect(Object.keys(answered.metadata)).toEqual(['creationTimestamp']);
    expect(answered).not.toHaveProperty('spec');
  });
});
