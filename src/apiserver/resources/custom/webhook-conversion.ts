import { StatusError } from '../../../meta/errors/errors.js';
import { fieldInvalid } from '../../../meta/errors/field-cause.js';
import { printCauses, type StatusCause } from '../../../meta/errors/status.js';
import { isJsonObject, type JsonObject } from '../../../meta/json-values.js';
import { labelKeyErrors, labelValueErrors } from '../../../meta/names.js';
import { type Steps, waitFor } from '../../../time/steps.js';
import type { RemoteConversion } from '../registry.js';
import { type ReviewType, WebhookCallError, type WebhookCaller, type WebhookClientConfig } from '../webhook-caller.js';

const GROUP = 'apiextensions.k8s.io';
const KIND = 'ConversionReview';
const TIMEOUT_SECONDS = 30;

/** What a conversion webhook is called with. */
export interface ConversionCalls {
  readonly caller: WebhookCaller;
  readonly newUid: () => string;
}

/** The webhook that converts the objects of a definition. */
export interface ConversionWebhook {
  readonly clientConfig: WebhookClientConfig;
  readonly reviewVersions: readonly string[];
}

/** Converts objects with the webhook of their definition. */
export class WebhookConversion implements Pick<RemoteConversion, 'convert'> {
  readonly #webhook: ConversionWebhook;
  readonly #listKind: string;
  readonly #calls: ConversionCalls;

  constructor(webhook: ConversionWebhook, listKind: string, calls: ConversionCalls) {
    this.#webhook = webhook;
    this.#listKind = listKind;
    this.#calls = calls;
  }

  *convert(objects: readonly JsonObject[], apiVersion: string): Steps<JsonObject[]> {
    const others = objects.filter((object) => object['apiVersion'] !== apiVersion);
    if (others.length === 0) return [...objects];
    const [first] = others;
    const isOne = objects.length === 1;
    const subject = isOne ? `${first!['apiVersion']}, Kind=${first!['kind']}` : `${apiVersion}, Kind=${this.#listKind}`;
    const answered = yield* this.#call(others, apiVersion, `conversion webhook for ${subject}`);
    return objects.map((object) => (object['apiVersion'] === apiVersion ? object : answered.shift()!));
  }

  *#call(objects: readonly JsonObject[], apiVersion: string, by: string): Steps<JsonObject[]> {
    const type = this.#reviewType();
    const uid = this.#calls.newUid();
    const review = {
      kind: KIND,
      apiVersion: `${GROUP}/${type.version}`,
      request: { uid, desiredAPIVersion: apiVersion, objects: objects.map(withoutVersion) },
    };
    let converted: unknown[];
    try {
      const { clientConfig } = this.#webhook;
      converted = readConverted(
        yield* waitFor(this.#calls.caller.call(clientConfig, type, review, TIMEOUT_SECONDS)),
        type,
        uid,
      );
    } catch (error) {
      if (error instanceof WebhookCallError) throw failed(`${by} failed: ${error.message}`);
      throw error;
    }
    if (converted.length !== objects.length) {
      throw failed(`${by} returned ${converted.length} objects, expected ${objects.length}`);
    }
    const isOne = objects.length === 1;
    return objects.map((object, at) => {
      try {
        return restored(
          object,
          converted[at],
          apiVersion,
          isOne ? 'object at index 0' : `converted object at index ${at}`,
        );
      } catch (error) {
        throw failed(`${by} returned ${(error as Error).message}`);
      }
    });
  }

  #reviewType(): ReviewType {
    const version = this.#webhook.reviewVersions.find((known) => known === 'v1' || known === 'v1beta1');
    if (version === undefined) throw failed('no supported conversion review versions');
    return { group: GROUP, version, kind: KIND };
  }
}

/** 500 without a reason: the answer of kube-apiserver. */
function failed(message: string): StatusError {
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
}

