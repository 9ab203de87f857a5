/** The packages of the types that are not in `io.k8s.api`. */
const PACKAGES: Readonly<Record<string, string>> = {
  meta: 'io.k8s.apimachinery.pkg.apis.meta',
  apiextensions: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions',
  apiregistration: 'io.k8s.kube-aggregator.pkg.apis.apiregistration',
  resource: 'io.k8s.apimachinery.pkg.api.resource',
  intstr: 'io.k8s.apimachinery.pkg.util.intstr',
  runtime: 'io.k8s.apimachinery.pkg.runtime',
  version: 'io.k8s.apimachinery.pkg.version',
};

/** The OpenAPI name of a custom kind: `com.example.v1.Widget` in the group `example.com`. */
export function customSchemaName(group: string, version: string, kind: string): string {
  return `${group.split('.').reverse().join('.')}.${version}.${kind}`;
}

/** The OpenAPI name of a type in the notation of resources/type-fields.ts: `io.k8s.api.apps.v1.Deployment` of `apps/v1.Deployment`. */
export function schemaName(type: string): string {
  const [home = '', name = ''] = type.split('.');
  const [group = '', version] = home.split('/');
  // The group resource.k8s.io has versions, the package with Quantity has none.
  const known = group === 'resource' && version !== undefined ? undefined : PACKAGES[group];
  return `${known ?? `io.k8s.api.${group}`}${version === undefined ? '' : `.${version}`}.${name}`;
}
