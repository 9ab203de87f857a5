import { describe, expect, it } from 'vitest';
import { finish } from '../../time/steps.js';
import { encodeGnostic } from './gnostic.js';

/** A message as its fields: bytes of nested messages and texts as strings, numbers as they are. */
function fields(bytes: Uint8Array): [number, string | number][] {
  const found: [number, string | number][] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = bytes[at++]!;
      value += (byte & 0x7f) * shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const key = varint();
    if ((key & 7) === 0) found.push([key >> 3, varint()]);
    else if ((key & 7) === 1) {
      found.push([key >> 3, Buffer.from(bytes.subarray(at, at + 8)).readDoubleLE()]);
      at += 8;
    } else {
      const length = varint();
      found.push([key >> 3, Buffer.from(bytes.subarray(at, at + length)).toString('latin1')]);
      at += length;
    }
  }
  return found;
}

const inside = (text: string | number | undefined) => fields(Buffer.from(String(text), 'latin1'));

describe('encodeGnostic', () => {
  const document = {
    swagger: '2.0',
    info: { title: 'T', version: '1' },
    paths: {
      '/x': {
        get: { operationId: 'readX', responses: { '200': { description: 'OK' } }, 'x-kubernetes-action': 'get' },
        parameters: [{ $ref: '#/parameters/p' }, { name: 'name', in: 'path', required: true, type: 'string' }],
      },
    },
    definitions: {
      X: {
        type: 'object',
        minLength: 300,
        minimum: 1.5,
        uniqueItems: false,
        enum: ['a'],
        properties: { y: { $ref: 'Y' } },
      },
    },
  };
  const [swagger, info, paths, definitions] = fields(finish(encodeGnostic(document)));

  it('writes the top of the document', () => {
    expect(swagger).toEqual([1, '2.0']);
    expect([info?.[0], inside(info?.[1])]).toEqual([
      2,
      [
        [1, 'T'],
        [2, '1'],
      ],
    ]);
    expect([paths?.[0], definitions?.[0]]).toEqual([8, 9]);
  });

  it('writes paths with references, parameters and extensions', () => {
    const [[number, item] = []] = inside(paths?.[1]);
    expect(number).toBe(2);
    const [name, value] = inside(item);
    expect(name).toEqual([1, '/x']);
    const [operation, reference, parameter] = inside(value?.[1]);
    expect(inside(operation?.[1]).map(([field]) => field)).toEqual([5, 9, 13]);
    expect(inside(inside(operation?.[1])[2]?.[1])).toEqual([
      [1, 'x-kubernetes-action'],
      [2, '\x12\x06"get"\n'],
    ]);
    expect([reference?.[0], inside(reference?.[1])[0]?.[0]]).toEqual([9, 2]);
    const [[oneOf, nonBody] = []] = inside(parameter?.[1]);
    const [[kind, body] = []] = inside(inside(nonBody)[0]?.[1]);
    expect([oneOf, kind]).toEqual([1, 4]);
    expect(inside(body)).toEqual([
      [4, 'name'],
      [2, 'path'],
      [1, 1],
      [5, 'string'],
    ]);
  });

  it('writes schemas with numbers of all sizes; a false value is none', () => {
    const [[, entry] = []] = inside(definitions?.[1]);
    const schema = new Map(inside(inside(entry)[1]?.[1]));
    expect([...schema.keys()]).toEqual([22, 12, 9, 20, 25]);
    expect([schema.get(12), schema.get(9)]).toEqual([300, 1.5]);
    expect(inside(schema.get(20))).toEqual([[2, '"a"\n']]);
  });
});
