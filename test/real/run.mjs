// @ts-check
import { once } from 'node:events';
import { buildRealApiServer, GoMissingError, kubernetesVersion } from './build.mjs';
import { startRealApiServer } from './real-api-server.mjs';

// Everything after `--` goes to kube-apiserver: npm run real -- --goaway-chance=0.02
const flags = process.argv.slice(2);

try {
  // A signal interrupts a build; once the server has started, it stops the server and removes its data.
  await buildRealApiServer();
  const asked = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  const server = await startRealApiServer({ flags });
  process.stdout.write(`kube-apiserver ${kubernetesVersion} with etcd runs at ${server.url}

  export KUBECONFIG=${server.kubeconfigPath}
  curl --cacert ${server.caPath} -H 'Authorization: Bearer ${server.adminToken}' ${server.url}/api/v1/namespaces

It has no controllers, no scheduler and no nodes. Ctrl-C stops it and removes its data.
`);
  await asked;
  await server.stop();
} catch (error) {
  process.stderr.write(
    `${error instanceof GoMissingError ? error.message : error instanceof Error ? error.stack : error}\n`,
  );
  process.exitCode = 1;
}
