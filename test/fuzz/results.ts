import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** The figures of a target, over all runs that were written to one file. */
export interface Figures {
  inputs: number;
  accepted: number;
  cpuSeconds: number;
  findings: number;
  /** The seed of the next input. */
  next: number;
}

/** The figures by target. With a file they continue those of the runs before. */
export class Results {
  readonly #file: string | undefined;
  readonly #figures: Record<string, Figures>;

  constructor(file: string | undefined) {
    this.#file = file;
    this.#figures =
      file !== undefined && existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, Figures>) : {};
  }

  of(target: string): Figures {
    return (this.#figures[target] ??= { inputs: 0, accepted: 0, cpuSeconds: 0, findings: 0, next: 1 });
  }

  save(): void {
    if (this.#file === undefined) return;
    // A run that is ended meanwhile must not leave half a file.
    writeFileSync(`${this.#file}.new`, `${JSON.stringify(this.#figures, undefined, 2)}\n`);
    renameSync(`${this.#file}.new`, this.#file);
  }

  /** A table of these targets and of their sum. */
  table(targets: readonly string[]): string {
    const row = (name: string, { inputs, accepted, cpuSeconds, findings }: Omit<Figures, 'next'>): string =>
      `| ${name} | ${inputs.toLocaleString('en')} | ${Math.round((100 * accepted) / Math.max(inputs, 1))} % | ${Math.round(cpuSeconds)} | ${Math.round(inputs / Math.max(cpuSeconds, 0.001)).toLocaleString('en')} | ${findings} |`;
    const sum = { inputs: 0, accepted: 0, cpuSeconds: 0, findings: 0 };
    for (const name of targets) {
      const figures = this.of(name);
      for (const field of ['inputs', 'accepted', 'cpuSeconds', 'findings'] as const) sum[field] += figures[field];
    }
    return [
      '| target | inputs | accepted | CPU seconds | inputs per CPU second | findings |',
      '| --- | ---: | ---: | ---: | ---: | ---: |',
      ...targets.map((name) => row(name, this.of(name))),
      row('together', sum),
    ].join('\n');
  }
}
