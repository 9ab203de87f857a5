import { expect } from 'vitest';
import { type Area, defineArea } from '../area.js';
import type { Doc } from '../doc.js';
import { causesOfChange, namespaced, type Refusal, refusals } from '../refusals.js';

/* Rules of Services, networking, storage, configuration and webhooks: one row for each refusal. */

const CORE = (resource: string) => namespaced('/api/v1', resource);
const IN = (groupVersion: string, resource: string) => namespaced(`/apis/${groupVersion}`, resource);
const CLUSTER = (path: string) => () => path;

const services = CORE('services');
const secrets = CORE('secrets');
const claims = CORE('persistentvolumeclaims');
const slices = IN('discovery.k8s.io/v1', 'endpointslices');
const ingresses = IN('networking.k8s.io/v1', 'ingresses');
const policies = IN('networking.k8s.io/v1', 'networkpolicies');
const volumes = CLUSTER('/api/v1/persistentvolumes');
const storageClasses = CLUSTER('/apis/storage.k8s.io/v1/storageclasses');
const ingressClasses = CLUSTER('/apis/networking.k8s.io/v1/ingressclasses');
const validating = CLUSTER('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations');
const apiServices = CLUSTER('/apis/apiregistration.k8s.io/v1/apiservices');

const port = { port: 80 };
const service = (spec: object) => ({ spec: { ports: [port], ...spec } });
const path = (given: object) => ({
  path: '/',
  pathType: 'Prefix',
  backend: { service: { name: 's', port: { number: 80 } } },
  ...given,
});
const ingress = (given: object, host?: string) => ({
  spec: { rules: [{ ...(host === undefined ? {} : { host }), http: { paths: [path(given)] } }] },
});
const hook = (given: object) => ({
  webhooks: [
    {
      name: 'a.b.example.com',
      clientConfig: { url: 'https://x.example.com/' },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
      ...given,
    },
  ],
});
const claim = (spec: object) => ({
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
});
const volume = (spec: object) => ({
  spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/data' }, ...spec },
});
const policy = (spec: object) => ({ spec: { podSelector: {}, ...spec } });

