import type { LeaderElectorOptions } from '../../election/index.js';
import { dns1123SubdomainErrors } from '../../meta/names.js';
import { checkOptions, type OptionNames } from '../../meta/options/known-options.js';
import {
  optionError,
  requireFunction,
  requireInteger,
  requireNumber,
  requireObject,
  requireOneOf,
  requireString,
} from '../../meta/options/validate.js';
import { definitionOf } from '../controller.js';
import { checkConversions } from '../manifests/custom-definitions.js';
import type { CacheOptions, Controller } from '../types.js';
import type { Webhook, WebhookServerOptions } from '../webhooks/types.js';
import { webhookDefinition } from '../webhooks/webhook.js';

/** What a manager runs, and how. `manifests` and `createWorld` take the same options: define them once. */
export interface ManagerOptions {
  /** Names the Lease, the ServiceAccount, the Roles and the Deployment. */
  readonly name: string;
  /** @default []; more can be added with `manager.add` */
  // biome-ignore lint/suspicious/noExplicitAny: controllers of different kinds share no other type
  readonly controllers?: readonly Controller<any>[] | undefined;
  /** What `validate`, `mutate` and `convert` returned. Every replica serves them. @default [] */
  readonly webhooks?: readonly Webhook[] | undefined;
  /**
   * What the manager does with the definitions of the custom resources in use: it applies them unless that would harm stored
   * objects, compares them and reports differences, or leaves them alone.
   * @default 'check'
   */
  readonly definitions?: 'apply' | 'check' | 'ignore' | undefined;
  /** The namespace of the manager itself. @default the client's namespace, or 'default' */
  readonly namespace?: string | undefined;
  /** Options of the caches that controllers share: namespaces, selectors, transforms. @default all objects */
  readonly cache?: CacheOptions | undefined;
  /** Other options for some resources: `{ secrets: { labelSelector: 'app=web' }, 'deployments.apps': … }`. @default `cache` for all */
  readonly cacheOf?: Readonly<Record<string, CacheOptions>> | undefined;
  /** Whether one replica at a time runs the controllers, by a Lease; or options of that election. @default true */
  readonly election?: boolean | Omit<Partial<LeaderElectorOptions>, 'namespace'> | undefined;
  /** Whether a replica fills its caches before it leads for the first time. @default 'warm' */
  readonly standby?: 'warm' | 'cold' | undefined;
  /** How long running reconciles may go on after the stop before their signals abort. @default 20_000 */
  readonly drainMs?: number | undefined;
  /** The port of `/metrics`, `/livez` and `/readyz`; `false` for none. @default 8080 */
  readonly port?: number | false | undefined;
  /** How webhooks are served. @default port 9443, managed certificates */
  readonly webhookServer?: WebhookServerOptions | undefined;
  /** Called with what the manager survives: failed watches, lost leases, caches that stay behind. @default a process warning */
  readonly onError?: ((error: Error) => void) | undefined;
}

const managerNames: OptionNames<ManagerOptions> = {
  name: true,
  controllers: true,
  webhooks: true,
  definitions: true,
  namespace: true,
  cache: true,
  cacheOf: true,
  election: true,
  standby: true,
  drainMs: true,
  port: true,
  webhookServer: true,
  onError: true,
};

const webhookServerNames: OptionNames<WebhookServerOptions> = { port: true, service: true, certificates: true };

/** Checks the options; the options of caches and of the election are checked where they are used. */
export function checkManagerOptions(call: string, options: ManagerOptions): ManagerOptions {
  requireObject('options', options, 'an object with name and controllers');
  checkOptions(call, options, managerNames);
  if (dns1123SubdomainErrors(requireString('name', options.name)).length > 0)
    throw optionError('name', "a DNS name such as 'widget-operator'", options.name);
  if (options.controllers !== undefined && !Array.isArray(options.controllers))
    throw optionError('controllers', 'an array of what createController returned', options.controllers);
  const names = new Set<string>();
  for (const controller of options.controllers ?? []) {
    const { name } = definitionOf(controller);
    if (names.has(name)) throw new TypeError(`there are two controllers named ${JSON.stringify(name)}: rename one`);
    names.add(name);
  }
  checkWebhooks(options);
  requireOneOf('definitions', options.definitions ?? 'check', ['apply', 'check', 'ignore']);
  requireOneOf('standby', options.standby ?? 'warm', ['warm', 'cold']);
  requireNumber('drainMs', options.drainMs ?? 20_000);
  if (options.port !== undefined && options.port !== false) requireInteger('port', options.port, 0, 65_535);
  if (options.namespace !== undefined) requireString('namespace', options.namespace);
  if (options.onError !== undefined) requireFunction('onError', options.onError);
  const { election = true } = options;
  if (typeof election !== 'boolean') requireObject('election', election, 'true, false or options of a LeaderElector');
  return options;
}

function checkWebhooks(options: ManagerOptions): void {
  const { webhooks = [], webhookServer = {} } = options;
  if (!Array.isArray(webhooks))
    throw optionError('webhooks', 'an array of what validate, mutate and convert returned', webhooks);
  const names = new Set<string>();
  for (const webhook of webhooks) {
    const { type, name } = webhookDefinition(webhook);
    const full = `${type} ${name}`;
    if (names.has(full))
      throw new TypeError(`there are two webhooks to ${type} named ${JSON.stringify(name)}: give one another name`);
    names.add(full);
  }
  checkConversions(options);
  requireObject('webhookServer', webhookServer, 'an object with port, service and certificates');
  checkOptions('webhookServer', webhookServer, webhookServerNames);
  const { port, service, certificates = 'managed' } = webhookServer;
  if (port !== undefined) requireInteger('webhookServer.port', port, 0, 65_535);
  if (service !== undefined) {
    requireObject('webhookServer.service', service, 'an object with name, namespace and port');
    checkOptions('webhookServer.service', service, { name: true, namespace: true, port: true });
    requireString('webhookServer.service.name', service.name);
    if (service.namespace !== undefined) requireString('webhookServer.service.namespace', service.namespace);
    if (service.port !== undefined) requireInteger('webhookServer.service.port', service.port, 1, 65_535);
  }
  if (certificates === 'managed') return;
  requireObject('webhookServer.certificates', certificates, "'managed', or an object with certFile and keyFile");
  checkOptions('webhookServer.certificates', certificates, { certFile: true, keyFile: true, caFile: true });
  for (const file of ['certFile', 'keyFile'] as const)
    requireString(`webhookServer.certificates.${file}`, certificates[file]);
  if (certificates.caFile !== undefined) requireString('webhookServer.certificates.caFile', certificates.caFile);
}
