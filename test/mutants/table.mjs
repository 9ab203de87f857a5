/** The table of docs/reliability.md. */
import { rooms } from './rooms.mjs';

/** @param {import('./mutants.mjs').Mutant[]} mutants @param {Record<string, { outcome: string }>} results */
export function tableOf(mutants, results) {
  const row = (name, some) => {
    const count = (outcome) => some.filter((mutant) => results[mutant.name]?.outcome === outcome).length;
    const equivalent = some.filter((mutant) => mutant.equivalent !== undefined).length;
    const byHand = some.filter(({ origin }) => origin === 'by hand').length;
    const unexplained = count('survived') - equivalent;
    return `| ${[name, byHand, some.length - byHand, count('killed'), count('timed out'), equivalent, unexplained].join(' | ')} |`;
  };
  return [
    '| room | by hand | drawn | killed by a test | timed out | equivalent | survived |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...rooms.map(({ name }) =>
      row(
        name,
        mutants.filter(({ room }) => room === name),
      ),
    ),
    row('all', mutants),
  ].join('\n');
}
