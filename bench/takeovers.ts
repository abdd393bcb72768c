/**
 * Calls on an Asterisk whose node is killed: `npm run takeovers -- 60`. The calls hear endless prompts; each of three
 * nodes is killed once, and the time until its calls hear their next prompt is measured. Fails if a prompt is heard
 * twice, a call is lost, or the 99th percentile is five seconds or more. Needs sipp, redis-server and Asterisk.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { NAMES, Nodes, numberOf } from '../test/asterisk/nodes.ts';

const BAR_MS = 5000;
/** A call that was silent for this long counts as lost. */
const LOST_MS = 30_000;
const calls = Number(process.argv[2] ?? 60);
const PREFIX = '127.0.46';
const FLOW = `flow: takeover
start: one
defaults: { exits: { error: bye } }
limits: { max_steps: 10000 }
steps:
  one: { play: { text: "This prompt is heard." }, next: two }
  two: { play: { text: "And then this one." }, next: one }
  bye: { hangup: normal }
`;

const nodes = await Nodes.open(PREFIX, FLOW);
const phones: ChildProcess[] = [];
process.once('exit', () => {
  for (const phone of phones) phone.kill('SIGKILL');
});
const each = Math.ceil(calls / NAMES.length);
for (const [at, name] of NAMES.entries()) {
  const args = ['-sn', 'uac', '-s', numberOf(name), '-i', `${PREFIX}.${20 + at}`, '-p', '5060', '-nostdin'];
  args.push('-m', `${each}`, '-l', `${each}`, '-r', '10', '-d', '600000', `${nodes.network.asterisk.address}:5060`);
  phones.push(spawn('sipp', args, { stdio: 'ignore' }));
}
const legs = (): Set<string> => new Set(nodes.playbacks.map(({ legId }) => legId));
for (let waited = 0; legs().size < each * NAMES.length; waited += 100) {
  if (waited > 60_000) throw new Error(`only ${legs().size} of ${each * NAMES.length} calls were answered`);
  await sleep(100);
}
await sleep(3000);

const tookMs: number[] = [];
let lost = 0;
for (const name of NAMES) {
  const { pid } = nodes.services.get(name)!;
  const carried = [...(await nodes.carriers())].flatMap(([legId, carrier]) => (carrier === pid ? [legId] : []));
  await nodes.services.get(name)!.kill();
  const killedMs = Date.now();
  const nextOf = (legId: string) => nodes.playbacks.find((each) => each.legId === legId && each.startedMs > killedMs);
  while (Date.now() - killedMs < LOST_MS && !carried.every(nextOf)) await sleep(100);
  for (const legId of carried) {
    const next = nextOf(legId);
    if (next) tookMs.push(next.startedMs - killedMs);
    else lost++;
  }
  console.error(`${name} was killed with ${carried.length} calls`);
  await nodes.start(name);
}
tookMs.sort((a, b) => a - b);
const at = (share: number): number | undefined =>
  tookMs[Math.min(tookMs.length - 1, Math.floor(tookMs.length * share))];
const repeated = nodes.repeated().length;
const nextPromptMs = { p50: at(0.5), p90: at(0.9), p99: at(0.99), longest: tookMs.at(-1) };
console.log(JSON.stringify({ calls: legs().size, takeovers: tookMs.length, lost, repeated, nextPromptMs }));
for (const phone of phones) phone.kill('SIGKILL');
await nodes.close();
process.exit(lost + repeated > 0 || (at(0.99) ?? 0) >= BAR_MS ? 1 : 0);
