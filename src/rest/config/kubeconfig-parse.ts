import { isAbsolute, join } from 'node:path';
import type { CST, Document } from 'yaml';
import { Secret } from '../../meta/secret.js';
import { ConfigError } from '../credentials/config-errors.js';
import { EXEC_API_VERSIONS, type ExecPluginConfig, INTERACTIVE_MODES } from '../credentials/exec-credential.js';
import type { OidcConfig } from '../credentials/oidc-provider.js';
import type { ServerSpec } from '../credentials/server-spec.js';
import type { UserSpec } from '../credentials/user-spec.js';
import type { Impersonation } from '../http/connection-config.js';
import { Fields } from './kubeconfig-fields.js';

/** An entry of a kubeconfig, and the file it came from. */
export interface Named {
  readonly name: string;
  readonly file: string;
  /**
   * Why the entry cannot be used. Thrown only when it is used, as by kubectl: an entry with, for example, an outdated plugin
   * must not break the others.
   */
  readonly trouble?: ConfigError | undefined;
}

export interface KubeconfigCluster extends Named, Omit<ServerSpec, 'server'> {
  /** An error only if the cluster is used. */
  readonly server: string | undefined;
}

export interface KubeconfigUser extends Named, UserSpec {
  /** The name of an auth-provider that is not supported. An error only if the user is used. */
  readonly unsupported?: string | undefined;
}

export interface KubeconfigContext extends Named {
  readonly cluster: string | undefined;
  readonly user: string | undefined;
  readonly namespace: string | undefined;
}

/** One kubeconfig file, or several of them merged. */
export interface Kubeconfig {
  /** The files that it was read from. */
  readonly files: readonly string[];
  readonly currentContext: string | undefined;
  readonly clusters: ReadonlyMap<string, KubeconfigCluster>;
  readonly users: ReadonlyMap<string, KubeconfigUser>;
  readonly contexts: ReadonlyMap<string, KubeconfigContext>;
}

/** The file of a kubeconfig, and the directory that its relative paths start from. */
export interface KubeconfigOrigin {
  /** Names it in errors. */
  readonly file: string;
  readonly directory: string;
}

/** The cluster extension with settings of credential plugins. */
const EXEC_EXTENSION = 'client.authentication.k8s.io/exec';

/** Parses a kubeconfig, YAML or JSON. Relative paths become absolute; secrets are wrapped in {@link Secret}. */
export async function parseKubeconfig(text: string, origin: KubeconfigOrigin): Promise<Kubeconfig> {
  const document = new Fields(await parseKubeconfigYaml(text, origin.file), origin.file);
  const kind = document.string('kind');
  if (kind !== undefined && kind !== 'Config')
    throw document.error('kind', 'must be Config: the file is not a kubeconfig');
  const resolve = (path: string): string => (isAbsolute(path) ? path : join(origin.directory, path));
  return {
    files: [origin.file],
    currentContext: document.string('current-context'),
    clusters: namedEntries(document, 'clusters', 'cluster', origin.file, (fields) =>
      parseEntry(() => parseCluster(fields, resolve), { server: undefined }),
    ),
    users: namedEntries(document, 'users', 'user', origin.file, (fields) =>
      parseEntry(() => parseUser(fields, resolve), {}),
    ),
    contexts: namedEntries(document, 'contexts', 'context', origin.file, parseContext),
  };
}

/** Parses YAML 1.1, as kubectl does, but without dates, which no field is. Errors contain no part of the text. */
export async function parseKubeconfigYaml(text: string, file: string): Promise<unknown> {
  const { Composer, isCollection, isScalar, LineCounter, visit } = await import('yaml');
  const { YamlDepthError, yamlTokens } = await import('../../codec/yaml/yaml-tokens.js');
  const lines = new LineCounter();
  const invalid = (position: number, reason: string): ConfigError => {
    const { line, col } = lines.linePos(position);
    return new ConfigError(`kubeconfig ${file}: not valid YAML at line ${line}, column ${col} (${reason})`, { file });
  };
  const composer = new Composer({
    version: '1.1',
    customTags: (tags) => tags.filter((tag) => typeof tag === 'string' || tag.tag !== 'tag:yaml.org,2002:timestamp'),
    // The parser compares each key with all before it, which takes 8 s for 20,000 keys. `visit` below checks them.
    uniqueKeys: false,
    // Warnings about aliases that are keys contain parts of the text.
    logLevel: 'silent',
  });
  const tokens = (): CST.Token[] => {
    try {
      return yamlTokens(text, lines);
    } catch (error) {
      if (!(error instanceof YamlDepthError)) throw error;
      throw new ConfigError(`kubeconfig ${file}: not a kubeconfig: its YAML ${error.message}`, { file });
    }
  };
  // Documents after the first are ignored. An empty text has one too.
  const { value: document } = composer
    .compose(tokens(), true, text.length)
    .next() as IteratorYieldResult<Document.Parsed>;
  const [error] = document.errors;
  if (error !== undefined) throw invalid(error.pos[0], error.code.toLowerCase().replaceAll('_', ' '));
  visit(document, {
    Map(_, { items }) {
      const keys = new Set<unknown>();
      for (const { key } of items) {
        // No field has such a name, and printing a key of many levels takes long.
        if (isCollection(key)) throw invalid(key.range?.[0] ?? 0, 'a key is a map or a list');
        if (!isScalar(key) || key.value === '<<') continue;
        if (keys.has(key.value)) throw invalid(key.range?.[0] ?? 0, 'duplicate key');
        keys.add(key.value);
      }
    },
  });
  try {
    return document.toJS();
  } catch {
    // Aliases without an anchor, or too many. The parser's message contains parts of the text.
    throw new ConfigError(`kubeconfig ${file}: its YAML aliases cannot be resolved`, { file });
  }
}

