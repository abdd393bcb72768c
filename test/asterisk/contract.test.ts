/** Calls that an Asterisk carries held to the contract of all engines, over a real Asterisk. */
import { afterAll, beforeAll, describe } from 'vitest';
import { runEngineContract } from '../contracts/engine/engine-contract.ts';
import { asteriskMissing } from './asterisk.ts';
import { AsteriskNetwork } from './asterisk-network.ts';

const missing = await asteriskMissing();

describe.skipIf(missing !== undefined)(missing ?? 'Asterisk', () => {
  let network: AsteriskNetwork;

  beforeAll(async () => {
    network = await AsteriskNetwork.open('127.0.41');
  });
  afterAll(() => network?.close());

  runEngineContract(() => network.harness(), { concurrent: true });
});
