import { expect, it } from 'vitest';
import { letGoOfTaken, type TakenCallsParts } from '../../src/service/cluster/taken-calls.ts';

type Owned = Awaited<ReturnType<TakenCallsParts['ownershipOf']>>;

/** By call id, the stored records of calls that this node carries. */
const CALLS: Readonly<Record<string, { owned?: Owned; archive?: string; isTaken: boolean }>> = {
  own: { owned: { owner: 'me', isEnded: false }, isTaken: false },
  'own and over': { owned: { owner: 'me', isEnded: true }, isTaken: false },
  adopted: { owned: { owner: 'other', isEnded: false }, isTaken: true },
  'ended by another': { owned: { owner: 'other', isEnded: true }, isTaken: true },
  'archived by another': { archive: 'theirs', isTaken: true },
  'archived here': { archive: 'mine', isTaken: false },
  'not written yet': { isTaken: false },
};

it('releases calls that another node has adopted, and no other', async () => {
  const letGo: string[] = [];
  await letGoOfTaken({
    cluster: { me: 'me' },
    archive: 'mine',
    liveCalls: () => Object.keys(CALLS),
    ownershipOf: async (callId) => CALLS[callId]!.owned,
    archiveOf: async (callId) => CALLS[callId]!.archive,
    letGo: (callId) => letGo.push(callId),
  });
  expect(letGo).toEqual(Object.keys(CALLS).filter((callId) => CALLS[callId]!.isTaken));
});
