import type { Part } from '../part.js';

/** What a kube-controller-manager writes beside the server. The embedded server has no controllers of workloads. */
export const controllers: Part = {
  name: 'controllers',
  async run(replay) {
    replay.differs('the embedded server runs no controllers of workloads');
  },
};
