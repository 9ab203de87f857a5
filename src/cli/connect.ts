import { Client } from '../client/client.js';
import { userAgent } from '../rest/request/user-agent.js';
import type { CommandContext } from './command.js';
import { packageVersion } from './version.js';

/** The options that choose a cluster, for `parseArguments`. */
export const clusterOptions = {
  kubeconfig: { type: 'string' },
  context: { type: 'string' },
} as const;

/** The values of {@link clusterOptions}. */
export interface ClusterChoice {
  /** @default KUBECONFIG, ~/.kube/config, or the cluster this runs in */
  readonly kubeconfig?: string | undefined;
  /** @default the current one */
  readonly context?: string | undefined;
  /** The wire format, for a command that needs the JSON of the server. @default that of clients */
  readonly wire?: 'json' | undefined;
}

/** Runs `work` with a client for the cluster that the options choose, and closes the client. */
export async function withClient<R>(
  choice: ClusterChoice,
  context: Pick<CommandContext, 'env' | 'connect' | 'stderr'>,
  work: (client: Client) => Promise<R>,
): Promise<R> {
  const client = await (context.connect?.(choice) ?? connect(choice, context));
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

function connect(
  choice: ClusterChoice,
  { env = process.env, stderr }: Pick<CommandContext, 'env' | 'stderr'>,
): Promise<Client> {
  const { kubeconfig, context, wire } = choice;
  const warned = new Set<string>();
  const options = {
    context,
    env,
    wire,
    userAgent: userAgent({ program: 'kubeflect', version: packageVersion() }),
    onWarning: (text: string) => {
      if (!warned.has(text)) stderr.write(`warning: ${text}\n`);
      warned.add(text);
    },
  };
  return kubeconfig === undefined ? Client.fromDefault(options) : Client.fromKubeconfig({ path: kubeconfig }, options);
}
