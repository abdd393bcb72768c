/** `npm run simulate -- SEEDS [--seed FIRST] [--without GUARD] [--trace]`: histories of a cluster, each given by its seed. */
import { parseArgs } from 'node:util';
import { ALL_GUARDS, type Guard, without } from './guards.ts';
import { runHistory } from './history.ts';
import { planOf } from './plan.ts';
import { shrink } from './shrink.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    without: { type: 'string' },
    trace: { type: 'boolean' },
    all: { type: 'boolean' },
  },
});
const count = Number(positionals[0] ?? 1000);
const first = Number(values.seed);
if (!Number.isSafeInteger(count) || count < 1 || !Number.isSafeInteger(first)) {
  console.error('how many seeds? npm run simulate -- 1000 [--seed 1] [--without GUARD] [--trace]');
  process.exit(2);
}
if (values.without !== undefined && !Object.hasOwn(ALL_GUARDS, values.without)) {
  console.error(`the guards are ${Object.keys(ALL_GUARDS).join(', ')}`);
  process.exit(2);
}
const guards = values.without === undefined ? ALL_GUARDS : without(values.without as Guard);
const beganMs = performance.now();
const perSecond = (done: number): number => Math.round(done / ((performance.now() - beganMs) / 1000));
let failing = 0;
const kinds = new Map<string, { times: number; seed: number }>();
for (let seed = first; seed < first + count; seed++) {
  const plan = planOf(seed);
  const result = await runHistory(plan, { guards, isTraced: values.trace });
  if (values.trace) for (const line of result.lines) console.log(line);
  const done = seed - first + 1;
  if (result.violations.length > 0) {
    failing++;
    for (const violation of result.violations) {
      const kind = violation.replaceAll(/[\w.+-]*\d[\w.+-]*/g, 'N');
      const known = kinds.get(kind);
      if (known) known.times++;
      else kinds.set(kind, { times: 1, seed });
    }
    if (values.all) continue;
    console.log(`seed ${seed}: ${result.violations.join('; ')}`);
    const smaller = await shrink(plan, guards);
    console.log(`the smallest plan that fails:\n${JSON.stringify(smaller.plan, null, 1)}`);
    for (const line of smaller.lines) console.log(line);
    console.log(smaller.violations.join('\n'));
    break;
  }
  if (done % 1000 === 0) console.log(`${done} histories, ${perSecond(done)} a second`);
}
for (const [kind, { times, seed }] of kinds) console.log(`${times} times, first with seed ${seed}: ${kind}`);
console.log(`${failing === 0 ? `${count} histories, none fails` : `${failing} fail`}; ${perSecond(count)} a second`);
process.exit(failing === 0 ? 0 : 1);
