import { describe, expect, it } from 'vitest';
import { resources } from '../../index.js';
import { defineResource } from '../../kinds/define-resource.js';
import { field } from '../../kinds/field.js';
import type { ManagerOptions } from '../manager/manager-options.js';
import { convert, mutate, validate } from '../webhooks/webhook.js';
import { type Manifest, manifests } from './manifests.js';

const names = { group: 'example.com', kind: 'Widget' } as const;
const spec = { size: field.integer() };
const beta = defineResource({ ...names, version: 'v1beta1', spec });
const widgets = defineResource({ ...names, version: 'v1', spec, previous: [beta] });
const { pods } = resources.core.v1;
const nothing = (): void => {};
const same = {
  up: ({ spec: s }: { spec: object }) => ({ spec: s }),
  down: ({ spec: s }: { spec: object }) => ({ spec: s }),
};
const conversion = convert(beta, widgets, same as never);

const manager = (more: Partial<ManagerOptions>): ManagerOptions => ({ name: 'hooks', election: false, ...more });
const find = (objects: readonly Manifest[], kind: string) => objects.find((one) => one.kind === kind) as Manifest;
const webhooksOf = (options: ManagerOptions, kind: string) =>
  find(manifests(options), kind)['webhooks'] as readonly Record<string, unknown>[];

describe('manifests of webhooks', () => {
  it('have configurations that call the Service of the manager', () => {
    const check = validate(widgets, { check: nothing, timeoutMs: 2500, conditions: { large: 'object.spec.size > 5' } });
    const [hook] = webhooksOf(manager({ webhooks: [check] }), 'ValidatingWebhookConfiguration');
    expect(hook).toMatchObject({
      name: 'validate.v1.widgets.example.com',
      clientConfig: {
        service: { name: 'hooks', namespace: 'hooks', port: 443, path: '/validate/validate.v1.widgets.example.com' },
      },
      rules: [
        {
          operations: ['CREATE', 'UPDATE'],
          apiGroups: ['example.com'],
          apiVersions: ['v1'],
          resources: ['widgets'],
          scope: 'Namespaced',
        },
      ],
      failurePolicy: 'Fail',
      timeoutSeconds: 3,
      matchConditions: [
        {
          name: 'kubeflect.dev/not-being-deleted',
          expression: 'oldObject == null || !has(oldObject.metadata.deletionTimestamp)',
        },
        { name: 'large', expression: 'object.spec.size > 5' },
      ],
    });
    expect(hook).not.toHaveProperty('namespaceSelector');
  });

  it('[C72] leave the namespace of the manager and kube-system out for kinds of others', () => {
    const limit = mutate(pods, { change: nothing, failurePolicy: 'Ignore' });
    const [hook] = webhooksOf(manager({ webhooks: [limit], namespace: 'home' }), 'MutatingWebhookConfiguration');
    expect(hook).toMatchObject({
      failurePolicy: 'Ignore',
      reinvocationPolicy: 'IfNeeded',
      namespaceSelector: {
        matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system', 'home'] }],
      },
    });
  });

  it('have a Service with both ports, and ports of the Deployment', () => {
    const options = manager({ webhooks: [validate(widgets, { check: nothing })] });
    const objects = manifests(options, { image: 'i' });
    expect(find(objects, 'Service')['spec']).toMatchObject({
      ports: [
        { name: 'metrics', port: 8080 },
        { name: 'webhooks', port: 443, targetPort: 'webhooks' },
      ],
    });
    expect(JSON.stringify(find(objects, 'Deployment'))).toContain('{"name":"webhooks","containerPort":9443}');
    const other = manifests(manager({ ...options, webhookServer: { service: { name: 'other', port: 8443 } } }));
    const services = other.filter(({ kind }) => kind === 'Service').map(({ metadata }) => metadata.name);
    expect(services).toEqual(['hooks', 'other']);
  });

  it('grant the Secret and the configurations by name', () => {
    const objects = manifests(
      manager({ webhooks: [validate(widgets, { check: nothing, reads: [pods] }), conversion] }),
    );
    expect(find(objects, 'Role')['rules']).toEqual([
      { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
      {
        apiGroups: [''],
        resources: ['secrets'],
        resourceNames: ['hooks-webhook-certificates'],
        verbs: ['get', 'list', 'watch', 'update'],
      },
    ]);
    expect(find(objects, 'ClusterRole')['rules']).toEqual([
      { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] },
      {
        apiGroups: ['admissionregistration.k8s.io'],
        resources: ['validatingwebhookconfigurations'],
        resourceNames: ['hooks'],
        verbs: ['get', 'list', 'watch', 'patch'],
      },
      {
        apiGroups: ['apiextensions.k8s.io'],
        resources: ['customresourcedefinitions'],
        resourceNames: ['widgets.example.com'],
        verbs: ['get', 'list', 'watch', 'patch'],
      },
    ]);
  });

  it('[C69] write conversions into definitions, and refuse those that do not lead to all versions', () => {
    const [definition] = manifests(manager({ webhooks: [conversion] }));
    expect(definition?.['spec']).toMatchObject({
      versions: [{ name: 'v1' }, { name: 'v1beta1' }],
      conversion: {
        strategy: 'Webhook',
        webhook: { clientConfig: { service: { name: 'hooks', path: '/convert/widgets.example.com' } } },
      },
    });
    const alpha = defineResource({ ...names, version: 'v1alpha1', spec });
    const unknown = convert(alpha, widgets, same as never);
    expect(() => manifests(manager({ webhooks: [conversion, unknown] }))).toThrow(/has no version v1alpha1/);
    const three = defineResource({ ...names, version: 'v2', spec, previous: [widgets, beta] });
    expect(() => manifests(manager({ webhooks: [conversion, validate(three, { check: nothing })] }))).toThrow(
      /no conversion leads between v2 and/,
    );
  });

  it('refuse two webhooks of one name, and wrong options of the server', () => {
    const check = () => validate(widgets, { check: nothing });
    expect(() => manifests(manager({ webhooks: [check(), check()] }))).toThrow(/two webhooks to validate named/);
    expect(() => manifests(manager({ webhooks: [{ name: 'a.b.c', type: 'validate' }] }))).toThrow(/webhooks\[]/);
    expect(() => manifests(manager({ webhookServer: { port: 70_000 } }))).toThrow(/port/);
    expect(() => manifests(manager({ webhookServer: { certificates: { certFile: 'a' } as never } }))).toThrow(
      /keyFile/,
    );
  });
});
