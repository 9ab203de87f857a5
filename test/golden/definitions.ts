import type { Json, Replay } from './part.js';

export const definitionsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** The definition of the custom resources in `apply`. */
export const widgets: Json = definition('applies.example.com', { plural: 'widgets', kind: 'Widget' }, [
  version('v1', {
    a: { type: 'string' },
    def: { type: 'integer', default: 7 },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    list: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { type: 'object', required: ['k'], properties: { k: { type: 'string' }, v: { type: 'string' } } },
    },
  }),
]);

const string = { type: 'string' };
const integer = { type: 'integer' };
const rule = (text: string, more: Json = {}): Json => ({ 'x-kubernetes-validations': [{ rule: text, ...more }] });
const list = (items: Json, more: Json = {}): Json => ({ type: 'array', items, ...more });
const object = (properties: Json, more: Json = {}): Json => ({ type: 'object', properties, ...more });

const formats = [
  'bsonobjectid',
  'uri',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'cidr',
  'mac',
  'uuid',
  'uuid3',
  'uuid4',
  'uuid5',
  'isbn',
  'creditcard',
  'ssn',
  'hexcolor',
  'rgbcolor',
  'byte',
  'date',
  'duration',
  'date-time',
  'password',
  'k8s-short-name',
  'k8s-long-name',
  'whatever',
];

/** One property of `spec` for each keyword, format and library function that the cases of `crd` test. */
const properties: Json = {
  str: string,
  int: integer,
  num: { type: 'number' },
  bool: { type: 'boolean' },
  obj: object({ a: string }),
  arr: list(string),
  addl: { type: 'object', additionalProperties: string },
  int32: { type: 'integer', format: 'int32' },
  float: { type: 'number', format: 'float' },
  enumI: { type: 'integer', enum: [1, 2] },
  pattern: { type: 'string', pattern: '^[a-z]+$' },
  min: { type: 'integer', minimum: 1 },
  mult: { type: 'integer', multipleOf: 2 },
  minLen: { type: 'string', minLength: 2 },
  maxLen: { type: 'string', maxLength: 3 },
  minItems: list(string, { minItems: 2 }),
  setInt: list(integer, { 'x-kubernetes-list-type': 'set' }),
  map1: list(object({ k: string, v: string }, { required: ['k'] }), {
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k'],
  }),
  map2: list(object({ k: string, p: { type: 'string', default: 'TCP' } }, { required: ['k'] }), {
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k', 'p'],
  }),
  req: object({ a: string, b: string }, { required: ['a', 'b'] }),
  nullable: { type: 'string', nullable: true },
  nullDefault: { type: 'string', default: 'd' },
  nullableDefault: { type: 'string', nullable: true, default: 'd' },
  ios: { 'x-kubernetes-int-or-string': true },
  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  freeTyped: object({ known: integer }, { 'x-kubernetes-preserve-unknown-fields': true }),
  emb: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
  oneOf: object({ a: string, b: string }, { oneOf: [{ required: ['a'] }, { required: ['b'] }] }),
  anyOf: object({ a: string, b: string }, { anyOf: [{ required: ['a'] }, { required: ['b'] }] }),
  oneOfValue: { type: 'integer', oneOf: [{ maximum: 3 }, { minimum: 10 }] },
  def: object({
    a: { type: 'integer', default: 1 },
    l: list(object({ x: { type: 'string', default: 'y' } })),
    m: { type: 'object', additionalProperties: object({ x: { type: 'integer', default: 5 } }) },
    o: object({ z: { type: 'integer', default: 2 } }, { default: {} }),
  }),
  celMsg: object({ min: integer, max: integer }, rule('self.min <= self.max', { message: 'min is above max' })),
  celNoMsg: { ...integer, ...rule('self > 3') },
  celExpr: { ...integer, ...rule('self > 3', { messageExpression: "'got too little'" }) },
  celReason: { ...string, ...rule("self != 'x'", { message: 'x is not allowed', reason: 'FieldValueForbidden' }) },
  celDup: { ...string, ...rule("self != 'x'", { reason: 'FieldValueDuplicate' }) },
  celFieldPath: object({ a: integer, b: integer }, rule('self.a == self.b', { fieldPath: '.a' })),
  celList: list(integer, { maxItems: 10, ...rule('self.all(x, x > 0)') }),
  celArrayMsg: list({ ...integer, ...rule('self % 2 == 0', { message: 'must be even' }) }, { maxItems: 10 }),
  celKey: object({ a: integer }, rule('self.a > 0')),
  celHas: object({ a: integer }, rule('!has(self.a) || self.a > 0')),
  celDiv: { ...integer, ...rule('8 / self > 1') },
  celIos: { 'x-kubernetes-int-or-string': true, ...rule("type(self) == int ? self > 3 : self == 'x'") },
  celQuantity: { ...string, ...rule("isQuantity(self) && quantity(self).isGreaterThan(quantity('1Gi'))") },
  celUrl: { ...string, ...rule("isURL(self) && url(self).getScheme() == 'https'") },
  celIp: { ...string, ...rule('isIP(self) && ip(self).family() == 4') },
  celCidr: { ...string, ...rule("isCIDR(self) && cidr(self).containsIP('10.1.2.3')") },
  celFormat: { ...string, maxLength: 40, ...rule('!format.dns1123Label().validate(self).hasValue()') },
  celSemver: { ...string, ...rule("isSemver(self) && semver(self).isLessThan(semver('2.0.0'))") },
  celStrings: { ...string, maxLength: 10, ...rule("self.trim().lowerAscii().split(',')[0] == 'a'") },
  celRegex: { ...string, maxLength: 10, ...rule("self.matches('^a+$') && self.find('a') == 'a'") },
  celSets: list({ ...string, maxLength: 10 }, { maxItems: 5, ...rule("sets.contains(['a','b'], self)") }),
  celSorted: list(integer, { maxItems: 10, ...rule('self.isSorted() && self.sum() < 10') }),
  celEscape: object({ namespace: string, 'a-b': string }, rule("self.__namespace__ == 'n' && self.a__dash__b == 'x'")),
  celTime: { ...string, format: 'date-time', ...rule("self > timestamp('2020-01-01T00:00:00Z')") },
  celDur: { ...string, format: 'duration', ...rule("self <= duration('1h')") },
  f_int32: { type: 'integer', format: 'int32' },
  f_int64: { type: 'integer', format: 'int64' },
  ...Object.fromEntries(formats.map((format) => [`f_${format}`, { type: 'string', format }])),
};

