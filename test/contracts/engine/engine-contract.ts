/**
 * Contract of every `Engine`: the invariants E1–E4 of the port, in many orders. The test of each engine runs this suite
 * with a harness, which simulates the network and declares its missing abilities.
 *
 * The suite has no clock: time passes through the harness, so that it runs in virtual time and over sockets. The cases
 * are in `engine-contract/`, with a file for each kind of action.
 */
import { describe, it } from 'vitest';
import { anyOrder } from './any-order.ts';
import { arrivals, misfits, stops } from './calls.ts';
import { dials } from './dials.ts';
import { digitsIn, digitsOut } from './digits.ts';
import { ends } from './ends.ts';
import type { ContractCase, ContractTopic, EngineHarness } from './engine-case.ts';
import { EngineDriver, reasonToSkip } from './engine-case.ts';
import { headers } from './headers.ts';
import { holds, mixes } from './mixes.ts';
import { plays, records } from './plays-and-recordings.ts';
import { detections, listens } from './speech.ts';
import { referrals, streams } from './streams-and-referrals.ts';

export type { ContractAbility, ContractParty, ContractSink, EngineHarness } from './engine-case.ts';

const TOPICS: readonly ContractTopic[] = [
  ends,
  misfits,
  arrivals,
  plays,
  digitsIn,
  records,
  digitsOut,
  dials,
  mixes,
  holds,
  listens,
  detections,
  streams,
  referrals,
  headers,
  stops,
  anyOrder,
];

/** `concurrent`: cases in real time are waited for side by side; each has an engine and a harness of its own. */
export function runEngineContract(make: () => Promise<EngineHarness>, { concurrent = false } = {}): void {
  describe('engine contract', { concurrent }, () => {
    for (const { topic, cases } of TOPICS) {
      describe(topic, () => {
        for (const each of cases) it(each.name, ({ skip }) => play(each, make, skip));
      });
    }
  });
}

/** Runs a case; skips it, with the reason, if the engine or the harness lacks an ability that it needs. */
async function play(each: ContractCase, make: () => Promise<EngineHarness>, skip: (reason: string) => void) {
  const harness = await make();
  const reason = reasonToSkip(harness, each.needs);
  if (reason !== undefined) {
    await harness.close();
    skip(reason);
    return;
  }
  const contract = new EngineDriver(harness);
  await harness.engine.start(contract.host);
  try {
    await each.run(contract);
    await contract.checkInvariants();
  } finally {
    await harness.engine.stop();
    await harness.close();
  }
}
