import { expect } from 'vitest';
import type { Api } from '../api.js';
import { type Area, defineArea } from '../area.js';
import type { Answer } from '../http.js';
import { configMaps } from '../objects.js';

const ROOT = '/apis/admissionregistration.k8s.io/v1';
const POLICIES = `${ROOT}/validatingadmissionpolicies`;
const BINDINGS = `${ROOT}/validatingadmissionpolicybindings`;
const CONFIG_MAPS = { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] };
const OBJECT = { data: { x: '1' }, metadata: { labels: { l: 'v' } } };

/** Constraints that match the ConfigMaps of a namespace. */
function constraints(namespace: string, fields: object = {}): object {
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': namespace } };
  return { namespaceSelector, resourceRules: [CONFIG_MAPS], ...fields };
}

const NO_PROBES = { objectSelector: { matchExpressions: [{ key: 'probe', operator: 'DoesNotExist' }] } };

/** Creates a policy with a binding, and waits until the server knows them. Returns their name. */
export async function addPolicy(
  api: Api,
  namespace: string,
  spec: { readonly matchConstraints?: object; readonly [field: string]: unknown },
  binding: object = {},
): Promise<string> {
  const create = async (name: string, fields: object, bound: object): Promise<void> => {
    await api.create(POLICIES, { metadata: { name }, spec: fields });
    api.remove(`${POLICIES}/${name}`);
    await api.create(BINDINGS, {
      metadata: { name },
      spec: { policyName: name, validationActions: ['Deny'], ...bound },
    });
    api.remove(`${BINDINGS}/${name}`);
  };
  const name = api.unique('policy');
  const matchConstraints = constraints(namespace, { ...NO_PROBES, ...spec.matchConstraints });
  await create(name, { ...spec, matchConstraints }, binding);
  // A policy that was created later is known no earlier.
  const probe = api.unique('probe');
  const expression = `object == null || object.metadata.name != "${probe}"`;
  await create(probe, { matchConstraints: constraints(namespace), validations: [{ expression, message: probe }] }, {});
  const deadline = AbortSignal.timeout(15_000);
  for (;;) {
    const body = { metadata: { name: probe, labels: { probe: '' } } };
    const answer = await api.request('POST', configMaps(namespace), { body, query: { dryRun: 'All' } });
    if (answer.text.includes(`'${probe}' denied`)) return name;
    if (deadline.aborted) throw new Error(`${probe} has no effect after 15 s`);
  }
}

interface Outcome {
  readonly code: number;
  readonly message: string;
  readonly warning: string | undefined;
}

/** Expects what becomes of a ConfigMap under a policy; `POLICY` stands for its name. */
async function expectOutcome(
  api: Api,
  spec: Parameters<typeof addPolicy>[2],
  binding: object,
  outcome: Outcome,
): Promise<void> {
  const namespace = await api.namespace();
  const metadata = { name: 'limits', labels: { param: '' }, annotations: { limit: '4' } };
  await api.create(`/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`, { metadata });
  await api.create(`/api/v1/namespaces/${namespace}/secrets`, { metadata });
  const name = await addPolicy(api, namespace, spec, binding);
  const body = { ...OBJECT, metadata: { name: 'a', ...OBJECT.metadata } };
  const plain = (text: string): string => text.replaceAll(name, 'POLICY').replaceAll(namespace, 'NAMESPACE');
  // A kube-apiserver learns of params a little later than of policies.
  const deadline = AbortSignal.timeout(5000);
  for (;;) {
    const answer = await api.request('POST', configMaps(namespace), { body, query: { dryRun: 'All' } });
    const found: Outcome = {
      code: answer.status,
      message: answer.status < 300 ? '' : plain(answer.json.message),
      warning: answer.headers.warning === undefined ? undefined : plain(String(answer.headers.warning)),
    };
    if (!found.message.includes('no params found') || deadline.aborted || found.message === outcome.message) {
      expect(found).toEqual(outcome);
      return;
    }
  }
}

const allowed: Outcome = { code: 201, message: '', warning: undefined };
function denied(why: string, code = 422, binding = " with binding 'POLICY'"): Outcome {
  const message = `configmaps "a" is forbidden: ValidatingAdmissionPolicy 'POLICY'${binding} denied request: ${why}`;
  return { code, message, warning: undefined };
}

/** A kube-apiserver does not find the params of a kind any more after a policy with that paramKind was deleted. */
const limit = (
  expression: string,
  more: object = {},
  paramKind: object = { apiVersion: 'v1', kind: 'ConfigMap' },
): { paramKind: object; validations: object[] } => ({ paramKind, validations: [{ expression, ...more }] });
const one = (expression: string, more: object = {}): { validations: object[] } => ({
  validations: [{ expression, ...more }],
});

