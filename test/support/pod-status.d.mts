/** What a kubelet writes of a pod, with times and ids that no other change has. */
export function statusOf(now: number, random: () => number): object;
