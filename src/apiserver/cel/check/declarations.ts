import {
  boolType,
  bytesType,
  CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  optionalType,
  stringType,
  timestampType,
  typeOfType,
  uintType,
} from './types.js';

export const quantityType: CelType = new CelType('struct', 'kubernetes.Quantity');
export const urlType: CelType = new CelType('struct', 'kubernetes.URL');
export const semverType: CelType = new CelType('struct', 'kubernetes.Semver');
export const formatType: CelType = new CelType('struct', 'kubernetes.NamedFormat');
export const authorizerType: CelType = new CelType('struct', 'kubernetes.authorization.Authorizer');
export const pathCheckType: CelType = new CelType('struct', 'kubernetes.authorization.PathCheck');
export const groupCheckType: CelType = new CelType('struct', 'kubernetes.authorization.GroupCheck');
export const resourceCheckType: CelType = new CelType('struct', 'kubernetes.authorization.ResourceCheck');
export const decisionType: CelType = new CelType('struct', 'kubernetes.authorization.Decision');
export const ipType: CelType = new CelType('opaque', 'net.IP');
export const cidrType: CelType = new CelType('opaque', 'net.CIDR');

/** One signature of a function. `parameters` begin with the target for a member function. */
export interface Overload {
  /** The signature as text, such as `.size(list(A))`. */
  readonly id: string;
  readonly member: boolean;
  readonly parameters: readonly CelType[];
  readonly result: CelType;
  /** The names of the type parameters. */
  readonly typeParameters: readonly string[];
}

const comparisons =
  'bool,bool int,int int,double int,uint uint,uint uint,double uint,int double,double double,int double,uint string,string bytes,bytes timestamp,timestamp duration,duration';
const comparable = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'];
const timeParts = ['Date', 'DayOfMonth', 'DayOfWeek', 'DayOfYear', 'FullYear', 'Month'];
const durationParts = ['Hours', 'Milliseconds', 'Minutes', 'Seconds'];
const formats =
  'byte date datetime dns1035Label dns1035LabelPrefix dns1123Label dns1123LabelPrefix dns1123Subdomain dns1123SubdomainPrefix labelValue qualifiedName uri uuid';

/**
 * All functions: a name, then its signatures. Names that begin with a dot are member functions, whose first parameter is the
 * target. Single capital letters are type parameters. If several signatures fit, the result is dyn unless all agree.
 */
