/**
 * Options of the clients of suites that run with both wire formats: `KUBEFLECT_WIRE=json` or `protobuf`, else the client's
 * default.
 */
export const withWire: { readonly wire?: 'json' | 'protobuf' } = wireOf(process.env['KUBEFLECT_WIRE']);

function wireOf(value: string | undefined): typeof withWire {
  if (value === undefined || value === '') return {};
  if (value === 'json' || value === 'protobuf') return { wire: value };
  throw new Error(`KUBEFLECT_WIRE is ${value}, neither json nor protobuf`);
}
