import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const usage = `Runs the conformance suite on any Kubernetes API server.

  npm run conformance -- --url https://host:6443 --token … [--ca ca.crt] [--area get,list] [-- vitest options]

  --url    base address of the server
  --token  bearer token of a user who may do everything
  --ca     file with the certificate authority; without it the certificate is not verified
  --area   only these areas

The suite makes namespaces called conformance-… and deletes them. Do not point it at a cluster you care about.
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    url: { type: 'string' },
    token: { type: 'string' },
    ca: { type: 'string' },
    area: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
});

if (values.help || values.url === undefined) {
  process.stderr.write(usage);
  process.exit(values.help ? 0 : 1);
}

const given = {
  CONFORMANCE_URL: values.url,
  CONFORMANCE_TOKEN: values.token,
  CONFORMANCE_CA: values.ca,
  CONFORMANCE_AREAS: values.area,
};
const env = { ...process.env };
for (const [name, value] of Object.entries(given)) if (value !== undefined) env[name] = value;

const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const config = fileURLToPath(new URL('../../vitest.conformance.config.ts', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));
spawn(process.execPath, [vitest, 'run', '--root', root, '--config', config, ...positionals], {
  stdio: 'inherit',
  env,
}).on('exit', (code) => process.exit(code ?? 1));
