import assert from 'node:assert/strict';
import {
  aboutBatch,
  type Batch,
  type BatchesEnd,
  changesBatch,
  readBatches,
} from '../../../src/apiserver/storage/disk/batch.js';
import { CertificateAuthority } from '../../../src/certificates/certificate-authority.js';
import { splitLine } from '../../../src/client/streams/log-time.js';
import { readTar } from '../../../src/client/streams/tar-reader.js';
import { readSecret, toSecret } from '../../../src/controller/webhooks/certificates/certificate-secret.js';
import { CredentialsError } from '../../../src/rest/credentials/config-errors.js';
import { parseExecCredential } from '../../../src/rest/credentials/exec-credential.js';
import { keyPairTrouble, pemFromBase64 } from '../../../src/rest/credentials/pem.js';
import { FakeClock } from '../../../src/time/fake-clock.js';
import { jsonText, jsonValue } from '../json-text.js';
import { mutateBytes, mutateText } from '../mutate.js';
import type { Random } from '../random.js';
import { accepted, inPieces, target } from '../target.js';

const authority = new CertificateAuthority(new FakeClock());
const pair = authority.issueServer();

/** A header of a tar archive. */
function tarHead(random: Random, name: string, type: string, size: number): Buffer {
  const head = Buffer.alloc(512);
  head.write(name, 0);
  head.write('0000644\0', 100);
  head.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  head.write('00000000000\0', 136);
  head.write(type, 156);
  head.write('ustar\x0000', 257);
  if (random.oneIn(10)) head[random.below(512)] = random.next();
  const sum = head.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 0x20 : byte), 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return head;
}

function tarArchive(random: Random): Buffer {
  const parts = random.list(0, 4, () => {
    const type = random.pick(['0', '0', '5', '2', 'x', 'g', 'L', 'K', '3', '7', '\0']);
    const pax = (): string =>
      random.pick([
        '12 path=abc\n',
        '9 size=3\n',
        '99 path=a\n',
        '0 a=b\n',
        'x path=a\n',
        '14 linkpath=x\n',
        '17 __proto__=abc\n',
      ]);
    const content = Buffer.from(
      type === 'x' || type === 'g' ? random.list(0, 3, pax).join('') : random.text(0, 5, ['abc', '\n', 'ä']),
    );
    const padding = Buffer.alloc(-content.length & 511);
    return Buffer.concat([
      tarHead(
        random,
        random.pick(['a', 'd/', '../x', '/x', '', 'ä']),
        type,
        random.oneIn(30) ? random.below(3000) : content.length,
      ),
      content,
      padding,
    ]);
  });
  return Buffer.concat([...parts, Buffer.alloc(random.oneIn(4) ? 0 : 1024)]);
}

