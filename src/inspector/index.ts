/** `kubeflect/inspector`: a page that shows what a process does with its informers, queues and controllers. */
export { type Inspector, type InspectorOptions, startInspector } from './inspector.js';
