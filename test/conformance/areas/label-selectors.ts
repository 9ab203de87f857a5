import { expect } from 'vitest';
import type { Api } from '../api.js';
import { type Area, defineArea } from '../area.js';
import { addConfigMaps, configMaps, names } from '../objects.js';
import { expectStatus } from '../status.js';

async function existing(api: Api): Promise<string> {
  const path = configMaps(await api.namespace());
  for (const n of ['1', '2', '3']) await addConfigMaps(api, path, [`s${n}`], { n, all: 'yes' });
  await addConfigMaps(api, path, ['bare']);
  return path;
}

const selections: readonly (readonly [selector: string, expected: readonly string[]])[] = [
  ['n=1', ['s1']],
  ['n==1', ['s1']],
  ['n!=1', ['bare', 's2', 's3']],
  ['n in (1,2)', ['s1', 's2']],
  ['n in (1,)', ['s1']],
  ['n notin (1,2)', ['bare', 's3']],
  ['n', ['s1', 's2', 's3']],
  ['!n', ['bare']],
  ['n>1', ['s2', 's3']],
  ['n<3', ['s1', 's2']],
  ['n=', []],
  ['n in ()', []],
  ['n,all=yes,n!=3', ['s1', 's2']],
  [' n = 1 , all ', ['s1']],
  ['n=1,n=2', []],
  ['', ['bare', 's1', 's2', 's3']],
];

const LABEL_KEY =
  "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";

const mistakes: readonly (readonly [selector: string, message: string])[] = [
  ['n in 1', "unable to parse requirement: found '1' expected: '('"],
  ['n in (1', "unable to parse requirement: found '', expected: ',' or ')'"],
  [
    'n>x',
    "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
  ],
  ['two words', "unable to parse requirement: found 'words', expected: in, notin, =, ==, !=, gt, lt"],
  ['n=a b', "found 'b', expected: ',' or 'end of string'"],
  [',', "found ',', expected: !, identifier, or 'end of string'"],
  ['n=1,', "found '', expected: identifier after ','"],
  ['=x', "found '=', expected: !, identifier, or 'end of string'"],
  ['n===1', "unable to parse requirement: found '=', expected: identifier"],
  ['a/b/c=1', `unable to parse requirement: <nil>: Invalid value: "a/b/c": ${LABEL_KEY}`],
];

export const area: Area = defineArea('label selectors', (rule) => {
  for (const [selector, expected] of selections) {
    rule(`"${selector}" selects ${expected.length === 0 ? 'nothing' : expected.join(', ')}`, async (api) => {
      const list = await api.get(await existing(api), { labelSelector: selector });
      expect(names(list).filter((name) => /^(s\d|bare)$/.test(name))).toEqual(expected);
    });
  }

  for (const [selector, message] of mistakes) {
    rule(`"${selector}" is a BadRequest that says what was found and what was expected`, async (api) => {
      const answer = await api.request('GET', configMaps(await api.namespace()), {
        query: { labelSelector: selector },
      });
      expectStatus(answer, { code: 400, reason: 'BadRequest', message });
    });
  }

  rule('a value that no label can have is a BadRequest', async (api) => {
    const query = { labelSelector: `n=${'v'.repeat(64)}` };
    expectStatus(await api.request('GET', configMaps(await api.namespace()), { query }), {
      code: 400,
      reason: 'BadRequest',
      message: /must be no more than 63 /,
    });
  });

  rule('a watch with a selector that cannot be read is refused, not opened', async (api) => {
    const query = { watch: true, timeoutSeconds: 1, labelSelector: 'n in 1' };
    expectStatus(await api.request('GET', configMaps(await api.namespace()), { query }), {
      code: 400,
      reason: 'BadRequest',
    });
  });

  rule('a selector works across namespaces', async (api) => {
    const value = api.unique('value');
    const [one, two] = await Promise.all([api.namespace(), api.namespace()]);
    await addConfigMaps(api, configMaps(one), ['here'], { mark: value });
    await addConfigMaps(api, configMaps(two), ['there'], { mark: value });
    const list = await api.get('/api/v1/configmaps', { labelSelector: `mark=${value}` });
    expect(names(list).sort()).toEqual(['here', 'there']);
  });
});