async function* piecesOf(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Buffer> {
  const pieces: Buffer[] = [];
  inPieces(bytes, cuts, (piece) => void pieces.push(Buffer.from(piece)));
  yield* pieces;
}

/** The entries of an archive as text, and the message of the error at the end. */
async function readArchive(bytes: Uint8Array, cuts: readonly number[]): Promise<string[]> {
  const entries: string[] = [];
  try {
    for await (const entry of readTar(piecesOf(bytes, cuts))) {
      let content = '';
      for await (const piece of entry.content()) content += piece.toString('latin1');
      const { content: _, ...head } = entry;
      entries.push(`${JSON.stringify(head)} ${content}`);
    }
  } catch (error) {
    assert.ok(error instanceof Error && error.name === 'Error', String(error));
    entries.push(`error: ${error.message}`);
  }
  return entries;
}

async function readLog(bytes: Buffer): Promise<{ batches: number; end: BatchesEnd }> {
  const file = {
    size: bytes.length,
    read: async (at: number, length: number) => bytes.subarray(at, at + length),
    close: async () => {},
  };
  const batches: AsyncGenerator<Batch, BatchesEnd, void> = readBatches(file, bytes.length);
  for (let count = 0; ; count++) {
    const next = await batches.next();
    if (next.done === true) return { batches: count, end: next.value };
  }
}

const execConfig = {
  apiVersion: 'client.authentication.k8s.io/v1',
  command: 'x',
  args: [],
  env: new Map(),
  interactiveMode: 'Never',
  provideClusterInfo: false,
} as const;

export const fileTargets = [
  target(
    'certificates',
    'a pair of certificate and key is usable, or has a trouble in words; a Secret has a state, or none',
    (random) => {
      const damaged = (pem: string): string =>
        random.oneIn(2)
          ? pem
          : mutateText(random, pem, ['-----BEGIN X-----', '\n', '=', 'A', '-----END CERTIFICATE-----']);
      return { certificate: damaged(pair.certificate), key: damaged(pair.key) };
    },
    ({ certificate, key }: { certificate: string; key: string }) => {
      const trouble = keyPairTrouble(certificate, key);
      assert.ok(trouble === undefined || !trouble.includes('-----'));
      pemFromBase64(Buffer.from(certificate).toString('base64'));
      const serving = { certificate, key };
      const authorities = [{ stage: 'current' as const, certificate, key, since: 1 }];
      const secret = accepted(() => toSecret({ authorities, serving }, { name: 'a', namespace: 'n' }), [Error]);
      if (secret !== undefined) readSecret(secret as never);
      return trouble === undefined;
    },
  ),

  target(
    'exec-credentials',
    'what a plugin printed is a credential, or refused with CredentialsError that contains nothing of it',
    (random) => {
      const or = (good: unknown): unknown => (random.oneIn(10) ? jsonValue(random, 1) : good);
      const status = {
        token: or('s3cr3t'),
        expirationTimestamp: or('2026-01-01T00:00:00Z'),
        ...(random.oneIn(4) ? { clientCertificateData: or('s3cr3t'), clientKeyData: or('s3cr3t') } : {}),
      };
      const text = random.oneIn(12)
        ? jsonText(random)
        : JSON.stringify({ kind: or('ExecCredential'), apiVersion: or(execConfig.apiVersion), status: or(status) });
      return random.oneIn(4) ? mutateText(random, text, ['{', '"', ':', '\\', 'null', '\n']) : text;
    },
    (text: string) => {
      try {
        return parseExecCredential(text, execConfig).token !== undefined;
      } catch (error) {
        assert.ok(error instanceof CredentialsError, String(error));
        assert.ok(!error.message.includes('s3cr3t'));
        return false;
      }
    },
  ),

  target(
    'tar-archives',
    'has the same entries wherever the bytes are cut; refuses with an Error',
    (random) => {
      const bytes = tarArchive(random);
      return {
        bytes: random.oneIn(4) ? mutateBytes(random, bytes) : bytes,
        cuts: [...random.cuts().map((length) => 7 * length), 300],
      };
    },
    async ({ bytes, cuts }: { bytes: Uint8Array; cuts: readonly number[] }) => {
      const whole = await readArchive(bytes, []);
      assert.deepEqual(await readArchive(bytes, cuts), whole);
      return whole.length > 0 && !whole.some((entry) => entry.startsWith('error'));
    },
  ),

  target(
    'log-lines',
    'a line is a time and a text, or a text',
    (random) => {
      const line = `${random.pick(['2026-01-01T00:00:00.123456789Z', '2026-02-30T25:61:00Z', '2026-01-01T00:00:00+01:00', '', '0000-00-00T00:00:00Z'])} ${random.text(0, 4, ['a', ' ', 'ä', '\r'])}`;
      return random.oneIn(2) ? mutateText(random, line, ['T', 'Z', ':', '.', '+', ' ']) : line;
    },
    (line: string) => {
      const { time, at, text } = splitLine(line);
      if (at === undefined) assert.deepEqual([time, text], ['', line]);
      else assert.ok(line.startsWith(time) && line.endsWith(text));
      return at !== undefined;
    },
  ),

  target(
    'data-files',
    'batches that were written are read up to the first damage, and the damage is told',
    (random) => {
      const batches = random.list(1, 4, () => random.oneIn(2));
      const bytes = Buffer.concat(
        batches.map((isAbout, at) => (isAbout ? aboutBatch(at, { a: at }) : changesBatch(at, [random.bytes(40)]))),
      );
      return { count: batches.length, bytes: random.oneIn(2) ? bytes : mutateBytes(random, bytes), whole: bytes };
    },
    async ({ count, bytes, whole }: { count: number; bytes: Uint8Array; whole: Uint8Array }) => {
      const read = await readLog(Buffer.from(bytes));
      const isWhole = Buffer.from(bytes).equals(whole);
      if (isWhole) assert.deepEqual([read.batches, read.end.kind], [count, 'complete']);
      assert.ok(read.end.offset <= bytes.length);
      return read.end.kind === 'complete';
    },
  ),
];
