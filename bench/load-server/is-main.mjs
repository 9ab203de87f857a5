import { fileURLToPath } from 'node:url';

/** Whether a module is the program, and not imported by one. */
export const isMain = (meta) => process.argv[1] === fileURLToPath(meta.url);
