import { createController, defineResource, field, type ManagerOptions, manifests } from '../../controller/index.js';
import { resources } from '../../resources/resources.js';
import { printManifests } from '../manifests/print-manifests.js';
import { imageOf, type Project } from './project.js';

/**
 * The manifests of a new operator, as `npm run manifests` in its project writes them: they are written before the project can be
 * compiled. The options here are those of the sources in operator-files.ts; a test of the package compares the results.
 */
export function operatorManifests(project: Project): string {
  const controller = createController({
    name: project.plural,
    for: resourceOf(project),
    owns: [resources.apps.v1.deployments],
    readyCondition: 'Ready',
    reconcile: () => {},
  });
  const options: ManagerOptions = { name: project.name, controllers: [controller] };
  return printManifests(manifests(options, { image: imageOf(project) }), 'yaml');
}

function resourceOf({ group, kind }: Project) {
  return defineResource({
    group,
    version: 'v1alpha1',
    kind,
    spec: {
      image: field.string({ minLength: 1, description: 'The image of the container.' }),
      replicas: field.integer({ minimum: 0, maximum: 100, default: 1, description: 'How many pods run it.' }),
    },
    status: {
      readyReplicas: field.optional(field.integer()),
      conditions: field.conditions(),
    },
    columns: {
      Image: '.spec.image',
      Ready: '.status.readyReplicas',
    },
  });
}
