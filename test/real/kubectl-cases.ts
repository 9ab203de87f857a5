/** One run of kubectl, on both servers. `NS` stands for the namespace of the case. */
export interface KubectlStep {
  /** The arguments, separated by blanks; an array if one of them contains a blank. */
  readonly args: string | readonly string[];
  readonly input?: string | undefined;
  /** A shell command that changes the file `$1`: the editor of `kubectl edit`. */
  readonly editor?: string | undefined;
  /** What of the output is compared. @default all of it */
  readonly compared?: ((output: string) => string) | undefined;
  /** The first release with which the step can be compared. @default every one of the suite */
  readonly since?: `1.${number}` | undefined;
}

/** Runs that follow each other, in a namespace of their own. */
export interface KubectlCase {
  readonly title: string;
  readonly steps: readonly (string | KubectlStep)[];
}

const configMap = (name: string, data: string, labels = 'app: x'): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  labels: {${labels}}\ndata: ${data}\n`;

const deployment = (image: string, replicas = 2): string => `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: main, image: "${image}", ports: [{containerPort: 80}]}
`;

const pod = (name: string, more = ''): string =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}}\nspec:\n  containers:\n  - {name: main, image: one}\n${more}`;

const fullPod = `apiVersion: v1
kind: Pod
metadata: {name: full}
spec:
  containers:
  - name: main
    image: one
    env: [{name: A, value: b}, {name: B, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]
    resources: {requests: {cpu: 100m}, limits: {memory: 1Gi}}
    livenessProbe: {httpGet: {path: /, port: 80}}
    volumeMounts: [{name: v, mountPath: /v}]
  volumes: [{name: v, emptyDir: {}}]
`;

const workload = (kind: 'StatefulSet' | 'DaemonSet' | 'ReplicaSet'): string => `apiVersion: apps/v1
kind: ${kind}
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: one}]}
`;

const node = (name: string): string =>
  `apiVersion: v1\nkind: Node\nmetadata: {name: ${name}}\nspec: {podCIDR: 10.1.0.0/24, taints: [{key: a, effect: NoSchedule}]}\n`;

const service =
  'apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {ports: [{port: 80}], selector: {app: web}}\n';

const withInput = (args: string, input: string): KubectlStep => ({ args, input });
const json = (args: string, value: unknown): KubectlStep => ({ args: [...args.split(' '), JSON.stringify(value)] });

/** Names and types of fields: descriptions are not shipped. */
const fieldsOnly = (output: string): string =>
  output
    .split('\n')
    .filter((line) => /^(KIND|VERSION|GROUP|FIELDS?:)|\t</.test(line))
    .join('\n');

/** Without custom resources, which other tests may have defined. */
const builtInOnly = (output: string): string =>
  output
    .split('\n')
    .filter((line) => !line.includes('example.com'))
    .join('\n');

/** Without Events: the repair loop of kube-apiserver writes one about a new Service if it runs in between. */
const withoutEvents = (output: string): string => output.slice(0, output.indexOf('Events:'));

/** The first line: what follows differs between a cluster and a server without nodes. */
const firstLine = (output: string): string => output.split('\n')[0] ?? '';

