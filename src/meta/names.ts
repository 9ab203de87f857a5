/**
 * Validation of names and labels with the messages of kube-apiserver, so that the embedded server rejects an object as a
 * cluster does. Each function returns the errors; an empty array means that the value is valid.
 */

const dnsLabel = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const dnsSubdomain = `${dnsLabel}(\\.${dnsLabel})*`;
const dns1035Label = '[a-z]([-a-z0-9]*[a-z0-9])?';
const labelName = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelValue = `(${labelName})?`;

const dnsLabelPattern = anchored(dnsLabel);
const dnsSubdomainPattern = anchored(dnsSubdomain);
const dns1035LabelPattern = anchored(dns1035Label);
const labelNamePattern = anchored(labelName);
const labelValuePattern = anchored(labelValue);

const labelMaxLength = 63;
const subdomainMaxLength = 253;

const mustNotBeEmpty = 'must be non-empty';

function anchored(pattern: string): RegExp {
  return new RegExp(`^${pattern}$`);
}

/** kube-apiserver says `characters` for names and `bytes` for labels. */
function tooLong(max: number, unit: 'characters' | 'bytes'): string {
  return `must be no more than ${max} ${unit}`;
}

function notMatching(rule: string, pattern: string, ...examples: string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(' or ');
  return `${rule} (e.g. ${shown}regex used for validation is '${pattern}')`;
}

/** One label of a DNS name, such as the name of a namespace: lower-case letters, digits and dashes, at most 63 bytes. */
export function dns1123LabelErrors(value: string): string[] {
  const errors: string[] = [];
  if (value.length > labelMaxLength) errors.push(tooLong(labelMaxLength, 'characters'));
  if (dnsLabelPattern.test(value)) return errors;
  if (dnsSubdomainPattern.test(value)) errors.push('must not contain dots');
  else {
    const rule =
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
    errors.push(notMatching(rule, dnsLabel, 'my-name', '123-abc'));
  }
  return errors;
}

/** A DNS name of one or more labels, as the names of most objects: at most 253 bytes. */
export function dns1123SubdomainErrors(value: string, unit: 'characters' | 'bytes' = 'characters'): string[] {
  const errors: string[] = [];
  if (value.length > subdomainMaxLength) errors.push(tooLong(subdomainMaxLength, unit));
  if (!dnsSubdomainPattern.test(value)) {
    const rule =
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
    errors.push(notMatching(rule, dnsSubdomain, 'example.com'));
  }
  return errors;
}

/** The older form of a DNS label, which starts with a letter: versions, resources and the names of services. */
export function dns1035LabelErrors(value: string): string[] {
  const errors: string[] = [];
  if (value.length > labelMaxLength) errors.push(tooLong(labelMaxLength, 'characters'));
  if (!dns1035LabelPattern.test(value)) {
    const rule =
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
    errors.push(notMatching(rule, dns1035Label, 'my-name', 'abc-123'));
  }
  return errors;
}

const labelNameMismatch = notMatching(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  labelName,
  'MyName',
  'my.name',
  '123-abc',
);

