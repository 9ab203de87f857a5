import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { folderAbove } from '../../meta/call-site.js';
import { offClock } from '../../time/off-clock.js';
import { realClock } from '../../time/real-clock.js';
import type { Converted, YamlAsJson } from './convert-yaml.js';

/** Longer texts are converted in a thread of their own: the parser reads a megabyte in about a second, without pause. */
const LARGE = 16 * 1024;
/** A text that takes longer is refused. */
const PATIENCE_MS = 30_000;

/**
 * Converts the first document of a YAML text to JSON, by YAML 1.1 as kube-apiserver reads it.
 *
 * @throws Error with a message as `yaml: line 1: did not find expected node content`
 */
export async function yamlToJson(text: string): Promise<YamlAsJson> {
  const thread = text.length > LARGE ? threadFile() : undefined;
  const converted = await offClock(thread === undefined ? convertHere(text) : convertInThread(thread, text));
  if ('error' in converted) throw new Error(converted.error);
  return converted;
}

async function convertHere(text: string): Promise<Converted> {
  const { convertYaml } = await import('./convert-yaml.js');
  return convertYaml(text);
}

/** The file of the thread in the package. A program that was bundled to one file has none, and converts texts itself. */
function threadFile(): URL | undefined {
  const folder = folderAbove(import.meta.url);
  const file = folder && new URL('yaml-thread.js', folder);
  return file && existsSync(file) ? file : undefined;
}

function convertInThread(file: URL, text: string): Promise<Converted> {
  return new Promise<Converted>((resolve, reject) => {
    const worker = new Worker(file, {
      workerData: text,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 512, stackSizeMb: 4 },
    });
    const timer = realClock.setTimer(PATIENCE_MS, () => {
      resolve({ error: 'yaml: document takes too long to read' });
      worker.terminate().catch(reject);
    });
    worker.once('message', resolve);
    // A text that exhausts the memory of the thread ends only the thread.
    worker.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') resolve({ error: 'yaml: document contains excessive aliasing' });
      else reject(error);
    });
    worker.once('exit', () => timer.cancel());
  });
}