/** The definition of the custom resources in `crd`; `stricter` is its schema for the cases of ratcheting. */
export const goldens = (stricter = false): Json =>
  definition(
    'schemas.example.com',
    {
      plural: 'goldens',
      singular: 'golden',
      kind: 'Golden',
      listKind: 'GoldenList',
      shortNames: ['gld'],
      categories: ['all'],
    },
    [
      {
        ...version('v1', {
          ...properties,
          ...(stricter && {
            str: { type: 'string', pattern: '^[a-z]+$' },
            arr: list({ type: 'string', maxLength: 2 }),
          }),
        }),
        subresources: { status: {} },
        selectableFields: [{ jsonPath: '.spec.str' }, { jsonPath: '.spec.int' }],
        additionalPrinterColumns: [{ name: 'Str', type: 'string', jsonPath: '.spec.str' }],
      },
      {
        ...version('v2', { ...properties, onlyHere: string }),
        storage: false,
        subresources: { status: {} },
        deprecated: true,
        deprecationWarning: 'v2 goes away',
      },
    ],
  );

function version(name: string, spec: Json): Json {
  const schema = { type: 'object', properties: { spec: { type: 'object', properties: spec } } };
  return { name, served: true, storage: true, schema: { openAPIV3Schema: schema } };
}

function definition(group: string, names: Json, versions: Json[]): Json {
  return { metadata: { name: `${names.plural}.${group}` }, spec: { group, scope: 'Namespaced', names, versions } };
}

/** Creates a definition and waits until its resource is served. */
export async function waitForDefinition(replay: Replay, given: Json): Promise<void> {
  await replay.create(definitionsPath, given);
  const { group, names, versions } = given.spec;
  const path = `/apis/${group}/${versions[0].name}/namespaces/golden/${names.plural}`;
  for (let attempt = 0; (await replay.request({ path })).code !== 200; attempt++) {
    if (attempt > 500) throw new Error(`${path} is not served`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
