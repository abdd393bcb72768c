/**
 * Property test of the engine contract in real time: commands, keys and hang-ups in any order, in many concurrent calls
 * on one engine, so that they also interfere with each other.
 */
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, it } from 'vitest';
import type { LegCommand } from '../../src/base/core/leg.ts';
import {
  answer,
  type ContractLeg,
  EngineDriver,
  hangup,
  play,
  record,
  sendDigits,
} from '../contracts/engine/engine-case.ts';
import { Network } from './network.ts';
import { silence } from './site.ts';

const STORIES = 100;
const SEED = 20_260_302;
const RECORDING = join(tmpdir(), `callweave-stories-${process.pid}`);

let network: Network;

beforeAll(async () => {
  network = await Network.open('127.0.35');
});
afterAll(async () => {
  await network.close();
  rmSync(RECORDING, { recursive: true, force: true });
});

type Act = (leg: ContractLeg, id: string) => unknown;

const shortMs = fc.integer({ min: 0, max: 200 });
const command = (...commands: LegCommand[]) => fc.constant<Act>((leg) => leg.send(...commands));
const mild = fc.oneof(
  command(answer),
  command({ type: 'ring' }),
  command({ type: 'progress' }),
  command({ type: 'stop_play', playId: 'x' }, { type: 'stop_record', recordId: 'x' }),
  shortMs.map<Act>((ms) => () => new Promise((resolve) => setTimeout(resolve, ms))),
  shortMs.map<Act>((ms) => (leg, id) => leg.send(play(id, [silence(ms)], ms % 2 === 0))),
  shortMs.map<Act>((maxLengthMs) => (leg, id) => {
    leg.send(record(id, { file: join(RECORDING, `${id}.wav`), maxLengthMs, terminators: '#' }));
  }),
  fc.constant<Act>((leg, id) => leg.send(sendDigits(id, '1w2'))),
  fc.constant<Act>((leg) => leg.party.press('1#')),
  fc.constant<Act>((leg) => leg.party.speak(120)),
);
const final = fc.oneof(
  command(hangup),
  command({ type: 'reject', sipStatus: 480 }),
  fc.constant<Act>((leg) => leg.party.hangUp()),
);
const act = fc.oneof({ weight: 15, arbitrary: mild }, { weight: 1, arbitrary: final });
const story = fc.array(act, { maxLength: 25, size: 'max' });

it('keeps E1–E4 in any order of commands, keys and hang-ups', async () => {
  const harness = await network.harness();
  const driver = new EngineDriver(harness);
  await harness.engine.start(driver.host);
  try {
    let acts = 0;
    const telling: Promise<void>[] = [];
    for (const [at, told] of fc.sample(story, { numRuns: STORIES, seed: SEED }).entries()) {
      const leg = at % 2 === 0 ? await driver.offeredLeg() : await driver.dial({ does: 'answer', afterMs: 50 });
      const tell = async () => {
        for (const act of told) await act(leg, `x${++acts}`);
      };
      telling.push(tell());
    }
    await Promise.all(telling);
    await driver.checkInvariants();
  } finally {
    await harness.engine.stop();
    await harness.close();
  }
});