function withoutVersion(object: JsonObject): JsonObject {
  const { resourceVersion: _, ...metadata } = object['metadata'] as JsonObject;
  return { ...object, metadata };
}

/** A field that should be a text. An object of an answer may have a field `toString`, and no text then. */
function printed(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The converted objects of an answer. @throws WebhookCallError */
function readConverted(answer: JsonObject, { group, version }: ReviewType, uid: string): unknown[] {
  const { kind = '', apiVersion = '', response } = answer;
  if (version === 'v1' && (kind !== KIND || apiVersion !== `${group}/${version}`)) {
    const given = apiVersion === '' ? '/' : printed(apiVersion);
    throw new WebhookCallError(
      `expected webhook response of ${group}/${version}, Kind=${KIND}, got ${given}, Kind=${printed(kind)}`,
    );
  }
  if (!isJsonObject(response)) throw new WebhookCallError('no response provided');
  const answered = printed(response['uid'] ?? '');
  if (version === 'v1' && answered !== uid) {
    throw new WebhookCallError(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(answered)}`);
  }
  const result = isJsonObject(response['result']) ? response['result'] : {};
  if (result['status'] !== 'Success') {
    const why = result['message'] || `response.result.status was '${printed(result['status'] ?? '')}', not 'Success'`;
    throw new WebhookCallError(printed(why));
  }
  return Array.isArray(response['convertedObjects']) ? response['convertedObjects'] : [];
}

/** A converted object with the metadata that it had; only labels and annotations may change. Throws an Error. */
function restored(original: JsonObject, converted: unknown, apiVersion: string, place: string): JsonObject {
  if (!isJsonObject(converted)) throw new Error(`invalid ${place}: it is no object`);
  for (const [what, expected, received] of [
    ['groupVersion', apiVersion, converted['apiVersion'] ?? ''],
    ['kind', original['kind'], converted['kind'] ?? ''],
  ] as const) {
    if (expected !== received) {
      throw new Error(`invalid ${place}: invalid ${what} (expected ${expected}, received ${printed(received)})`);
    }
  }
  const metadata = original['metadata'] as JsonObject;
  const answered = isJsonObject(converted['metadata']) ? converted['metadata'] : {};
  const isOne = place === 'object at index 0';
  for (const [name, field] of [
    ['name', 'name'],
    ['namespace', 'namespace'],
    ['UID', 'uid'],
  ] as const) {
    const [expected, received] = [metadata[field] ?? '', answered[field] ?? ''];
    if (expected !== received) {
      throw new Error(
        `invalid ${isOne ? 'object' : place}: must have the same ${name}: ${expected} != ${printed(received)}`,
      );
    }
  }
  const { labels: _labels, annotations: _annotations, ...kept } = metadata;
  for (const field of ['labels', 'annotations'] as const) {
    const problem = textsProblem(answered[field], field);
    if (problem !== undefined) throw new Error(`invalid metadata${isOne ? '' : ` in ${place}`}: ${problem}`);
    if (isJsonObject(answered[field])) kept[field] = answered[field];
  }
  return { ...converted, metadata: kept };
}

function textsProblem(texts: unknown, field: 'labels' | 'annotations'): string | undefined {
  if (texts === undefined || texts === null) return undefined;
  if (!isJsonObject(texts)) return `invalid metadata.${field} of type ${typeof texts} in converted object`;
  const causes: StatusCause[] = [];
  for (const [key, value] of Object.entries(texts)) {
    if (typeof value !== 'string') {
      return `metadata.${field}[${key}] must be a string, but is ${typeof value} in converted object`;
    }
    for (const error of labelKeyErrors(key)) causes.push(fieldInvalid(`metadata.${field}`, key, error));
    if (field === 'annotations') continue;
    for (const error of labelValueErrors(value)) causes.push(fieldInvalid(`metadata.${field}`, value, error));
  }
  return causes.length === 0 ? undefined : printCauses(causes);
}
