import type { AdmissionRequest } from '../resources/admission.js';

/** The name of an object in a refusal: it may not be generated yet. */
export function requestName({ name, object }: AdmissionRequest): string {
  if (name !== '') return name;
  const metadata = (object?.['metadata'] ?? {}) as { name?: string; generateName?: string };
  return metadata.name ?? metadata.generateName ?? 'Unknown';
}
