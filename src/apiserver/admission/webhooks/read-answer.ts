import { yamlToJson } from '../../../codec/yaml/yaml-to-json.js';
import { genericStatus } from '../../../meta/errors/status.js';
import { isJsonObject, type JsonObject, jsonTypeName } from '../../../meta/json-values.js';
import { finish } from '../../../time/steps.js';
import { unregistered } from '../../resources/typed-resource.js';
import { type ReviewType, WebhookCallError } from '../../resources/webhook-caller.js';
import { jsonSyntaxError } from '../../wire/json-syntax-error.js';

/** The answer of a webhook, as it came. */
export interface WebhookAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

const KNOWN_VERSIONS: Readonly<Record<string, readonly string[]>> = {
  AdmissionReview: ['v1', 'v1beta1'],
  ConversionReview: ['v1', 'v1beta1'],
};

const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** Reads a review from the answer of a webhook. @throws WebhookCallError */
export async function readAnswer(answer: WebhookAnswer, type: ReviewType): Promise<JsonObject> {
  const { status, contentType, text } = answer;
  if (status < 200 || status > 206) throw new WebhookCallError(statusMessage(answer));
  if (text === '') {
    throw new WebhookCallError(
      `0-length response with status code: ${status} and content type: ${contentType || 'application/json'}`,
    );
  }
  const value = (await parse(text)) ?? {};
  if (!isJsonObject(value)) {
    throw new WebhookCallError(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonTypeName(value)} into Go value of type ${TYPE_META}`,
    );
  }
  checkType(value, type);
  return value;
}

/** A webhook may answer in YAML, whatever it calls it. */
async function parse(text: string): Promise<unknown> {
  try {
    return JSON.parse(text);
  } catch {
    // What begins as JSON was meant as JSON.
    if (/^\s*[{[]/.test(text)) {
      throw new WebhookCallError(`couldn't get version/kind; json parse error: ${finish(jsonSyntaxError(text))}`);
    }
  }
  try {
    return JSON.parse((await yamlToJson(text)).json);
  } catch (error) {
    throw new WebhookCallError(`couldn't get version/kind; json parse error: ${(error as Error).message}`);
  }
}

/** The message for an answer that is no success: that of the Status in its body, or of its code. */
function statusMessage({ status, text }: WebhookAnswer): string {
  try {
    const body: unknown = JSON.parse(text);
    if (isJsonObject(body) && body['kind'] === 'Status' && typeof body['message'] === 'string') return body['message'];
  } catch {
    // No Status.
  }
  return genericStatus(status, text, { verb: 'POST' }).message ?? '';
}

function checkType(answer: JsonObject, { group, version, kind }: ReviewType): void {
  const given = { kind: answer['kind'] ?? '', apiVersion: answer['apiVersion'] ?? '' };
  for (const field of ['apiVersion', 'kind'] as const) {
    if (typeof given[field] === 'string') continue;
    throw new WebhookCallError(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonTypeName(given[field])} into Go struct field .${field} of type string`,
    );
  }
  // Without either, the answer is read as the review that was sent, and refused later if that matters.
  if (given.kind === '' || given.apiVersion === '') return;
  const [answeredGroup, answeredVersion = ''] = String(given.apiVersion).split('/');
  const isKnown =
    answeredGroup === group && given.kind === kind && KNOWN_VERSIONS[kind]?.includes(answeredVersion) === true;
  if (!isKnown) throw new WebhookCallError(unregistered(String(given.kind), String(given.apiVersion)));
  if (answeredVersion !== version) {
    throw new WebhookCallError(`converting (${answeredVersion}.${kind}) to (${version}.${kind}): unknown conversion`);
  }
}
