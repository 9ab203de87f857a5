import { StatusError } from '../../../meta/errors/errors.js';
import { fieldInvalid } from '../../../meta/errors/field-cause.js';
import { badRequest, conflict, invalid, notFound } from '../../../meta/errors/status.js';
import { isJsonObject, type JsonObject } from '../../../meta/json-values.js';
import { timestamp } from '../../../time/timestamps.js';
import { ISSUER, type TokenBound } from '../../access/account-tokens.js';
import { readMetadata } from '../../resources/object-meta.js';
import type { ApiResource } from '../../resources/registry.js';
import { keyOf } from '../../storage/storage.js';
import { send } from '../../wire/response-writer.js';
import { readObject } from '../body/request-body.js';
import { readWriteOptions } from '../options/request-options.js';
import { admit, findObject, type ResourceCall } from '../resource-call.js';
import { negotiateShape } from '../shape/negotiate-shape.js';

const DEFAULT_SECONDS = 3600;
const MIN_SECONDS = 600;
const MAX_SECONDS = 2 ** 32;

/** The kinds that a token can be bound to. */
const BINDABLE: Readonly<Record<string, keyof TokenBound>> = { Pod: 'pod', Secret: 'secret', Node: 'node' };

/** Answers a TokenRequest: a token of the ServiceAccount that the path names. */
export async function handleTokenRequest(call: ResourceCall, kind: ApiResource): Promise<void> {
  const { context, info, namespace, response } = call;
  const shape = negotiateShape(call, 'object', kind);
  const options = readWriteOptions(info.query, 'CreateOptions');
  const account = await findObject(call);
  const asked = await admit(call, 'CREATE', kind, await readObject(call, kind, options.fieldValidation), options);
  const sent = readMetadata(asked, kind);
  const refuse = (name: string, field: string, value: unknown, why: string): StatusError =>
    new StatusError(invalid(kind, name, [fieldInvalid(field, value, why)]));
  const spec = (asked['spec'] ?? {}) as {
    audiences?: string[];
    expirationSeconds?: number;
    boundObjectRef?: JsonObject;
  };
  const seconds = spec.expirationSeconds ?? DEFAULT_SECONDS;
  if (seconds < MIN_SECONDS) {
    throw refuse('', 'spec.expirationSeconds', seconds, 'may not specify a duration less than 10 minutes');
  }
  if (seconds > MAX_SECONDS) {
    throw refuse('', 'spec.expirationSeconds', seconds, 'may not specify a duration larger than 2^32 seconds');
  }
  for (const [field, own] of Object.entries({ name: info.name, namespace })) {
    const given = sent[field as 'name' | 'namespace'];
    if (given === undefined || given === own) continue;
    throw refuse(info.name, `metadata.${field}`, given, `must match the service account ${field} if specified`);
  }
  const bound = isJsonObject(spec.boundObjectRef) ? boundTo(call, spec.boundObjectRef) : {};
  const audiences = spec.audiences?.length ? spec.audiences : [ISSUER];
  const { uid } = account;
  const token = context.accountTokens.issue({ namespace, name: info.name, uid }, audiences, seconds, bound);
  const answered = {
    kind: kind.kind,
    apiVersion: kind.apiVersion,
    metadata: { name: info.name, namespace, uid, creationTimestamp: context.writer.timestamp() },
    spec: { audiences, expirationSeconds: seconds, boundObjectRef: spec.boundObjectRef ?? null },
    status: { token, expirationTimestamp: timestamp(context.clock.now() + seconds * 1000) },
  };
  send(response, 201, shape.contentType, shape.documentBody(answered));
}

/** The object that a token is bound to, and the node of a pod; throws if there is none. */
function boundTo({ context, info, namespace }: ResourceCall, reference: JsonObject): TokenBound {
  const { kind = '', apiVersion = '', name = '', uid } = reference as Record<string, string | undefined>;
  const claim = apiVersion === 'v1' && Object.hasOwn(BINDABLE, kind) ? BINDABLE[kind] : undefined;
  if (claim === undefined) {
    const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
    throw new StatusError(badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`));
  }
  const resource = context.registry.find('', 'v1', `${claim}s`)!;
  const found = resource.collection.get(keyOf(resource.namespaced ? namespace : '', name));
  if (found === undefined) throw new StatusError(notFound(resource.groupResource, name));
  const pod =
    claim === 'pod' ? (found.decode()['spec'] as { serviceAccountName?: string; nodeName?: string }) : undefined;
  if (pod !== undefined && pod.serviceAccountName !== info.name) {
    const account = JSON.stringify(info.name);
    const why = `cannot bind token for serviceaccount ${account} to pod running with different serviceaccount name.`;
    throw new StatusError(badRequest(why));
  }
  if (uid && uid !== found.uid) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw new StatusError(conflict({ group: '', resource: kind }, name, why));
  }
  const node = pod?.nodeName;
  const nodeUid = node && context.registry.find('', 'v1', 'nodes')!.collection.get(node)?.uid;
  return {
    ...(node ? { node: { name: node, ...(nodeUid ? { uid: nodeUid } : {}) } } : {}),
    [claim]: { name, uid: found.uid },
  };
}
