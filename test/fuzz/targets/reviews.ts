import assert from 'node:assert/strict';
import { readAnswer } from '../../../src/apiserver/admission/webhooks/read-answer.js';
import { denial, readVerdict } from '../../../src/apiserver/admission/webhooks/review.js';
import { WebhookConversion } from '../../../src/apiserver/resources/custom/webhook-conversion.js';
import { type ReviewType, WebhookCallError } from '../../../src/apiserver/resources/webhook-caller.js';
import { answerAdmission } from '../../../src/controller/webhooks/admission-review.js';
import { answerConversion } from '../../../src/controller/webhooks/conversion-review.js';
import { conversionsOf } from '../../../src/controller/webhooks/endpoints.js';
import { BadReviewError } from '../../../src/controller/webhooks/review.js';
import { convert, mutate, validate, webhookDefinition } from '../../../src/controller/webhooks/webhook.js';
import { defineResource } from '../../../src/kinds/define-resource.js';
import { field } from '../../../src/kinds/field.js';
import { StatusError } from '../../../src/meta/errors/errors.js';
import { isJsonObject, type JsonObject } from '../../../src/meta/json-values.js';
import { FakeClock } from '../../../src/time/fake-clock.js';
import { inSlices } from '../../../src/time/steps.js';
import { jsonText, jsonValue } from '../json-text.js';
import { mutateText } from '../mutate.js';
import type { Random } from '../random.js';
import { target } from '../target.js';

const clock = new FakeClock();
const signal = new AbortController().signal;

/** A value, or now and then something else. */
const or = (random: Random, good: unknown): unknown => (random.oneIn(15) ? jsonValue(random, 2) : good);
const syntax = ['{', '}', '[', ']', '"', ':', ',', 'null', 'true', '1', '\\', '\n'];

/** JSON of the value, now and then damaged. */
function textOf(random: Random, value: unknown): string {
  const text = JSON.stringify(value);
  return random.oneIn(8) ? mutateText(random, text, syntax) : text;
}

/** What rejects with one of these errors is refused; everything else is thrown. */
async function isAccepted(
  run: () => Promise<unknown>,
  refusals: readonly (new (...args: never[]) => Error)[],
): Promise<boolean> {
  try {
    await run();
    return true;
  } catch (error) {
    if (refusals.some((refusal) => error instanceof refusal)) return false;
    throw error;
  }
}

function admissionAnswer(random: Random): unknown {
  const patch = Buffer.from(random.oneIn(6) ? jsonText(random) : '[{"op":"add","path":"/a","value":1}]').toString(
    'base64',
  );
  const response: JsonObject = {
    uid: or(random, 'u'),
    allowed: or(random, random.oneIn(2)),
    ...(random.oneIn(3) ? { patch: or(random, patch), patchType: or(random, 'JSONPatch') } : {}),
    ...(random.oneIn(3)
      ? {
          status: or(random, {
            message: or(random, 'no'),
            code: or(random, 403),
            reason: or(random, 'Forbidden'),
            details: or(random, {}),
            metadata: or(random, {}),
          }),
        }
      : {}),
    ...(random.oneIn(3) ? { warnings: or(random, [or(random, 'careful')]) } : {}),
    ...(random.oneIn(4) ? { auditAnnotations: or(random, { a: 'b' }) } : {}),
  };
  return or(random, {
    kind: or(random, 'AdmissionReview'),
    apiVersion: or(random, 'admission.k8s.io/v1'),
    response: or(random, response),
  });
}

const admissionType: ReviewType = { group: 'admission.k8s.io', version: 'v1', kind: 'AdmissionReview' };

function admissionRequest(random: Random): unknown {
  const object = {
    apiVersion: 'x/v1',
    kind: 'Widget',
    metadata: { name: 'a', labels: { a: 'b' } },
    spec: { size: 1, toString: 5 },
  };
  return or(random, {
    kind: or(random, 'AdmissionReview'),
    apiVersion: or(random, 'admission.k8s.io/v1'),
    request: or(random, {
      uid: or(random, 'u'),
      operation: or(random, random.pick(['CREATE', 'UPDATE', 'DELETE', 'CONNECT', 'OTHER'])),
      name: or(random, 'a'),
      namespace: or(random, 'n'),
      userInfo: or(random, { username: or(random, 'me'), groups: or(random, ['g']), extra: or(random, { a: ['b'] }) }),
      dryRun: or(random, false),
      object: or(random, object),
      oldObject: or(random, random.oneIn(2) ? null : object),
      options: or(random, {}),
    }),
  });
}

const spec = { size: field.integer({ default: 1 }) };
const [beta, widgets] = ['v1beta1', 'v1'].map((version) =>
  defineResource({ group: 'example.com', version, kind: 'Widget', spec }),
) as [never, never];
const sizeOf = (object: unknown): unknown => ((object as JsonObject)['spec'] as JsonObject | undefined)?.['size'];
const content = (object: JsonObject): JsonObject => ({ spec: object['spec'] });
const definitions = [
  webhookDefinition(validate(widgets, { check: (object) => (Number(sizeOf(object)) > 10 ? 'too large' : undefined) })),
  webhookDefinition(
    mutate(widgets, {
      change: (object: JsonObject) => {
        object['spec'] = { size: 3 };
      },
    }),
  ),
] as const;
const conversions = [
  ...conversionsOf([webhookDefinition(convert(beta, widgets, { up: content, down: content } as never))]).values(),
][0];

