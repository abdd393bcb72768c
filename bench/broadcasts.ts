/**
 * A broadcast over the nodes of a cluster, one of which is killed midway: `npm run broadcasts -- [numbers] [nodes] [per
 * second]`. Default: 10,000 numbers over 4 nodes at 50 per second. Fails if a number was called twice or not at all, or
 * if the rate is off by more than 2 % from the second second after the loss on.
 */
import { CallingNodes, callThrough, numbersFrom } from '../test/crash/calling-nodes.ts';

const [numbers = 10_000, nodes = 4, perSecond = 50] = process.argv.slice(2).map(Number);
const MAX_OFF = 0.02;

const all = await CallingNodes.start(nodes);
try {
  const figures = await callThrough(all, numbersFrom(0, numbers), { perSecond, killAfter: Math.floor(numbers * 0.4) });
  console.log(JSON.stringify(figures));
  const isWrong = figures.twice.length > 0 || figures.forgotten > 0 || figures.numbers !== numbers;
  process.exitCode = isWrong || Math.abs(figures.pace - 1) > MAX_OFF ? 1 : 0;
} finally {
  await all.stop();
}