/** The key of a label or annotation, or the type of a condition: a name with an optional prefix, a DNS name and a slash. */
export function labelKeyErrors(value: string): string[] {
  const parts = value.split('/', 3);
  if (parts.length > 2) {
    return [
      `a valid label key ${labelNameMismatch} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const errors: string[] = [];
  const [prefix, name] = parts.length === 2 ? [parts[0] as string, parts[1] as string] : [undefined, value];
  if (prefix === '') errors.push(`prefix part ${mustNotBeEmpty}`);
  else if (prefix !== undefined)
    errors.push(...dns1123SubdomainErrors(prefix, 'bytes').map((error) => `prefix part ${error}`));
  if (name === '') errors.push(`name part ${mustNotBeEmpty}`);
  else if (name.length > labelMaxLength) errors.push(`name part ${tooLong(labelMaxLength, 'bytes')}`);
  if (!labelNamePattern.test(name)) errors.push(`name part ${labelNameMismatch}`);
  return errors;
}

/** The value of a label: empty, or of the same form as the name part of a key. */
export function labelValueErrors(value: string): string[] {
  const errors: string[] = [];
  if (value.length > labelMaxLength) errors.push(tooLong(labelMaxLength, 'bytes'));
  if (!labelValuePattern.test(value)) {
    const rule =
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
    errors.push(notMatching(rule, labelValue, 'MyValue', 'my_value', '12345'));
  }
  return errors;
}

const portNameMaxLength = 15;

/** The name of a port of a container or service. */
export function portNameErrors(value: string): string[] {
  const errors: string[] = [];
  if (value.length > portNameMaxLength) errors.push(tooLong(portNameMaxLength, 'characters'));
  if (!/^[-a-z0-9]+$/.test(value)) {
    errors.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  }
  if (!/[a-z]/.test(value)) errors.push('must contain at least one letter (a-z)');
  if (value.includes('--')) errors.push('must not contain consecutive hyphens');
  if (value.startsWith('-') || value.endsWith('-')) errors.push('must not begin or end with a hyphen');
  return errors;
}

/** A number within bounds. */
export function rangeErrors(value: number, least: number, most: number): string[] {
  return value >= least && value <= most ? [] : [`must be between ${least} and ${most}, inclusive`];
}

/** The number of a port. */
export function portNumberErrors(value: number): string[] {
  return rangeErrors(value, 1, 65535);
}

/** The number of a user or group. */
export function userIdErrors(value: number): string[] {
  return rangeErrors(value, 0, 2 ** 31 - 1);
}

/** The name of an environment variable. */
export function envNameErrors(value: string): string[] {
  if (value === '') return [`environment variable name ${mustNotBeEmpty}`];
  return /^[ -<>-~]+$/.test(value)
    ? []
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

/** The key of an entry of a ConfigMap or Secret. */
export function configKeyErrors(value: string): string[] {
  const errors: string[] = [];
  if (value.length > subdomainMaxLength) errors.push(tooLong(subdomainMaxLength, 'characters'));
  const pattern = '[-._a-zA-Z0-9]+';
  if (!/^[-._a-zA-Z0-9]+$/.test(value)) {
    const rule = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
    errors.push(notMatching(rule, pattern, 'key.name', 'KEY_NAME', 'key-name'));
  }
  if (value === '.' || value === '..') errors.push(`must not be '${value}'`);
  else if (value.startsWith('..')) errors.push("must not start with '..'");
  return errors;
}

/** A percentage such as `25%`. */
export function percentErrors(value: string): string[] {
  if (/^[0-9]+%$/.test(value)) return [];
  const rule = "a valid percent string must be a numeric string followed by an ending '%'";
  return [notMatching(rule, '[0-9]+%', '1%', '93%')];
}

/** The name of an HTTP header. */
export function headerNameErrors(value: string): string[] {
  if (/^[-A-Za-z0-9]+$/.test(value)) return [];
  const rule = "a valid HTTP header must consist of alphanumeric characters or '-'";
  return [notMatching(rule, '[-A-Za-z0-9]+', 'X-Header-Name')];
}

const searchLabel = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const searchDomain = `${searchLabel}(\\.${searchLabel})*`;
const searchDomainPattern = anchored(searchDomain);

/** A DNS name whose labels may have underscores, as in the search path of a resolver. */
export function searchDomainErrors(value: string): string[] {
  const errors: string[] = [];
  if (value.length > subdomainMaxLength) errors.push(tooLong(subdomainMaxLength, 'characters'));
  if (!searchDomainPattern.test(value)) {
    const rule =
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character";
    errors.push(notMatching(rule, searchDomain, 'example.com'));
  }
  return errors;
}

/** A name that is valid as a path segment of a URL: the weakest rule, for RBAC objects among others. */
export function pathSegmentErrors(value: string): string[] {
  if (value === '.' || value === '..') return [`may not be '${value}'`];
  return ['/', '%'].filter((part) => value.includes(part)).map((part) => `may not contain '${part}'`);
}

/** A kind or resource with its group, as `deployments.apps`; the core group is left out. */
export function withGroup(name: string, group: string): string {
  return group === '' ? name : `${name}.${group}`;
}

const wildcardSubdomain = `\\*\\.${dnsSubdomain}`;
const wildcardSubdomainPattern = anchored(wildcardSubdomain);

/** A domain with `*` as its first label, as in the hosts of an Ingress. */
export function wildcardSubdomainErrors(value: string): string[] {
  const errors: string[] = [];
  if (value.length > subdomainMaxLength) errors.push(tooLong(subdomainMaxLength, 'characters'));
  if (!wildcardSubdomainPattern.test(value)) {
    const rule =
      "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character";
    errors.push(notMatching(rule, wildcardSubdomain, '*.example.com'));
  }
  return errors;
}
