/** A valid deployment; `spec` replaces or adds fields of its spec. */
export function deploymentBody(name: string, spec = {}): { metadata: { name: string }; spec: object } {
  return {
    metadata: { name },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'main', image: 'example.com/main:1' }] },
      },
      ...spec,
    },
  };
}

/** A valid pod; `spec` replaces or adds fields of its spec, `metadata` of its metadata. */
export function podBody(name: string, spec = {}, metadata = {}): { metadata: { name: string }; spec: object } {
  return {
    metadata: { name, ...metadata },
    spec: { containers: [{ name: 'main', image: 'example.com/main:1' }], ...spec },
  };
}

export function deployments(namespace: string): string {
  return `/apis/apps/v1/namespaces/${namespace}/deployments`;
}

export function pods(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/pods`;
}