export const kubectlCases: readonly KubectlCase[] = [
  {
    title: 'apply creates, changes and leaves alone',
    steps: [
      withInput('apply -f -', configMap('a', '{x: "1"}')),
      withInput('apply -f -', configMap('a', '{x: "1"}')),
      withInput('apply -f -', configMap('a', '{x: "2", y: "3"}')),
      withInput('apply -f -', configMap('a', '{y: "3"}')),
      'get configmap a -o jsonpath={.data}',
      'get configmap a -o jsonpath={.metadata.annotations}',
      withInput('apply -f - --dry-run=server', configMap('a', '{z: "1"}')),
      withInput('apply -f - --dry-run=client', configMap('a', '{z: "1"}')),
      'apply view-last-applied configmap a',
      withInput('apply set-last-applied -f -', configMap('a', '{y: "3"}')),
      withInput('apply -f -', deployment('one')),
      withInput('apply -f -', deployment('two', 3)),
      'get deployment web -o jsonpath={.spec.replicas}{.spec.template.spec.containers[0].image}',
    ],
  },
  {
    title: 'apply refuses what the schema does not have',
    steps: [
      withInput('apply -f -', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndate: {}\n'),
      withInput('apply -f -', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: 5\n'),
      withInput('apply -f -', 'apiVersion: v1\nkind: Nothing\nmetadata: {name: a}\n'),
      withInput('apply -f - --validate=warn', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndate: {}\n'),
      withInput('apply -f - --validate=ignore', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndate: {}\n'),
    ],
  },
  {
    title: 'apply --server-side owns fields, and conflicts with others',
    steps: [
      withInput('apply --server-side -f -', configMap('a', '{x: "1"}')),
      withInput('apply --server-side --field-manager=other -f -', configMap('a', '{x: "2"}')),
      withInput('apply --server-side --field-manager=other --force-conflicts -f -', configMap('a', '{x: "2"}')),
      withInput('apply --server-side -f -', configMap('a', '{y: "2"}')),
      'get configmap a -o jsonpath={.data}',
      // Entries of the same operation stand in the order of their seconds, which are not the same on both servers.
      {
        args: 'get configmap a --show-managed-fields -o jsonpath={.metadata.managedFields[*].manager}',
        compared: (output) => output.split(' ').sort().join(' '),
      },
      withInput('apply -f -', configMap('b', '{x: "1"}')),
      withInput('apply --server-side -f -', configMap('b', '{x: "1", y: "2"}')),
      'get configmap b -o jsonpath={.data}',
    ],
  },
  {
    title: 'apply --prune deletes what is no longer given',
    steps: [
      withInput(
        'apply --prune -l app=x --prune-allowlist=core/v1/ConfigMap -f -',
        `${configMap('a', '{}')}---\n${configMap('b', '{}')}`,
      ),
      withInput('apply --prune -l app=x --prune-allowlist=core/v1/ConfigMap -f -', configMap('a', '{}')),
      'get configmap -l app=x -o name',
    ],
  },
  {
    title: 'diff shows what apply would change',
    steps: [
      withInput('apply -f -', configMap('a', '{x: "1"}')),
      withInput('diff -f -', configMap('a', '{x: "1"}')),
      {
        ...withInput('diff -f -', configMap('a', '{x: "2"}')),
        compared: (output) => output.replace(/^(diff|---|\+\+\+) .*$/gm, '$1'),
      },
    ],
  },
  {
    title: 'edit changes an object with an editor',
    steps: [
      withInput('create -f -', configMap('a', '{x: "1"}')),
      { args: 'edit configmap a', editor: `sed -i 's/x: "1"/x: "2"/' "$1"` },
      { args: 'edit configmap a', editor: 'true' },
      'get configmap a -o jsonpath={.data.x}',
    ],
  },
  {
    title: 'patch takes all three types, and subresources',
    steps: [
      withInput('create -f -', `${configMap('a', '{x: "1"}')}---\n${deployment('one')}`),
      json('patch configmap a -p', { data: { y: '2' } }),
      json('patch configmap a --type=merge -p', { data: { x: null } }),
      json('patch configmap a --type=json -p', [{ op: 'remove', path: '/data/y' }]),
      json('patch configmap a --type=json -p', [{ op: 'test', path: '/data/y', value: 'z' }]),
      'get configmap a -o jsonpath={.data}',
      json('patch deployment web -p', {
        spec: { template: { spec: { containers: [{ name: 'side', image: 'two' }] } } },
      }),
      'get deployment web -o jsonpath={.spec.template.spec.containers[*].name}',
      json('patch deployment web --subresource=scale --type=merge -p', { spec: { replicas: 4 } }),
      json('patch deployment web --subresource=status --type=merge -p', { status: { replicas: 4, readyReplicas: 2 } }),
      'get deployment web',
      json('patch configmap none -p', { data: {} }),
    ],
  },
  {
    title: 'replace, label, annotate and scale',
    steps: [
      withInput('create -f -', `${configMap('a', '{x: "1"}')}---\n${deployment('one')}`),
      withInput('replace -f -', configMap('a', '{x: "2"}')),
      withInput('replace --force -f -', configMap('a', '{x: "3"}')),
      withInput('replace -f -', configMap('none', '{}')),
      withInput('create -f -', configMap('a', '{}')),
      'label configmap a app=y',
      'label configmap a app=y --overwrite',
      'label configmap a app- tier=front',
      'label configmap --all more=yes',
      'get configmap a --show-labels',
      { args: ['annotate', 'configmap', 'a', 'note=hello world'] },
      'annotate configmap a note-',
      'label configmap a bad/=x',
      'scale deployment web --replicas=3',
      'scale deployment web --current-replicas=9 --replicas=5',
      'get deployment web -o jsonpath={.spec.replicas}',
    ],
  },
  {
    title: 'get in all forms',
    steps: [
      withInput(
        'create -f -',
        `${configMap('a', '{x: "1"}')}---\n${configMap('b', '{}')}---\n${pod('p')}---\n${deployment('one')}`,
      ),
      'get configmap',
      'get configmap a -o wide',
      'get configmap -o name',
      'get pods,deployments -o wide',
      'get configmap --show-labels',
      'get configmap -L app',
      'get configmap --no-headers',
      'get configmap --show-kind',
      'get configmap --sort-by=.metadata.name',
      'get configmap -l app=x -o name',
      'get configmap --field-selector metadata.name=b',
      'get pods -o custom-columns=NAME:.metadata.name,IMAGE:.spec.containers[0].image',
      'get pods -o jsonpath={.items[0].metadata.name}',
      'get pods -o go-template={{range.items}}{{.metadata.name}}{{end}}',
      'get deployment web --subresource=scale',
      'get configmap none',
      'get widgets',
      'get events',
      'get nodes',
      'get namespace NS',
      'get --raw /version/absent',
      'get configmap --chunk-size=1',
    ],
  },
  {
    title: 'describe configuration, and what does not exist',
    steps: [
      withInput(
        'create -f -',
        `${configMap('a', '{x: "1"}')}---\napiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {p: q}\n`,
      ),
      'describe configmap a',
      'describe secret s',
      'describe configmap none',
      'describe pod none',
      'describe pods -l app=none',
      'create quota q --hard=pods=5,cpu=2',
      'describe quota q',
      'describe namespace NS',
    ],
  },
  {
    title: 'describe a pod, a service and a node',
    steps: [
      withInput('create -f -', `${fullPod}---\n${service}---\n${node('kubectl-described')}`),
      'describe pod full',
      'describe service s',
      'describe node kubectl-described',
      'create service nodeport np --tcp=81:8080',
      { args: 'describe service np', compared: withoutEvents },
      'create ingress i --rule=a.example.com/*=s:80',
      'describe ingress i',
      'delete node kubectl-described',
    ],
  },
  {
    title: 'describe workloads and what watches over them',
    steps: [
      withInput(
        'create -f -',
        [deployment('one'), workload('StatefulSet'), workload('DaemonSet'), workload('ReplicaSet')].join('---\n'),
      ),
      'describe deployment web',
      'describe statefulset web',
      'describe daemonset web',
      'describe replicaset web',
      'create job j --image=one -- date',
      'describe job j',
      'create cronjob c --image=one --schedule=@hourly',
      'describe cronjob c',
      'create poddisruptionbudget b --selector=app=web --min-available=1',
      'describe pdb b',
      'autoscale deployment web --min=1 --max=3 --cpu=50%',
      'describe hpa web',
    ],
  },
  {
    title: 'describe roles and accounts',
    steps: [
      'create role r --verb=get,list --resource=pods',
      'describe role r',
      'create rolebinding rb --role=r --user=u',
      'describe rolebinding rb',
      'create serviceaccount sa',
      'describe serviceaccount sa',
    ],
  },
  {
    title: 'taint, cordon and drain a node',
    steps: [
      withInput('create -f -', node('kubectl-drained')),
      'taint node kubectl-drained x=y:NoExecute',
      'taint node kubectl-drained x=z:NoExecute',
      'cordon kubectl-drained',
      'cordon kubectl-drained',
      'get node kubectl-drained',
      'uncordon kubectl-drained',
      'drain kubectl-drained --ignore-daemonsets',
      'delete node kubectl-drained',
    ],
  },
  {
    title: 'explain names the fields and their types',
    steps: [
      { args: 'explain deployment', compared: fieldsOnly },
      { args: 'explain deployment.spec.strategy', compared: fieldsOnly },
      { args: 'explain pod.spec.containers --recursive', compared: fieldsOnly },
      { args: 'explain customresourcedefinition.spec.versions', compared: fieldsOnly },
      { args: 'explain pod.spec.nothing', compared: fieldsOnly },
      'explain widgets',
    ],
  },
  {
    title: 'wait for conditions, values, creation and deletion',
    steps: [
      withInput('create -f -', `${pod('p')}---\n${deployment('one')}`),
      'wait --for=jsonpath={.spec.replicas}=2 deployment/web --timeout=10s',
      'wait --for=condition=Ready pod/p --timeout=1s',
      json('patch pod p --subresource=status -p', { status: { conditions: [{ type: 'Ready', status: 'True' }] } }),
      'wait --for=condition=Ready pod/p --timeout=10s',
      'wait --for=create pod/p --timeout=10s',
      'wait --for=delete pod/none --timeout=10s',
    ],
  },
  {
    title: 'rollout of a deployment without a controller',
    steps: [
      withInput('create -f -', deployment('one')),
      'rollout restart deployment/web',
      'rollout status deployment/web --watch=false',
      'rollout history deployment/web',
      'rollout undo deployment/web',
      'rollout pause deployment/web',
      'rollout pause deployment/web',
      'rollout resume deployment/web',
    ],
  },
  {
    title: 'set changes parts of a template',
    steps: [
      withInput('create -f -', `${deployment('one')}---\n${service}---\n${workload('StatefulSet')}---\n${pod('p')}`),
      'set image deployment/web main=two',
      'set env deployment/web A=B',
      'set resources deployment/web --limits=cpu=100m,memory=1Gi',
      'set serviceaccount deployment web builder',
      'set selector service s app=other',
      'set image deployment/web absent=two',
      'get deployment web -o jsonpath={.spec.template.spec.containers[0].env}{.spec.template.spec.containers[0].resources}',
      'get service s -o jsonpath={.spec.selector}',
      'set image statefulset/web main=two',
      'set image pod/p main=two',
      'set serviceaccount statefulset web builder',
      'get statefulset web -o jsonpath={.spec.template.spec.serviceAccountName}{.spec.template.spec.containers[0].image}',
      'set env deployment/web --list',
      'set env deployment/web --from=configmap/none',
      'set resources deployment/web --requests=cpu=2 --limits=cpu=1',
      'create rolebinding rb --role=r --user=u',
      'set subject rolebinding rb --user=v --group=g --serviceaccount=NS:sa',
      'get rolebinding rb -o jsonpath={.subjects}',
    ],
  },
  {
    title: 'create has generators for everyday kinds',
    steps: [
      'create configmap a --from-literal=x=1',
      'create configmap a --from-literal=x=1',
      'create secret generic s --from-literal=p=q',
      'create secret docker-registry d --docker-username=a --docker-password=b --docker-email=c@d.e',
      'create deployment web --image=one --replicas=2 --port=80',
      'create job j --image=one -- date',
      { args: ['create', 'cronjob', 'c', '--image=one', '--schedule=*/5 * * * *'] },
      'create service clusterip svc --tcp=80:8080',
      'create service nodeport np --tcp=81:8080',
      { args: 'describe service np', compared: withoutEvents },
      'create service loadbalancer lb --tcp=82:80',
      'create service externalname en --external-name=a.example.com',
      'create ingress i --rule=a.example.com/*=svc:80',
      'create quota q --hard=pods=5,cpu=2',
      'create poddisruptionbudget b --selector=app=web --min-available=1',
      'create role r --verb=get,list --resource=pods',
      'create rolebinding rb --role=r --user=u --serviceaccount=NS:sa',
      'create clusterrole kubectl-generated --verb=get --resource=nodes',
      'create clusterrolebinding kubectl-generated --clusterrole=view --group=g',
      'create serviceaccount sa',
      'create priorityclass kubectl-generated --value=10',
      'create namespace kubectl-generated',
      'create deployment web --image=one --dry-run=server',
      'autoscale deployment web --min=1 --max=3 --cpu=50%',
      'get service,ingress,quota,pdb,role,rolebinding,serviceaccount,hpa -o wide',
      'get clusterrole,clusterrolebinding,priorityclass kubectl-generated',
      'get secret,configmap',
    ],
  },
  {
    title: 'auth asks what one may do',
    steps: [
      'auth can-i get pods',
      'auth can-i delete nodes',
      'auth can-i get /healthz',
      'auth can-i get widgets',
      'auth can-i get pods --as=stranger',
      'auth can-i --list --as=stranger',
      'auth can-i create pods/exec --as=system:serviceaccount:NS:sa -n NS',
      'auth whoami --as=stranger --as-group=g --as-uid=u',
      'create rolebinding sa --clusterrole=system:kube-dns --serviceaccount=NS:sa',
      'auth can-i list services --as=system:serviceaccount:NS:sa -n NS',
      'auth can-i --list --as=system:serviceaccount:NS:sa -n NS',
      'get pods --as=system:serviceaccount:NS:sa',
    ],
  },
  {
    title: 'the default roles and bindings',
    steps: [
      'get clusterrole system:discovery system:basic-user cluster-admin -o name',
      'describe clusterrole system:controller:job-controller',
      'describe clusterrole system:discovery',
      'describe clusterrolebinding system:public-info-viewer',
      'get role,rolebinding -n kube-system -o name',
      'get apiservices v1.apps v1. -o wide',
    ],
  },
  {
    title: 'run and expose',
    steps: [
      'run p --image=one --labels=app=p',
      { args: 'run q --image=one --restart=Never --env=A=B --command -- sleep 1' },
      'run p --image=one',
      'expose pod p --port=80 --name=p',
      'get pod q -o jsonpath={.spec.containers[0].command}{.spec.restartPolicy}',
      'get service p -o jsonpath={.spec.ports[0].port}{.spec.selector}',
    ],
  },
  {
    title: 'delete by name, by label, in the background, and dry',
    steps: [
      withInput(
        'create -f -',
        `${configMap('a', '{}')}---\n${configMap('b', '{}')}---\n${configMap('c', '{}', 'app: y')}---\n${deployment('one')}`,
      ),
      'delete configmap a --dry-run=server',
      'delete configmap a',
      'delete configmap a',
      'delete configmap a --ignore-not-found',
      'delete configmap -l app=x',
      'get configmap -o name',
      'delete deployment web --cascade=background',
      'create deployment kept --image=one',
      'delete deployment kept --cascade=orphan --wait=false',
      'create deployment waiting --image=one',
      'delete deployment waiting --cascade=foreground --wait=false',
      'delete configmap --all',
      'run p --image=one',
      'delete pod p --grace-period=0 --force',
      'delete pod p --now',
    ],
  },
  {
    title: 'nothing reaches into containers',
    steps: [
      'run p --image=one',
      'logs p',
      'exec p -- ls',
      'attach p',
      'port-forward pod/p 8080:80',
      'logs p -c other',
      'logs none',
      { args: 'cp p:/x /nonexistent/y' },
      'top pods',
    ],
  },
  {
    title: 'the server and its resources',
    steps: [
      // MutatingAdmissionPolicy has no version v1 before 1.36.
      { args: 'api-resources -o wide --sort-by=name', compared: builtInOnly, since: '1.36' },
      { args: 'api-resources -o name --namespaced=true', compared: builtInOnly },
      { args: 'api-resources --api-group=apps', compared: builtInOnly },
      { args: 'api-versions', compared: builtInOnly },
      { args: 'cluster-info', compared: firstLine },
      'taint nodes none a=b:NoSchedule',
      'cordon none',
      'certificate approve none',
    ],
  },
];
