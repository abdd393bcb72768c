/**
 * The contracts of the ports, for authors of adapters: `callweave/contracts`. The suites of engines and stores need vitest;
 * the others are lists of cases for any test runner.
 */
export type { ContractAbility, ContractParty, ContractSink, EngineHarness } from './engine/engine-case.ts';
export { runEngineContract } from './engine/engine-contract.ts';
export { type RoomEngineHarness, runRoomEngineContract } from './rooms/engine.ts';
export { type RecognizerCase, type RecognizerUnderTest, recognizerContract } from './speech/recognizer.ts';
export { type SynthesizerCase, synthesizerContract } from './speech/synthesizer.ts';
export type { StoreHarness } from './store/each-store.ts';
export { runStoreContract } from './store/store-contract.ts';