const rows: readonly Refusal[] = [
  ['a service without ports', services, { spec: {} }, ['spec.ports', 'Required value']],
  [
    'a service with two ports without names',
    services,
    service({ ports: [port, { port: 81 }] }),
    ['spec.ports[0].name', 'Required value'],
    ['spec.ports[1].name', 'Required value'],
  ],
  [
    'a service with a cluster IP outside of the range',
    services,
    service({ clusterIP: '1.2.3.4' }),
    [
      'spec.clusterIPs',
      'Invalid value: ["1.2.3.4"]: failed to allocate IP 1.2.3.4: the provided network does not match the current range',
    ],
  ],
  [
    'a service with a cluster IP that is no address',
    services,
    service({ clusterIP: 'x' }),
    ['spec.clusterIPs[0]', 'Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
  ],
  [
    'a service of two families where one is configured',
    services,
    service({ ipFamilyPolicy: 'RequireDualStack' }),
    [
      'spec.ipFamilyPolicy',
      'Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
    ],
  ],
  [
    'a service of IPv6',
    services,
    service({ ipFamilies: ['IPv6'] }),
    ['spec.ipFamilies[0]', 'Invalid value: "IPv6": not configured on this cluster'],
  ],
  [
    'a service with an unknown family',
    services,
    service({ ipFamilies: ['IPv5'] }),
    ['spec.ipFamilies[0]', 'Unsupported value: "IPv5": supported values: "IPv4", "IPv6"'],
  ],
  [
    'a headless service with node ports',
    services,
    service({ clusterIP: 'None', type: 'NodePort' }),
    ['spec.clusterIPs[0]', 'Invalid value: "None": may not be set to \'None\' for NodePort services'],
  ],
  [
    'a service with a wrong selector',
    services,
    service({ selector: { 'a b': 'c' } }),
    [
      'spec.selector',
      "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    'a service with an affinity of no time',
    services,
    service({ sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 0 } } }),
    [
      'spec.sessionAffinityConfig.clientIP.timeoutSeconds',
      'Invalid value: 0: must be greater than 0 and less than 86400',
    ],
  ],
  [
    'a service with a class of load balancers that has none',
    services,
    service({ loadBalancerClass: 'a/b' }),
    ['spec.loadBalancerClass', "Forbidden: may only be used when `type` is 'LoadBalancer'"],
  ],
  [
    'a service with source ranges and no load balancer',
    services,
    service({ loadBalancerSourceRanges: ['x'] }),
    ['spec.LoadBalancerSourceRanges', "Forbidden: may only be used when `type` is 'LoadBalancer'"],
    [
      'spec.LoadBalancerSourceRanges[0]',
      'Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
    ],
  ],
  [
    'a service with a health check port and no load balancer',
    services,
    service({ healthCheckNodePort: 30000 }),
    [
      'spec.healthCheckNodePort',
      "Invalid value: 30000: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
    ],
  ],
  [
    'a service with an unknown traffic policy',
    services,
    service({ internalTrafficPolicy: 'x' }),
    ['spec.internalTrafficPolicy', 'Unsupported value: "x": supported values: "Cluster", "Local"'],
  ],
  [
    'a service with an unknown distribution',
    services,
    service({ trafficDistribution: 'x' }),
    [
      'spec.trafficDistribution',
      'Unsupported value: "x": supported values: "PreferClose", "PreferSameZone", "PreferSameNode"',
    ],
  ],
  [
    'a service with a link-local external IP',
    services,
    service({ externalIPs: ['169.254.1.1'] }),
    [
      'spec.externalIPs[0]',
      'Invalid value: "169.254.1.1": may not be in the link-local range (169.254.0.0/16, fe80::/10)',
    ],
  ],
  [
    'a service with an external name that is no domain',
    services,
    { spec: { type: 'ExternalName', externalName: 'a_b' } },
    [
      'spec.externalName',
      "Invalid value: \"a_b\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [
    'a TLS secret without data',
    secrets,
    { type: 'kubernetes.io/tls' },
    ['data[tls.crt]', 'Required value'],
    ['data[tls.key]', 'Required value'],
  ],
  [
    'a token secret without a service account',
    secrets,
    { type: 'kubernetes.io/service-account-token' },
    ['metadata.annotations[kubernetes.io/service-account.name]', 'Required value'],
  ],
  [
    'a secret with a wrong key',
    secrets,
    { data: { 'a b': '' } },
    [
      'data[a b]',
      "Invalid value: \"a b\": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    ],
  ],
  ['an endpoint slice without an address type', slices, { endpoints: [] }, ['addressType', 'Required value']],
  [
    'an endpoint slice with an endpoint without addresses',
    slices,
    { addressType: 'IPv4', endpoints: [{ addresses: [] }] },
    ['endpoints[0].addresses', 'Required value: must contain at least 1 address'],
  ],
  [
    'an endpoint slice with two ports of one name',
    slices,
    { addressType: 'IPv4', endpoints: [], ports: [{ port: 1 }, { port: 2 }] },
    ['ports[1].name', 'Duplicate value: ""'],
  ],
  [
    'an endpoint slice with a name that is not qualified',
    slices,
    { addressType: 'FQDN', endpoints: [{ addresses: ['host'] }] },
    [
      'endpoints[0].addresses[0]',
      'Invalid value: "host": should be a domain with at least two segments separated by dots',
    ],
  ],
  [
    'an ingress without rules',
    ingresses,
    { spec: {} },
    ['spec', 'Invalid value: null: either `defaultBackend` or `rules` must be specified'],
  ],
  [
    'an ingress with a relative path',
    ingresses,
    ingress({ path: 'a' }),
    ['spec.rules[0].http.paths[0].path', 'Invalid value: "a": must be an absolute path'],
  ],
  [
    'an ingress with a path that is not clean',
    ingresses,
    ingress({ path: '/a/../b' }),
    ['spec.rules[0].http.paths[0].path', 'Invalid value: "/a/../b": must not contain \'/../\''],
  ],
  [
    'an ingress with an unknown path type',
    ingresses,
    ingress({ pathType: 'Regex' }),
    [
      'spec.rules[0].http.paths[0].pathType',
      'Unsupported value: "Regex": supported values: "Exact", "ImplementationSpecific", "Prefix"',
    ],
  ],
  [
    'an ingress with an address as host',
    ingresses,
    ingress({}, '1.2.3.4'),
    ['spec.rules[0].host', 'Invalid value: "1.2.3.4": must be a DNS name, not an IP address'],
  ],
  [
    'an ingress without a backend',
    ingresses,
    ingress({ backend: {} }),
    ['spec.rules[0].http.paths[0].backend', 'Invalid value: "": resource or service backend is required'],
  ],
  [
    'an ingress with two names of a port',
    ingresses,
    ingress({ backend: { service: { name: 's', port: { number: 80, name: 'http' } } } }),
    ['spec.rules[0].http.paths[0].backend', 'Invalid value: "": cannot set both port name & port number'],
  ],
  ['an ingress class without a controller', ingressClasses, { spec: {} }, ['spec.controller', 'Required value']],
  [
    'an ingress class with a controller without a domain',
    ingressClasses,
    { spec: { controller: 'x' } },
    ['spec.controller', 'Invalid value: "x": must be a domain-prefixed path (such as "acme.io/foo")'],
  ],
  [
    'an ingress class with parameters in no namespace',
    ingressClasses,
    { spec: { controller: 'a.io/b', parameters: { kind: 'K', name: 'n', scope: 'Namespace' } } },
    ['spec.parameters.namespace', "Required value: `parameters.scope` is set to 'Namespace'"],
  ],
  [
    'a network policy with a peer that says nothing',
    policies,
    policy({ ingress: [{ from: [{}] }] }),
    ['spec.ingress[0].from[0]', 'Required value: must specify a peer'],
  ],
  [
    'a network policy with a peer that says too much',
    policies,
    policy({ egress: [{ to: [{ podSelector: {}, ipBlock: { cidr: '10.0.0.0/8' } }] }] }),
    ['spec.egress[0].to[0]', 'Forbidden: may not specify both ipBlock and another peer'],
  ],
  [
    'a network policy with an exception outside of its range',
    policies,
    policy({ ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/16'] } }] }] }),
    ['spec.ingress[0].from[0].ipBlock.except[0]', 'Invalid value: "11.0.0.0/16": must be a strict subset of `cidr`'],
  ],
  [
    'a network policy with an end before its port',
    policies,
    policy({ ingress: [{ ports: [{ port: 80, endPort: 79 }] }] }),
    ['spec.ingress[0].ports[0].endPort', 'Invalid value: 80: must be greater than or equal to `port`'],
  ],
  [
    'a network policy with a port of an unknown protocol',
    policies,
    policy({ ingress: [{ ports: [{ protocol: 'HTTP' }] }] }),
    ['spec.ingress[0].ports[0].protocol', 'Unsupported value: "HTTP": supported values: "TCP", "UDP", "SCTP"'],
  ],
  [
    'a claim of no storage',
    claims,
    claim({ resources: { requests: { storage: '0' } } }),
    ['spec.resources[storage]', 'Invalid value: "0": must be greater than zero'],
  ],
  [
    'a claim with an unknown access mode',
    claims,
    claim({ accessModes: ['x'] }),
    [
      'spec.accessModes',
      'Unsupported value: "x": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
    ],
  ],
  [
    'a claim for one pod and for many',
    claims,
    claim({ accessModes: ['ReadWriteOncePod', 'ReadWriteMany'] }),
    ['spec.accessModes', 'Forbidden: may not use ReadWriteOncePod with other access modes'],
  ],
  [
    'a volume of two types',
    volumes,
    volume({ nfs: { server: 's', path: '/' } }),
    ['spec.nfs', 'Forbidden: may not specify more than 1 volume type'],
  ],
  [
    'a volume with more than storage',
    volumes,
    volume({ capacity: { storage: '1Gi', cpu: '1' } }),
    ['spec.capacity', 'Unsupported value: {"cpu":"1","storage":"1Gi"}: supported values: "storage"'],
  ],
  [
    'a volume with an unknown reclaim policy',
    volumes,
    volume({ persistentVolumeReclaimPolicy: 'x' }),
    ['spec.persistentVolumeReclaimPolicy', 'Unsupported value: "x": supported values: "Delete", "Recycle", "Retain"'],
  ],
  [
    'a storage class with an unknown binding mode',
    storageClasses,
    { provisioner: 'a.io/b', volumeBindingMode: 'x' },
    ['volumeBindingMode', 'Unsupported value: "x": supported values: "Immediate", "WaitForFirstConsumer"'],
  ],
  [
    'a webhook without side effects that are known',
    validating,
    hook({ sideEffects: 'Some' }),
    ['webhooks[0].sideEffects', 'Unsupported value: "Some": supported values: "None", "NoneOnDryRun"'],
  ],
  [
    'a webhook for no accepted review',
    validating,
    hook({ admissionReviewVersions: ['v2'] }),
    ['webhooks[0].admissionReviewVersions', 'Invalid value: ["v2"]: must include at least one of v1, v1beta1'],
  ],
  [
    'a webhook with a URL with a query',
    validating,
    hook({ clientConfig: { url: 'https://x.example.com/?a=b' } }),
    ['webhooks[0].clientConfig.url', 'Invalid value: "a=b": query parameters are not permitted in the URL'],
  ],
  [
    'a webhook with a service on a wrong path',
    validating,
    hook({ clientConfig: { service: { name: 's', namespace: 'n', path: 'x' } } }),
    ['webhooks[0].clientConfig.service.path', 'Invalid value: "x": must start with a \'/\''],
    ['webhooks[0].clientConfig.service.path', 'Invalid value: "x": segment[0] may not be empty'],
  ],
  [
    'a webhook with all resources and one more',
    validating,
    hook({ rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['*', 'pods'] }] }),
    [
      'webhooks[0].rules[0].resources',
      'Invalid value: ["*","pods"]: if \'*\' is present, must not specify other resources without subresources',
    ],
  ],
  [
    'two webhooks of one name',
    validating,
    { webhooks: [...hook({}).webhooks, ...hook({}).webhooks] },
    ['webhooks[1].name', 'Duplicate value: "a.b.example.com"'],
  ],
  [
    'an API service of too high a priority',
    apiServices,
    { spec: { group: 'x.example.com', version: 'v1', groupPriorityMinimum: 20001, versionPriority: 10 } },
    ['metadata.name', 'Invalid value: "{name}": must be `spec.version+"."+spec.group`: "v1.x.example.com"'],
    ['spec.groupPriorityMinimum', 'Invalid value: 20001: must be positive and less than 20000'],
  ],
];

export const area: Area = defineArea('rules of kinds', (rule) => {
  refusals(rule, rows);

  rule('the cluster IP of a service cannot change', async (api) => {
    const causes = await causesOfChange(api, services, service({}), {
      spec: { clusterIP: 'None', clusterIPs: ['None'] },
    });
    expect(causes).toEqual([['spec.clusterIPs[0]', 'Invalid value: ["None"]: may not change once set']]);
  });

  rule('a service of another type loses its cluster IP and gets one again', async (api) => {
    const namespace = await api.namespace();
    const made: Doc = await api.create(services(namespace), { metadata: { name: 'one' }, ...service({}) });
    expect(made.spec['clusterIPs']).toEqual([made.spec['clusterIP']]);
    const at = `${services(namespace)}/one`;
    const external = await api.patch(at, 'merge', { spec: { type: 'ExternalName', externalName: 'a.example.com' } });
    expect(external.spec).not.toHaveProperty('clusterIP');
    const again = await api.patch(at, 'merge', { spec: { type: 'NodePort', externalName: null } });
    expect(again.spec['clusterIP']).toMatch(/^10\./);
    expect(again.spec['ports']).toMatchObject([{ nodePort: expect.any(Number) }]);
  });

  rule('the type of a secret and the provisioner of a storage class cannot change', async (api) => {
    expect(await causesOfChange(api, secrets, {}, { type: 'other' })).toEqual([
      ['type', 'Invalid value: "other": field is immutable'],
    ]);
    expect(await causesOfChange(api, storageClasses, { provisioner: 'a.io/b' }, { provisioner: 'c.io/d' })).toEqual([
      ['provisioner', 'Invalid value: "c.io/d": field is immutable'],
    ]);
  });

  rule('the spec of a claim cannot change', async (api) => {
    const causes = await causesOfChange(api, claims, claim({}), { spec: { accessModes: ['ReadOnlyMany'] } });
    expect(causes).toEqual([
      ['spec', expect.stringContaining('Forbidden: spec is immutable after creation except resources.requests')],
    ]);
  });

  rule('the source of a volume cannot change', async (api) => {
    const causes = await causesOfChange(api, volumes, volume({}), { spec: { hostPath: { path: '/other' } } });
    expect(causes).toEqual([
      [
        'spec.persistentvolumesource',
        expect.stringContaining('spec.persistentvolumesource is immutable after creation'),
      ],
    ]);
  });

  rule('endpoints, and services with external IPs, are warned of', async (api) => {
    const namespace = await api.namespace();
    const listed = await api.request('GET', CORE('endpoints')(namespace), {});
    expect(listed.headers['warning']).toContain('v1 Endpoints is deprecated in v1.33+');
    const body = { metadata: { name: 'one' }, ...service({ externalIPs: ['9.9.9.9'] }) };
    const made = await api.request('POST', services(namespace), { body });
    expect(made.headers['warning']).toContain('spec.externalIPs is deprecated');
  });
});
