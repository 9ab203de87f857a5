/** A cluster of a KubeConfig, by the names of the official client. */
export interface Cluster {
  readonly name: string;
  /** The certificate authority, in base64. */
  readonly caData?: string | undefined;
  caFile?: string | undefined;
  readonly server: string;
  readonly tlsServerName?: string | undefined;
  /** @default false */
  readonly skipTLSVerify?: boolean | undefined;
  readonly proxyUrl?: string | undefined;
}

/** A user of a KubeConfig. */
export interface User {
  readonly name: string;
  readonly certData?: string | undefined;
  certFile?: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: programs were written against this type
  readonly exec?: any;
  readonly keyData?: string | undefined;
  keyFile?: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: programs were written against this type
  readonly authProvider?: any;
  readonly token?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly impersonateUser?: string | undefined;
}

/** A context of a KubeConfig. */
export interface Context {
  readonly name: string;
  readonly cluster: string;
  readonly user: string;
  readonly namespace?: string | undefined;
}

/** The names of fields here and in a kubeconfig. */
type FieldNames = Readonly<Record<string, string>>;

const CLUSTER: FieldNames = {
  caData: 'certificate-authority-data',
  caFile: 'certificate-authority',
  server: 'server',
  tlsServerName: 'tls-server-name',
  skipTLSVerify: 'insecure-skip-tls-verify',
  proxyUrl: 'proxy-url',
};
const USER: FieldNames = {
  certData: 'client-certificate-data',
  certFile: 'client-certificate',
  exec: 'exec',
  keyData: 'client-key-data',
  keyFile: 'client-key',
  authProvider: 'auth-provider',
  token: 'token',
  username: 'username',
  password: 'password',
  impersonateUser: 'as',
};
const CONTEXT: FieldNames = { cluster: 'cluster', user: 'user', namespace: 'namespace' };

/** The three lists of a kubeconfig: where an entry stands, and its fields. */
const sections: Readonly<Record<Section, { readonly entry: string; readonly names: FieldNames }>> = {
  clusters: { entry: 'cluster', names: CLUSTER },
  users: { entry: 'user', names: USER },
  contexts: { entry: 'context', names: CONTEXT },
};
type Section = 'clusters' | 'users' | 'contexts';

/** Fields of a kubeconfig that entries have no names for; they are kept for the connection and for `exportConfig`. */
const others = new WeakMap<object, Readonly<Record<string, unknown>>>();

/** Reads the entries of a list. */
export function readEntries<T extends object>(document: Readonly<Record<string, unknown>>, section: Section): T[] {
  const { entry, names } = sections[section];
  const list = document[section] ?? [];
  if (!Array.isArray(list)) throw new Error(`kubeconfig: ${section} must be a list`);
  return list.map((item: Readonly<Record<string, unknown>> | null, index) => {
    const name = item?.['name'];
    if (typeof name !== 'string' || name === '') throw new Error(`kubeconfig: ${section}[${index}].name is missing`);
    const { ...rest } = (item![entry] ?? {}) as Record<string, unknown>;
    const made: Record<string, unknown> = { name };
    for (const [own, written] of Object.entries(names)) {
      if (rest[written] !== undefined && rest[written] !== null) made[own] = rest[written];
      delete rest[written];
    }
    if (section === 'clusters') made['skipTLSVerify'] ??= false;
    if (Object.keys(rest).length > 0) others.set(made, rest);
    return made as T;
  });
}

/** An entry as in a kubeconfig. */
export function writeEntry(section: Section, given: object): object {
  const { entry, names } = sections[section];
  const value = given as Readonly<Record<string, unknown>>;
  const written: Record<string, unknown> = { ...others.get(given) };
  for (const [own, name] of Object.entries(names)) if (value[own] !== undefined) written[name] = value[own];
  const provider = written['auth-provider'] as { name?: string; config?: Record<string, unknown> } | undefined;
  if (provider?.name === 'tokenFile') {
    delete written['auth-provider'];
    written['tokenFile'] = provider.config?.['tokenFile'];
  }
  return { name: value['name'], [entry]: written };
}
