// What a report says about the machine and the peers.
import { readFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';

/** The machine, its system and Node. */
export function machineFacts() {
  return {
    cores: cpus().length,
    cpu: cpus()[0]?.model.trim(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.version,
  };
}

/** The version of a module that the Go program in a folder of bench/ is built with. */
export function moduleVersion(folder, module) {
  const text = readFileSync(new URL(`${folder}/go.mod`, import.meta.url), 'utf8');
  return new RegExp(`/${module} (v[\\d.]+)`).exec(text)?.[1];
}
