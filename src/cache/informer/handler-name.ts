/**
 * The name of a handler in messages: that of its function or class; for an object of functions their distinct names, joined
 * by `+`. A function that is named after its property does not count, so an object literal of arrow functions has the name
 * `fallback`.
 */
export function handlerName(handler: unknown, fallback = '(anonymous)'): string {
  if (typeof handler === 'function') return functionName(handler) || fallback;
  if (typeof handler !== 'object' || handler === null) return fallback;
  const className: unknown = handler.constructor?.name;
  if (typeof className === 'string' && className !== '' && className !== 'Object') return className;
  const names = new Set<string>();
  for (const [property, value] of Object.entries(handler)) {
    const name = typeof value === 'function' ? functionName(value) : '';
    if (name !== '' && name !== property) names.add(name);
  }
  return names.size === 0 ? fallback : [...names].join('+');
}

function functionName(value: { readonly name?: unknown }): string {
  return typeof value.name === 'string' ? value.name.replace(/^(?:bound )+/, '') : '';
}
