/** The table of docs/reliability.md. */
import { rooms } from './rooms.mjs';

/**
 * A mutant without a result is not judged: it is new, or the tests have changed because it survived.
 * @param {import('./mutants.mjs').Mutant[]} mutants
 * @param {Record<string, { outcome: string }>} results
 */
export function tableOf(mutants, results) {
  const row = (name, some) => {
    const outcomes = some.map((mutant) => {
      const outcome = results[mutant.name]?.outcome ?? 'not judged';
      return outcome === 'survived' && mutant.equivalent !== undefined ? 'equivalent' : outcome;
    });
    const count = (outcome) => outcomes.filter((one) => one === outcome).length;
    const byHand = some.filter(({ origin }) => origin === 'by hand').length;
    const counts = ['killed', 'timed out', 'equivalent', 'survived', 'not judged'].map(count);
    return `| ${[name, byHand, some.length - byHand, ...counts].join(' | ')} |`;
  };
  return [
    '| room | by hand | drawn | killed by a test | timed out | equivalent | survived | not judged |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...rooms.map(({ name }) => {
      const ofRoom = mutants.filter(({ room }) => room === name);
      return row(name, ofRoom);
    }),
    row('all', mutants),
  ].join('\n');
}
