/**
 * What every `Engine` must do, whatever carries its calls: the invariants E1–E4 of the port, in many orders. Each
 * engine's test runs this suite over a harness, which plays the network and says aloud what it cannot do.
 *
 * The suite knows no clock: it lets time pass through the harness, so that it runs in virtual time and over sockets. The
 * cases are in `engine-contract/`, a file for each kind of thing that an engine does.
 */
import { describe, it } from 'vitest';
import type { ContractCase, ContractTopic, EngineHarness } from './engine-case.ts';
import { Case, obstacle } from './engine-case.ts';
import { anyOrder } from './engine-contract/any-order.ts';
import { arrivals, misfits, stops } from './engine-contract/calls.ts';
import { dials } from './engine-contract/dials.ts';
import { digitsIn, digitsOut } from './engine-contract/digits.ts';
import { ends } from './engine-contract/ends.ts';
import { referrals, streams } from './engine-contract/links.ts';
import { holds, mixes } from './engine-contract/mixes.ts';
import { plays, records } from './engine-contract/sounds.ts';
import { detections, listens } from './engine-contract/speech.ts';

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

/** Skips, with the reason, where the engine or the harness cannot do what the case needs. */
async function play(each: ContractCase, make: () => Promise<EngineHarness>, skip: (reason: string) => void) {
  const harness = await make();
  const reason = obstacle(harness, each.needs);
  if (reason !== undefined) {
    await harness.close();
    skip(reason);
    return;
  }
  const contract = new Case(harness);
  await harness.engine.start(contract.watch);
  try {
    await each.prove(contract);
    await contract.judge();
  } finally {
    await harness.engine.stop();
    await harness.close();
  }
}
