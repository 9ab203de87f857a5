import type { TokenUser } from '../../apiserver/access/authentication.js';
import type { ResourceRequestInfo } from '../../apiserver/wire/request-info.js';
import type { ManagerOptions } from '../../controller/manager/manager-options.js';
import { Client } from '../../index.js';
import type { WorldOptions } from './types.js';
import { type WorldGate, WorldTransport } from './world-transport.js';

/** The token of all managers: they have the same ServiceAccount. */
export const TOKEN: string = 'world';

/** The user that managers are. */
export function accountOf(options: ManagerOptions, { permissions = 'declared' }: WorldOptions): TokenUser {
  const namespace = homeOf(options);
  const all = permissions === 'all' ? ['system:masters'] : [];
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, ...all];
  return { name: `system:serviceaccount:${namespace}:${options.name}`, groups };
}

/** Without a port and without files: the managers of a world are in one process. */
export function inWorld(options: ManagerOptions): ManagerOptions {
  return { ...options, port: false, webhookServer: { ...options.webhookServer, certificates: 'managed' } };
}

/** The namespace that `manifests` puts a manager into. */
export function homeOf({ namespace, name }: ManagerOptions): string {
  return namespace ?? name;
}

/** A client with the connection of one process of the world. */
export function throughTransport(admin: Client, gate: WorldGate): { client: Client; transport: WorldTransport } {
  let made: WorldTransport | undefined;
  const rest = admin.rest.through((inner) => (made = new WorldTransport(inner, gate)));
  return { client: new Client({ rest, namespace: admin.namespace }), transport: made as unknown as WorldTransport };
}

/** How to allow a request that was refused. */
export function ruleToAdd({ group, resource, subresource, verb }: ResourceRequestInfo): string {
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  const rule = `{ apiGroups: ['${group}'], resources: ['${full}'], verbs: ['${verb}'] }`;
  return `declare the kind in owns or watches, or add ${rule} to the option permissions of the controller`;
}