const table = `
!_ (bool)bool
-_ (double)double (int)int
@in (A,list(A))bool (A,map(A,B))bool
@not_strictly_false (bool)bool
_!=_ (A,A)bool
_==_ (A,A)bool
_%_ (int,int)int (uint,uint)uint
_&&_ (bool,bool)bool
_||_ (bool,bool)bool
_?_:_ (bool,A,A)A
_*_ (double,double)double (int,int)int (uint,uint)uint
_/_ (double,double)double (int,int)int (uint,uint)uint
_+_ (bytes,bytes)bytes (double,double)double (duration,duration)duration (duration,timestamp)timestamp (timestamp,duration)timestamp (int,int)int (list(A),list(A))list(A) (string,string)string (uint,uint)uint
_-_ (double,double)double (duration,duration)duration (int,int)int (timestamp,duration)timestamp (timestamp,timestamp)duration (uint,uint)uint
_[_] (list(A),int)A (map(A,B),A)B (optional(list(V)),int)optional(V) (optional(map(K,V)),K)optional(V)
_[?_] (list(V),int)optional(V) (optional(list(V)),int)optional(V) (map(K,V),K)optional(V) (optional(map(K,V)),K)optional(V)
${['_<_', '_<=_', '_>_', '_>=_']
  .map(
    (name) =>
      `${name} ${comparisons
        .split(' ')
        .map((types) => `(${types})bool`)
        .join(' ')}`,
  )
  .join('\n')}
bool (bool)bool (string)bool
bytes (bytes)bytes (string)bytes
double (double)double (int)double (string)double (uint)double
duration (duration)duration (int)duration (string)duration
dyn (A)dyn
int (int)int (double)int (duration)int (string)int (timestamp)int (uint)int
string (string)string (bool)string (bytes)string (double)string (duration)string (int)string (timestamp)string (uint)string (ip)string (cidr)string
timestamp (timestamp)timestamp (int)timestamp (string)timestamp
type (A)type(A)
uint (uint)uint (double)uint (int)uint (string)uint
size (bytes)int (list(A))int (map(A,B))int (string)int
.size (bytes)int (list(A))int (map(A,B))int (string)int
.contains (string,string)bool
.endsWith (string,string)bool
.startsWith (string,string)bool
matches (string,string)bool
.matches (string,string)bool
.find (string,string)string
.findAll (string,string)list(string) (string,string,int)list(string)
.charAt (string,int)string
.format (string,list(dyn))string
.indexOf (list(A),A)int (string,string)int (string,string,int)int
.lastIndexOf (list(A),A)int (string,string)int (string,string,int)int
.join (list(string))string (list(string),string)string
.lowerAscii (string)string
.upperAscii (string)string
.replace (string,string,string)string (string,string,string,int)string
.split (string,string)list(string) (string,string,int)list(string)
.substring (string,int)string (string,int,int)string
.trim (string)string
strings.quote (string)string
${timeParts.map((part) => `.get${part} (timestamp)int (timestamp,string)int`).join('\n')}
${durationParts.map((part) => `.get${part} (timestamp)int (timestamp,string)int (duration)int`).join('\n')}
.isSorted ${comparable.map((type) => `(list(${type}))bool`).join(' ')}
.max ${comparable.map((type) => `(list(${type}))${type}`).join(' ')}
.min ${comparable.map((type) => `(list(${type}))${type}`).join(' ')}
.sort ${comparable.map((type) => `(list(${type}))list(${type})`).join(' ')}
.@sortByAssociatedKeys ${comparable.map((type) => `(list(T),list(${type}))list(T)`).join(' ')}
.sum (list(int))int (list(uint))uint (list(double))double (list(duration))duration
.distinct (list(T))list(T)
.first (list(V))optional(V)
.last (list(V))optional(V)
.flatten (list(list(T)))list(T) (list(dyn),int)list(dyn)
.reverse (list(T))list(T)
.slice (list(T),int,int)list(T)
lists.range (int)list(int)
sets.contains (list(T),list(T))bool
sets.equivalent (list(T),list(T))bool
sets.intersects (list(T),list(T))bool
cel.@mapInsert (map(K,V),K,V)map(K,V) (map(K,V),map(K,V))map(K,V)
optional.none ()optional(V)
optional.of (V)optional(V)
optional.ofNonZeroValue (V)optional(V)
optional.unwrap (list(optional(V)))list(V)
.unwrapOpt (list(optional(V)))list(V)
.hasValue (optional(V))bool
.value (optional(V))V
.or (optional(V),optional(V))optional(V)
.orValue (optional(V),V)V
url (string)url
isURL (string)bool
.getEscapedPath (url)string
.getHost (url)string
.getHostname (url)string
.getPort (url)string
.getScheme (url)string
.getQuery (url)map(string,list(string))
ip (string)ip
.ip (cidr)ip
ip.isCanonical (string)bool
isIP (string)bool
.family (ip)int
.isGlobalUnicast (ip)bool
.isLinkLocalMulticast (ip)bool
.isLinkLocalUnicast (ip)bool
.isLoopback (ip)bool
.isUnspecified (ip)bool
cidr (string)cidr
isCIDR (string)bool
.containsCIDR (cidr,string)bool (cidr,cidr)bool
.containsIP (cidr,string)bool (cidr,ip)bool
.masked (cidr)cidr
.prefixLength (cidr)int
quantity (string)quantity
isQuantity (string)bool
sign (quantity)int
.add (quantity,quantity)quantity (quantity,int)quantity
.sub (quantity,quantity)quantity (quantity,int)quantity
.asApproximateFloat (quantity)double
.asInteger (quantity)int
.isInteger (quantity)bool
.compareTo (quantity,quantity)int (semver,semver)int
.isGreaterThan (quantity,quantity)bool (semver,semver)bool
.isLessThan (quantity,quantity)bool (semver,semver)bool
semver (string)semver (string,bool)semver
isSemver (string)bool (string,bool)bool
.major (semver)int
.minor (semver)int
.patch (semver)int
${formats
  .split(' ')
  .map((name) => `format.${name} ()format`)
  .join('\n')}
format.named (string)optional(format)
.path (authorizer,string)pathCheck
.group (authorizer,string)groupCheck
.serviceAccount (authorizer,string,string)authorizer
.resource (groupCheck,string)resourceCheck
.subresource (resourceCheck,string)resourceCheck
.namespace (resourceCheck,string)resourceCheck
.name (resourceCheck,string)resourceCheck
.fieldSelector (resourceCheck,string)resourceCheck
.labelSelector (resourceCheck,string)resourceCheck
.check (pathCheck,string)decision (resourceCheck,string)decision
.allowed (decision)bool
.reason (decision)string
.errored (decision)bool
.error (decision)string
.validate (format,string)optional(list(string))
`;

