/** The content types of patches. */
export const PatchStrategy = {
  /** A list of operations. */
  JsonPatch: 'application/json-patch+json',
  /** Lists are replaced as a whole. */
  MergePatch: 'application/merge-patch+json',
  /** Lists are merged by their keys; built-in kinds only. */
  StrategicMergePatch: 'application/strategic-merge-patch+json',
  /** Server-side apply; needs a `fieldManager`. */
  ServerSideApply: 'application/apply-patch+yaml',
} as const;
export type PatchStrategy = (typeof PatchStrategy)[keyof typeof PatchStrategy];

/** Options of one request, from {@link setHeaderOptions}. */
export interface RequestOptions {
  /** @default none but those of the client */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Options that set a header of a request: `setHeaderOptions('Content-Type', PatchStrategy.MergePatch)`. */
export function setHeaderOptions(key: string, value: string, opt: RequestOptions = {}): RequestOptions {
  return { ...opt, headers: { ...opt.headers, [key]: value } };
}
