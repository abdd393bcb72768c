/**
 * Repeated failovers of Redis with 50 active calls: `npm run failovers -- 100`. Fails if a decision or a call is lost.
 */
import { failOver } from '../test/store/redis-failover.ts';

const rounds = Number(process.argv[2] ?? 100);
const sum = { acknowledged: 0, lost: 0, ended: 0 };
const away: number[] = [];
for (let round = 0; round < rounds; round++) {
  const result = await failOver({ calls: 50, durability: 'replica', writeMs: 200 + ((round * 37) % 200) });
  for (const name of ['acknowledged', 'lost', 'ended'] as const) sum[name] += result[name];
  away.push(result.awayMs);
  if (result.lost + result.ended > 0) console.error(`round ${round}: ${JSON.stringify(result)}`);
}
away.sort((a, b) => a - b);
const awayMs = { p50: Math.round(away[rounds >> 1]!), longest: Math.round(away.at(-1)!) };
console.log(JSON.stringify({ rounds, ...sum, awayMs }));
process.exit(sum.lost + sum.ended > 0 ? 1 : 0);