function convertedObject(random: Random, apiVersion: string): unknown {
  return or(random, {
    apiVersion: or(random, apiVersion),
    kind: or(random, 'Widget'),
    metadata: or(random, {
      name: or(random, 'a'),
      uid: or(random, 'u'),
      labels: or(random, { a: or(random, 'b') }),
      annotations: or(random, {
        'kubeflect.dev/converted-from-v1': or(random, '[{"path":["spec","size"],"value":1}]'),
      }),
    }),
    spec: or(random, { size: 1 }),
  });
}

export const reviewTargets = [
  target(
    'admission-answers',
    'an answer of a webhook is a verdict, or refused with WebhookCallError',
    (random) => ({
      status: random.oneIn(12) ? random.pick([199, 302, 400, 500]) : 200,
      text: textOf(random, admissionAnswer(random)),
      isMutating: random.oneIn(2),
    }),
    ({ status, text, isMutating }: { status: number; text: string; isMutating: boolean }) =>
      isAccepted(async () => {
        const answer = await readAnswer({ status, contentType: 'application/json', text }, admissionType);
        const warnings: string[] = [];
        const verdict = readVerdict(answer, admissionType, 'u', isMutating, (warning) => void warnings.push(warning));
        assert.equal(typeof verdict.allowed, 'boolean');
        assert.equal(typeof verdict.patch, 'string');
        if (!verdict.allowed) assert.ok(denial('w', verdict.status) instanceof StatusError);
      }, [WebhookCallError]),
  ),

  target(
    'admission-reviews',
    'a review of a server is answered, or refused with BadReviewError',
    (random) => ({ text: textOf(random, admissionRequest(random)), webhook: random.below(2) }),
    ({ text, webhook }: { text: string; webhook: number }) => {
      let review: unknown;
      try {
        review = JSON.parse(text);
      } catch {
        return false;
      }
      const definition = definitions[webhook];
      if (definition === undefined || definition.type === 'convert') return false;
      const lister = (): never => assert.fail('there is no cache');
      return isAccepted(async () => {
        const answer = await answerAdmission(definition, review, { signal, lister });
        assert.equal(
          (answer['response'] as JsonObject)['uid'],
          ((review as JsonObject)['request'] as JsonObject)['uid'],
        );
      }, [BadReviewError]);
    },
  ),

  target(
    'conversion-answers',
    'an answer of a webhook is the converted objects with their metadata, or refused with a Status',
    (random) => {
      const response = {
        uid: or(random, 'u'),
        result: or(random, { status: or(random, 'Success'), message: or(random, '') }),
        convertedObjects: or(random, [convertedObject(random, 'example.com/v1')]),
      };
      return or(random, {
        kind: or(random, 'ConversionReview'),
        apiVersion: or(random, 'apiextensions.k8s.io/v1'),
        response: or(random, response),
      });
    },
    (answer: unknown) => {
      if (!isJsonObject(answer)) return false;
      const caller = { call: () => Promise.resolve(answer) };
      const webhook = { clientConfig: {}, reviewVersions: ['v1'] };
      const conversion = new WebhookConversion(webhook, 'WidgetList', { caller, newUid: () => 'u' });
      const object = {
        apiVersion: 'example.com/v1beta1',
        kind: 'Widget',
        metadata: { name: 'a', uid: 'u' },
        spec: { size: 1 },
      };
      return isAccepted(async () => {
        const [converted] = await inSlices(clock, 'conversion', conversion.convert([object], 'example.com/v1'), signal);
        assert.deepEqual(converted?.['kind'], 'Widget');
      }, [StatusError]);
    },
  ),

  target(
    'conversion-reviews',
    'a review of a server is answered, or refused with BadReviewError',
    (random) => {
      const request = {
        uid: or(random, 'u'),
        desiredAPIVersion: or(random, random.pick(['example.com/v1', 'example.com/v1beta1', 'other/v1'])),
        objects: or(
          random,
          random.list(0, 2, () => convertedObject(random, random.pick(['example.com/v1', 'example.com/v1beta1']))),
        ),
      };
      return or(random, {
        kind: or(random, 'ConversionReview'),
        apiVersion: or(random, 'apiextensions.k8s.io/v1'),
        request: or(random, request),
      });
    },
    (review: unknown) =>
      isAccepted(async () => {
        assert.ok(conversions !== undefined);
        const answer = await answerConversion(conversions, review, { clock, signal, onError: () => {} });
        assert.ok(
          ['Success', 'Failure'].includes(
            String(((answer['response'] as JsonObject)['result'] as JsonObject)['status']),
          ),
        );
      }, [BadReviewError]),
  ),
];
