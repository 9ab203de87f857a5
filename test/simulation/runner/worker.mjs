// A process of the runner: answers each message with the results of a range of seeds.
import { pathToFileURL } from 'node:url';

const [path] = process.argv.slice(2);
const subject = await import(pathToFileURL(path).href);
// Faults of the server cause warnings all the time.
process.emitWarning = () => {};
/** Errors and timers without stacks cost a fifth less; a failing seed is run again with them. */
Error.stackTraceLimit = 0;

process.on('message', async (message) => {
  const started = process.cpuUsage();
  const result = await (message.corpus === undefined ? runSeeds(message) : vary(message));
  const { user, system } = process.cpuUsage(started);
  process.send({ ...message, corpus: undefined, reached: undefined, ...result, cpuSeconds: (user + system) / 1e6 });
});
process.on('disconnect', () => process.exit());
process.send({ required: subject.required ?? [] });

async function runSeeds({ from, to }) {
  const figures = {};
  for (let seed = from; seed <= to; seed++) {
    const { problems, figures: counts } = await subject.runSeed(seed);
    for (const [name, count] of Object.entries(counts)) figures[name] = (figures[name] ?? 0) + count;
    if (problems.length > 0) {
      return { figures, failure: { seed, ...(await withStacks(() => explain(seed, problems))) } };
    }
  }
  return { figures };
}

async function vary({ from, to, corpus, reached }) {
  if (reached === undefined) return { reaches: await subject.reach(corpus) };
  return await subject.vary(from, to, corpus, reached);
}

async function explain(seed, problems) {
  return subject.explain === undefined ? { text: problems.join('\n') } : await subject.explain(seed);
}

async function withStacks(work) {
  Error.stackTraceLimit = 10;
  try {
    return await work();
  } finally {
    Error.stackTraceLimit = 0;
  }
}