function namedEntries<T>(
  document: Fields,
  listName: string,
  entryName: string,
  file: string,
  parse: (fields: Fields) => T,
): ReadonlyMap<string, T & Named> {
  const entries = new Map<string, T & Named>();
  for (const item of document.maps(listName)) {
    const name = item.required('name');
    if (entries.has(name)) throw document.error(listName, `has two entries named ${JSON.stringify(name)}`);
    entries.set(name, { name, file, ...parse(item.map(entryName)) });
  }
  return entries;
}

/** The parsed entry, or `otherwise` with the error if it is invalid. */
function parseEntry<T>(parse: () => T, otherwise: T): T & Pick<Named, 'trouble'> {
  try {
    return { ...parse(), trouble: undefined };
  } catch (error) {
    if (error instanceof ConfigError) return { ...otherwise, trouble: error };
    throw error;
  }
}

function parseCluster(fields: Fields, resolve: (path: string) => string): Omit<KubeconfigCluster, keyof Named> {
  const extension = fields.maps('extensions').find((candidate) => candidate.string('name') === EXEC_EXTENSION);
  return {
    server: fields.string('server'),
    ca: fields.pem('certificate-authority', resolve),
    tlsServerName: fields.string('tls-server-name'),
    insecureSkipTlsVerify: fields.boolean('insecure-skip-tls-verify'),
    proxyUrl: fields.secret('proxy-url'),
    execConfig: extension?.raw('extension'),
  };
}

function parseContext(fields: Fields): Omit<KubeconfigContext, keyof Named> {
  return {
    cluster: fields.string('cluster'),
    user: fields.string('user'),
    namespace: fields.string('namespace'),
  };
}

function parseUser(fields: Fields, resolve: (path: string) => string): Omit<KubeconfigUser, keyof Named> {
  const tokenFile = fields.string('tokenFile');
  const provider = fields.has('auth-provider') ? fields.map('auth-provider') : undefined;
  const providerName = provider?.required('name');
  return {
    token: fields.secret('token'),
    tokenFile: tokenFile === undefined ? undefined : resolve(tokenFile),
    username: fields.string('username'),
    password: fields.secret('password'),
    cert: fields.pem('client-certificate', resolve),
    key: fields.pem('client-key', resolve),
    exec: fields.has('exec') ? parseExec(fields.map('exec'), resolve) : undefined,
    oidc: provider !== undefined && providerName === 'oidc' ? parseOidc(provider.map('config'), resolve) : undefined,
    unsupported: providerName === 'oidc' ? undefined : providerName,
    impersonate: parseImpersonation(fields),
  };
}

function parseImpersonation(fields: Fields): Impersonation | undefined {
  const user = fields.string('as');
  const uid = fields.string('as-uid');
  const groups = fields.strings('as-groups');
  const extras = fields.map('as-user-extra');
  const extra = Object.fromEntries(extras.names().map((name) => [name, extras.strings(name)]));
  if (user !== undefined) return { user, uid, groups, extra };
  if (uid === undefined && groups.length === 0 && extras.names().length === 0) return undefined;
  throw fields.error('as', 'is missing: as-uid, as-groups and as-user-extra need a user');
}

function parseExec(fields: Fields, resolve: (path: string) => string): ExecPluginConfig {
  const command = fields.required('command');
  const version = fields.required('apiVersion');
  const apiVersion = EXEC_API_VERSIONS.find((known) => known === version);
  if (apiVersion === undefined) {
    throw fields.error('apiVersion', `must be one of ${EXEC_API_VERSIONS.join(', ')}: update the plugin`);
  }
  const interactiveMode = fields.oneOf('interactiveMode', INTERACTIVE_MODES);
  if (interactiveMode === undefined && apiVersion === 'client.authentication.k8s.io/v1') {
    throw fields.error('interactiveMode', `is missing: set it to one of ${INTERACTIVE_MODES.join(', ')}`);
  }
  return {
    apiVersion,
    // A bare name is looked up on PATH; anything with a slash is a path.
    command: command.includes('/') ? resolve(command) : command,
    args: fields.strings('args'),
    env: new Map(fields.maps('env').map((one) => [one.required('name'), new Secret(one.string('value') ?? '')])),
    installHint: fields.string('installHint'),
    interactiveMode: interactiveMode ?? 'IfAvailable',
    provideClusterInfo: fields.boolean('provideClusterInfo'),
  };
}

function parseOidc(fields: Fields, resolve: (path: string) => string): OidcConfig {
  return {
    issuerUrl: fields.required('idp-issuer-url'),
    clientId: fields.required('client-id'),
    clientSecret: fields.secret('client-secret'),
    idToken: fields.secret('id-token'),
    refreshToken: fields.secret('refresh-token'),
    ca: fields.pem('idp-certificate-authority', resolve),
  };
}
