import { createHash } from 'node:crypto';

export function statusOf(now, random) {
  const time = new Date(now).toISOString().replace(/\.\d+Z/, 'Z');
  const id = createHash('sha256').update(String(random())).digest('hex');
  const isReady = random() < 0.7;
  const condition = (type, status) => ({
    type,
    status: status ? 'True' : 'False',
    lastTransitionTime: time,
  });
  return {
    phase: isReady ? 'Running' : 'Pending',
    conditions: [condition('Initialized', true), condition('Ready', isReady), condition('ContainersReady', isReady)],
    podIP: `10.${Math.floor(random() * 250)}.${Math.floor(random() * 250)}.7`,
    startTime: time,
    containerStatuses: [
      {
        name: 'web',
        image: 'registry.example.com/shop/web:1.24.3',
        imageID: 'registry.example.com/shop/web@sha256:6d4f1c0e',
        containerID: `containerd://${id}`,
        ready: isReady,
        restartCount: Math.floor(random() * 9),
        state: { running: { startedAt: time } },
      },
    ],
  };
}
