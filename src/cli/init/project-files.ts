import { imageOf, type Project } from './project.js';

/** The files of a new project around its sources, by their paths. */
export function projectFiles(project: Project): Readonly<Record<string, string>> {
  return {
    'package.json': json(packageOf(project)),
    'tsconfig.json': json(tsconfig),
    '.gitignore': 'node_modules/\ndist/\n.kubeconfig\n',
    '.dockerignore': 'node_modules/\ndist/\n.git/\n.kubeconfig\n',
    Dockerfile: dockerfile,
    '.github/workflows/ci.yaml': workflow,
    'README.md': readme(project),
  };
}

function json(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function packageOf(project: Project): object {
  const { name, version } = project;
  return {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: { node: '>=20.19' },
    scripts: {
      build: 'tsc',
      dev: 'npm run --silent build && node dist/dev.js',
      test: 'npm run --silent build && node --test dist/*.test.js',
      'print-manifests': `kubeflect manifests dist/operator.js --image ${imageOf(project)}`,
      manifests: 'npm run --silent build && npm run --silent print-manifests > manifests/operator.yaml',
      'check-manifests': 'npm run --silent build && npm run --silent print-manifests -- --check manifests',
    },
    dependencies: { kubeflect: `^${version}` },
    devDependencies: { '@types/node': '^20.19.9', typescript: '^5.9.3' },
  };
}

const tsconfig = {
  compilerOptions: {
    target: 'ES2022',
    lib: ['ES2023', 'ESNext.Disposable'],
    module: 'NodeNext',
    types: ['node'],
    rootDir: 'src',
    outDir: 'dist',
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    skipLibCheck: true,
    sourceMap: true,
  },
  include: ['src'],
};

const dockerfile = `FROM node:22-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY tsconfig.json ./
COPY src ./src
RUN npm run build
RUN npm prune --omit=dev

FROM node:22-slim
WORKDIR /app
ENV NODE_ENV=production
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
# A number, so that runAsNonRoot of the Deployment can be checked.
USER 1000
CMD ["node", "dist/main.js"]
`;

const workflow = `name: ci
on: [push, pull_request]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 22
          cache: npm
      - run: npm ci
      - run: npm test
      # Fails if manifests/ is not what the sources declare: run npm run manifests, and commit the result.
      - run: npm run check-manifests
`;

const readme = (project: Project): string => `# ${project.name}

An operator for the kind \`${project.kind}\` of \`${project.group}\`, made with [kubeflect](https://www.npmjs.com/package/kubeflect).

| command | what it does |
| --- | --- |
| \`npm run dev\` | runs the operator on an API server inside the program; \`.kubeconfig\` leads kubectl there |
| \`npm run dev -- --cluster\` | runs it on the current context of your kubeconfig, and applies the definition |
| \`npm test\` | runs the tests on an API server inside the program, in virtual time |
| \`npm run manifests\` | writes \`manifests/operator.yaml\`: definition, Roles, Deployment |
| \`npm run check-manifests\` | fails if the manifests are not up to date |

To deploy it, build the image (\`docker build -t ${imageOf(project)} .\`), push it to a registry that your cluster reads, set its name in the script
\`print-manifests\` of package.json, and \`npm run manifests && kubectl apply --server-side -f manifests/\`.

\`src/resource.ts\` defines the kind, \`src/controller.ts\` what the operator does for each object, \`src/operator.ts\` what the manager runs.
`;
