/**
 * CPU seconds for 1000 calls of a short IVR (answer, prompt, digit by RFC 4733, prompt, hang up), ours beside Asterisk
 * in the same run. `node bench/ivr.ts [calls] [calls per second]`. sipp places the calls.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '../test/e2e/service.ts';
import { sipp } from '../test/e2e/sipp.ts';
import { writeTone } from '../test/e2e/sound.ts';
import { startAsterisk } from './asterisk.ts';
import { report } from './figure.ts';
import { cpuSeconds } from './process-figures.ts';

const calls = Number(process.argv[2] ?? 1000);
const rate = Number(process.argv[3] ?? 30);
const scenario = join(import.meta.dirname, 'scenarios/ivr.xml');
const FLOW = `
flow: bench
start: ask
defaults: { exits: { error: bye } }
steps:
  ask:
    menu: { prompt: two_seconds, choices: { one: { dtmf: "1" } }, attempts: 1, start_timeout: 5s, no_input: [two_seconds], no_match: [two_seconds] }
    exits: { one: one, exhausted: other }
  one: { play: one_second, next: bye }
  other: { play: two_seconds, next: bye }
  bye: { hangup: normal }
`;

async function measure(pid: number, target: string): Promise<number> {
  const options = { scenario, target, address: '127.0.0.21', number: '1000', rate, withinSeconds: 300 };
  await sipp({ ...options, calls: Math.min(200, calls) });
  const before = cpuSeconds(pid);
  const { successful, failed } = await sipp({ ...options, calls });
  if (failed > 0 || successful !== calls) throw new Error(`${target}: ${failed} of ${calls} calls failed`);
  return ((cpuSeconds(pid) - before) / calls) * 1000;
}

if (spawnSync('sh', ['-c', 'command -v sipp sox']).status !== 0) {
  process.stderr.write('needs sipp and sox: apt-get install sip-tester sox\n');
  process.exit(2);
}
const directory = mkdtempSync(join(tmpdir(), 'callweave-bench-'));
const flowsDirectory = mkdtempSync(join(tmpdir(), 'callweave-bench-flows-'));
mkdirSync(join(flowsDirectory, 'prompts'));
writeTone(join(flowsDirectory, 'prompts/two_seconds.wav'), 440, 2);
writeTone(join(flowsDirectory, 'prompts/one_second.wav'), 660, 1);
writeFileSync(join(flowsDirectory, 'bench.flow.yaml'), FLOW);
const service = await startService({
  directory,
  address: '127.0.0.31',
  numbers: [{ number: '1000', flow: 'bench' }],
  flows: flowsDirectory,
});
const asterisk = await startAsterisk();
try {
  const ours = await measure(service.pid, service.sip);
  const peer = asterisk && (await measure(asterisk.pid, asterisk.sip));
  report('ivr', ours, 'CPU-s per 1000 calls', peer);
} finally {
  await service.stop();
  asterisk?.stop();
}