const simpleTypes: Readonly<Record<string, CelType>> = {
  authorizer: authorizerType,
  decision: decisionType,
  groupCheck: groupCheckType,
  pathCheck: pathCheckType,
  resourceCheck: resourceCheckType,
  bool: boolType,
  bytes: bytesType,
  cidr: cidrType,
  double: doubleType,
  duration: durationType,
  dyn: dynType,
  format: formatType,
  int: intType,
  ip: ipType,
  quantity: quantityType,
  semver: semverType,
  string: stringType,
  timestamp: timestampType,
  uint: uintType,
  url: urlType,
};

let functions: Map<string, Overload[]> | undefined;

/** The overloads of a function, member functions among them; undefined if there is none of that name. */
export function overloadsOf(name: string): readonly Overload[] | undefined {
  functions ??= readTable();
  return functions.get(name);
}

function readTable(): Map<string, Overload[]> {
  const result = new Map<string, Overload[]>();
  for (const line of table.trim().split('\n')) {
    const [fullName, ...signatures] = line.split(' ') as [string, ...string[]];
    const member = fullName.startsWith('.');
    const name = member ? fullName.slice(1) : fullName;
    const overloads = result.get(name) ?? [];
    result.set(name, overloads);
    for (const signature of signatures) {
      const end = closing(signature);
      overloads.push({
        id: fullName + signature.slice(0, end + 1),
        member,
        parameters: typesIn(signature.slice(1, end)),
        result: typesIn(signature.slice(end + 1))[0] as CelType,
        typeParameters: [...new Set(signature.match(/\b[A-Z]\b/g))],
      });
    }
  }
  return result;
}

function closing(text: string): number {
  let depth = 0;
  for (let i = 0; ; i++) {
    if (text[i] === '(') depth++;
    else if (text[i] === ')' && --depth === 0) return i;
  }
}

function typesIn(text: string): CelType[] {
  const types: CelType[] = [];
  let rest = text;
  while (rest !== '') {
    const name = /^\w+/.exec(rest)?.[0] as string;
    rest = rest.slice(name.length);
    let parameters: CelType[] = [];
    if (rest.startsWith('(')) {
      const end = closing(rest);
      parameters = typesIn(rest.slice(1, end));
      rest = rest.slice(end + 1);
    }
    rest = rest.replace(/^,/, '');
    types.push(typeNamed(name, parameters));
  }
  return types;
}

function typeNamed(name: string, [first, second]: readonly CelType[]): CelType {
  if (first === undefined) return simpleTypes[name] ?? new CelType('param', name);
  if (name === 'map') return mapType(first, second as CelType);
  if (name === 'list') return listType(first);
  return name === 'type' ? typeOfType(first) : optionalType(first);
}

/** Names that the checker takes for types, and that no expression can use: their values have longer names. */
export const unusableTypes: ReadonlySet<string> = new Set(['duration', 'timestamp']);

/** The types that expressions can name, as in `type(x) == string`. */
export const namedTypes: ReadonlyMap<string, CelType> = new Map([
  ['duration', durationType],
  ['timestamp', timestampType],
  ...[
    boolType,
    bytesType,
    doubleType,
    durationType,
    intType,
    listType(dynType),
    mapType(dynType, dynType),
    nullType,
    stringType,
    timestampType,
    typeOfType(),
    uintType,
    ipType,
    cidrType,
    optionalType(dynType),
  ].map((type) => [type.name, type] as const),
]);
