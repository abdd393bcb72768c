/**
 * The whole service in a process of its own, to be killed: its store, its calls, its API and its deliveries are the real
 * ones, its phones are simulated and write down what they see, at once, so that the file is right whenever it is killed.
 * It loads what it needs, and opens its data when it is told to: the next life waits beside the one that goes on.
 */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { createApp } from '../../src/app.ts';
import type { Config } from '../../src/config.ts';
import { systemClock } from '../../src/core/clock.ts';
import { randomIds } from '../../src/core/ids.ts';
import { createLog } from '../../src/core/log.ts';
import { SimulatedEngine } from '../../src/telephony/simulated/engine.ts';
import { silentAudio } from '../../src/testkit/audio.ts';
import { planOf, readSights, type Sight } from './phones.ts';

const directory = process.argv[2]!;

async function live(): Promise<void> {
  const read = JSON.parse(readFileSync(join(directory, 'config.json'), 'utf8')) as Omit<Config, 'placeOf'>;
  const config: Config = { ...read, placeOf: () => ({ file: 'callweave.yaml', line: 1, column: 1 }) };
  const sights = join(directory, 'sights');
  const file = openSync(sights, 'a');
  const called = new Map<string, number>();
  for (const [phone, seen] of readSights(readFileSync(sights, 'utf8')).byPhone) {
    called.set(phone, seen.filter((sight) => sight === 'dialled').length);
  }
  const write = (sight: Sight, phone: string) => writeSync(file, `${sight} ${phone}\n`);
  const engine = new SimulatedEngine({
    clock: systemClock,
    ids: randomIds,
    audio: silentAudio(),
    callee: ({ to }) => planOf(to, called.get(to)! - 1),
    dialled(farEnd, { to }) {
      called.set(to, (called.get(to) ?? 0) + 1);
      write('dialled', to);
      farEnd.observe(({ type }) => {
        if (type === 'answered' || type === 'ended') write(type, to);
      });
    },
  });
  const app = await createApp(config, {
    log: createLog({ level: 'error', stream: process.stderr }),
    telephony: { engine, sounds: { refusal: () => undefined } },
  });
  const { http } = await app.start();
  process.send!({ url: `http://${http.host}:${http.port}` });
  process.once('SIGTERM', () => {
    void app.stop(0).then(() => {
      closeSync(file);
      process.disconnect();
    });
  });
}

process.once('message', () => void live());
flushCompileCache();
process.send!('loaded');
