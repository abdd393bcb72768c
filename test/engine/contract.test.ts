/** The embedded engine held to the contract of all engines, over sockets. One case takes as long as its calls do. */
import { afterAll, beforeAll } from 'vitest';
import { runEngineContract } from '../contracts/engine/engine-contract.ts';
import { Network } from './network.ts';

let network: Network;

beforeAll(async () => {
  network = await Network.open('127.0.30');
});
afterAll(() => network.close());

runEngineContract(() => network.harness(), { concurrent: true });
