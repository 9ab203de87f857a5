/** A kubeconfig with one context, and these settings of its cluster and its user. */
export function kubeconfigText(user: object, cluster: object = {}): string {
  return JSON.stringify({
    'current-context': 'x',
    contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
    clusters: [{ name: 'x', cluster: { server: 'https://127.0.0.1:6443', ...cluster } }],
    users: [{ name: 'x', user }],
  });
}