const OUTCOMES: readonly (readonly [
  title: string,
  spec: Parameters<typeof addPolicy>[2],
  binding: object,
  outcome: Outcome,
])[] = [
  ['a validation that holds admits', one('object.data.x == "1"'), {}, allowed],
  [
    'a validation that does not hold is named',
    one('object.data.x == "2"'),
    {},
    denied('failed expression: object.data.x == "2"'),
  ],
  [
    'a validation has a message and a reason',
    one('false', { message: 'not so', reason: 'Forbidden' }),
    {},
    denied('not so', 403),
  ],
  [
    'the first of several failures is the answer, with its messageExpression',
    {
      validations: [
        { expression: 'false', messageExpression: '"got " + string(object.data.x)' },
        { expression: 'false' },
      ],
    },
    {},
    denied('got 1'),
  ],
  [
    'a messageExpression that fails leaves the message',
    one('false', { messageExpression: 'string(object.data.zz)', message: 'plain' }),
    {},
    denied('plain'),
  ],
  [
    'an expression that fails refuses the request',
    one('object.data.zz == "2"'),
    {},
    denied('expression \'object.data.zz == "2"\' resulted in error: no such key: zz'),
  ],
  [
    'an expression that fails is passed over with failurePolicy Ignore',
    { failurePolicy: 'Ignore', ...one('object.data.zz == "2"') },
    {},
    allowed,
  ],
  [
    'Warn answers with a warning',
    one('false', { message: 'careful' }),
    { validationActions: ['Warn', 'Audit'] },
    {
      ...allowed,
      warning: "299 - \"Validation failed for ValidatingAdmissionPolicy 'POLICY' with binding 'POLICY': careful\"",
    },
  ],
  ['Audit answers with nothing', one('false'), { validationActions: ['Audit'] }, allowed],
  [
    'variables can read earlier ones',
    {
      variables: [
        { name: 'a', expression: 'string(object.data.x)' },
        { name: 'b', expression: 'variables.a + "!"' },
      ],
      validations: [
        { expression: 'variables.b == "1!"' },
        { expression: 'variables.b == "2!"', messageExpression: '"b is " + variables.b' },
      ],
    },
    {},
    denied('b is 1!'),
  ],
  [
    'a variable that fails is named',
    { variables: [{ name: 'a', expression: 'object.data.zz' }], ...one('variables.a == "1"') },
    {},
    denied(
      'expression \'variables.a == "1"\' resulted in error: composited variable "a" fails to evaluate: no such key: zz',
    ),
  ],
  [
    'a variable that is not read does not matter',
    { variables: [{ name: 'a', expression: 'object.data.zz' }], ...one('true') },
    {},
    allowed,
  ],
  [
    'params come from the object that the binding names',
    limit(
      'params.metadata.annotations.limit == "5"',
      { messageExpression: '"limit " + string(params.metadata.annotations.limit) + " of " + string(params.kind)' },
      { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' },
    ),
    { paramRef: { name: 'limits', parameterNotFoundAction: 'Deny' } },
    denied('limit 4 of Lease'),
  ],
  [
    'a selector gives all params, of which each must hold',
    limit('params.metadata.name == "other"', {}, { apiVersion: 'v1', kind: 'Secret' }),
    { paramRef: { selector: { matchLabels: { param: '' } }, parameterNotFoundAction: 'Deny' } },
    denied('failed expression: params.metadata.name == "other"'),
  ],
  [
    'params that are missing refuse the request with Deny',
    limit('true'),
    { paramRef: { name: 'none', parameterNotFoundAction: 'Deny' } },
    denied('failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction'),
  ],
  [
    'params that are missing admit it with Allow',
    limit('false'),
    { paramRef: { name: 'none', parameterNotFoundAction: 'Allow' } },
    allowed,
  ],
  ['params are null without a paramRef', limit('params != null'), {}, denied('failed expression: params != null')],
  [
    'a paramKind that is not served refuses the request',
    { paramKind: { apiVersion: 'example.com/v1', kind: 'Nothing' }, ...one('true') },
    { paramRef: { name: 'none', parameterNotFoundAction: 'Allow' } },
    denied(
      "failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Nothing'",
      422,
      '',
    ),
  ],
  [
    'namespaceObject is the namespace of the object',
    one('namespaceObject.metadata.labels["kubernetes.io/metadata.name"] == "x"', {
      messageExpression: 'namespaceObject.metadata.name + " is " + namespaceObject.status.phase',
    }),
    {},
    denied('NAMESPACE is Active'),
  ],
  [
    'the time of the namespace is a text, whatever its type says',
    one('namespaceObject.metadata.creationTimestamp.getFullYear() > 2000'),
    {},
    denied(
      "expression 'namespaceObject.metadata.creationTimestamp.getFullYear() > 2000' resulted in error: no such overload: getFullYear(string)",
    ),
  ],
  [
    'the request can be read',
    one(
      'request.operation == "CREATE" && request.resource.resource == "configmaps" && request.userInfo.groups.exists(g, g == "system:masters") && oldObject == null',
    ),
    {},
    allowed,
  ],
  [
    'the authorizer can be asked',
    one('!authorizer.group("").resource("pods").namespace("x").check("get").allowed()', { messageExpression: '"may"' }),
    {},
    denied('may'),
  ],
  [
    'a match condition that is false leaves the policy out',
    { matchConditions: [{ name: 'c', expression: 'object.data.x == "2"' }], ...one('false') },
    {},
    allowed,
  ],
  [
    'a match condition that fails refuses the request',
    { matchConditions: [{ name: 'c', expression: 'object.data.zz == "2"' }], ...one('true') },
    {},
    denied('expression \'object.data.zz == "2"\' resulted in error: no such key: zz'),
  ],
  [
    'a binding can match less than its policy',
    one('false'),
    { matchResources: { objectSelector: { matchLabels: { l: 'other' } } } },
    allowed,
  ],
  [
    'a binding without rules matches what its policy matches',
    one('false'),
    { matchResources: { objectSelector: { matchLabels: { l: 'v' } } } },
    denied('failed expression: false'),
  ],
  [
    'rules can name objects',
    { matchConstraints: { resourceRules: [{ ...CONFIG_MAPS, resourceNames: ['other'] }] }, ...one('false') },
    {},
    allowed,
  ],
  [
    'excludeResourceRules leave requests out',
    { matchConstraints: { excludeResourceRules: [{ ...CONFIG_MAPS, operations: ['CREATE'] }] }, ...one('false') },
    {},
    allowed,
  ],
  [
    'an expression that costs too much fails',
    one(
      `${['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `[1,2,3,4,5,6,7,8,9,10].all(${name}, `).join('')}true${')'.repeat(6)}`,
      { message: 'x' },
    ),
    {},
    denied(
      `expression '${['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `[1,2,3,4,5,6,7,8,9,10].all(${name}, `).join('')}true${')'.repeat(6)}' resulted in error: operation cancelled: actual cost limit exceeded`,
    ),
  ],
];

/** Checks of the authorizer that fail, and why. */
const AUTHORIZER_ERRORS: readonly (readonly [expression: string, why: string])[] = [
  ['authorizer.path(" ").check("get").allowed()', 'path must not be empty'],
  ['authorizer.group("").resource("").check("get").allowed()', 'resource must not be empty'],
  ['authorizer.serviceAccount("n", "A").path("/a").check("get").allowed()', 'Invalid service account name'],
  ['authorizer.serviceAccount("n.m", "a").path("/a").check("get").allowed()', 'Invalid service account namespace'],
];

async function causes(api: Api, path: string, spec: object): Promise<string[]> {
  const answer: Answer = await api.request('POST', path, {
    body: { metadata: { name: 'policy' }, spec },
    query: { dryRun: 'All' },
  });
  expect(answer.status).toBe(422);
  return (answer.json.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`);
}

export const area: Area = defineArea('admission policies', (rule) => {
  for (const [title, spec, binding, outcome] of OUTCOMES) {
    rule(title, async (api) => {
      await expectOutcome(api, spec, binding, outcome);
    });
  }

  for (const [expression, why] of AUTHORIZER_ERRORS) {
    rule(`${expression} fails`, async (api) => {
      await expectOutcome(api, one(expression), {}, denied(`expression '${expression}' resulted in error: ${why}`));
    });
  }

  rule('a denial has the policy as its cause', async (api) => {
    const namespace = await api.namespace();
    const name = await addPolicy(api, namespace, one('object == null', { message: 'no' }));
    const answer = await api.request('POST', configMaps(namespace), { body: { metadata: { name: 'a' } } });
    const why = `ValidatingAdmissionPolicy '${name}' with binding '${name}' denied request: no`;
    expect(answer.json).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: `configmaps "a" is forbidden: ${why}`,
      reason: 'Invalid',
      details: { name: 'a', kind: 'configmaps', causes: [{ message: why }] },
      code: 422,
    });
  });

  rule('updates and deletions have the state before', async (api) => {
    const namespace = await api.namespace();
    const path = configMaps(namespace);
    await api.create(path, { metadata: { name: 'a' }, data: { keep: '1' } });
    const expression =
      'request.operation == "DELETE" ? object == null && oldObject.data.keep == "0" : oldObject == null || object.data == oldObject.data';
    await addPolicy(api, namespace, one(expression, { message: 'kept' }));
    expect((await api.tryPatch(`${path}/a`, 'merge', { data: { keep: '2' } })).status).toBe(422);
    expect((await api.tryPatch(`${path}/a`, 'merge', { metadata: { labels: { a: 'b' } } })).status).toBe(200);
    expect((await api.request('DELETE', `${path}/a`)).status).toBe(422);
    expect((await api.request('DELETE', path)).status).toBe(422);
  });

  rule('policies get defaults', async (api) => {
    const rules = [CONFIG_MAPS];
    const created = await api.create(
      POLICIES,
      {
        metadata: { name: api.unique('policy') },
        spec: { matchConstraints: { resourceRules: rules }, ...one('true') },
      },
      { dryRun: 'All' },
    );
    expect(created.spec).toEqual({
      failurePolicy: 'Fail',
      matchConstraints: {
        matchPolicy: 'Equivalent',
        namespaceSelector: {},
        objectSelector: {},
        resourceRules: [{ ...CONFIG_MAPS, scope: '*' }],
      },
      validations: [{ expression: 'true' }],
    });
    expect(created.status).toEqual({});
  });

  rule('expressions of policies are compiled when they are stored', async (api) => {
    const found = await causes(api, POLICIES, {
      failurePolicy: 'X',
      paramKind: { apiVersion: 'a/b/c', kind: 'x_y' },
      matchConstraints: { resourceRules: [CONFIG_MAPS] },
      variables: [
        { name: 'a b', expression: 'x' },
        { name: 'if', expression: '' },
      ],
      validations: [
        { expression: 'object.' },
        { expression: '1' },
        { expression: '', reason: 'Foo', message: ' ' },
        { expression: 'foo == 1', messageExpression: '1' },
        { expression: 'variables.nothing == 1' },
      ],
      auditAnnotations: [{ key: 'k', valueExpression: '1' }],
    });
    expect(found).toEqual([
      'spec.failurePolicy: Unsupported value: "X": supported values: "Fail", "Ignore"',
      'spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
      "spec.paramKind.kind: Invalid value: \"x_y\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      'spec.variables[0].name: Invalid value: "a b": must be a valid CEL identifier',
      "spec.variables[0].expression: Invalid value: \"x\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'x' (in container '')\n | x\n | ^",
      'spec.variables[1].name: Invalid value: "if": must be a valid CEL identifier',
      'spec.variables[1].expression: Required value: expression is not specified',
      'spec.validations[0].expression: Invalid value: "object.": compilation failed: ERROR: <input>:1:8: Syntax error: no viable alternative at input \'.\'\n | object.\n | .......^',
      'spec.validations[1].expression: Invalid value: "1": must evaluate to bool but got int',
      'spec.validations[2].expression: Required value: expression is not specified',
      'spec.validations[2].message: Invalid value: " ": must be non-empty if specified',
      'spec.validations[2].reason: Unsupported value: "Foo": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
      "spec.validations[3].expression: Invalid value: \"foo == 1\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'foo' (in container '')\n | foo == 1\n | ^",
      'spec.validations[3].messageExpression: Invalid value: "1": must evaluate to string but got int',
      'spec.validations[4].expression: Invalid value: "variables.nothing == 1": compilation failed: ERROR: <input>:1:10: undefined field \'nothing\'\n | variables.nothing == 1\n | .........^',
      'spec.auditAnnotations[0].valueExpression: Invalid value: "1": must evaluate to one of [string null_type] but got int',
    ]);
    expect(await causes(api, POLICIES, {})).toEqual([
      'spec.matchConstraints: Required value',
      'spec.validations: Required value: validations or auditAnnotations must contain at least one item',
      'spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item',
    ]);
  });

  rule('a binding names its policy, its params and what becomes of failures', async (api) => {
    expect(
      await causes(api, BINDINGS, { policyName: '', validationActions: ['Deny', 'Warn', 'X', 'X'], paramRef: {} }),
    ).toEqual([
      'spec.policyName: Required value',
      'spec.paramRef: Required value: one of name or selector must be specified',
      'spec.paramRef.parameterNotFoundAction: Required value',
      'spec.validationActions[2]: Unsupported value: "X": supported values: "Audit", "Deny", "Warn"',
      'spec.validationActions[3]: Unsupported value: "X": supported values: "Audit", "Deny", "Warn"',
      'spec.validationActions[3]: Duplicate value: "X"',
      'spec.validationActions: Invalid value: ["Deny","Warn","X","X"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
    ]);
  });
});
