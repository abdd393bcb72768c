/** Statistics reported by a client: changes since the last report, within the bounds of the service. */
import { expect, it } from 'vitest';
import { ClientStats } from '../../client/client-stats.js';
import { readMessage } from '../../src/media/rooms/client-messages.ts';

const stream = (id: string, more: object) => ({ id, type: 'inbound-rtp', ...more });

it('is what was added since the last time', () => {
  const stats = new ClientStats();
  const video = { framesDecoded: 100, freezeCount: 1, totalFreezesDuration: 0.5 };
  const audio = { totalSamplesReceived: 48_000, concealedSamples: 480, silentConcealedSamples: 0 };
  expect(stats.take([stream('v', video), stream('a', audio)], 1000)).toBeUndefined();
  const message = stats.take(
    [
      stream('v', { framesDecoded: 220, freezeCount: 2, totalFreezesDuration: 0.9 }),
      stream('a', { totalSamplesReceived: 288_000, concealedSamples: 5280, silentConcealedSamples: 2400 }),
      { id: 'p', type: 'candidate-pair', nominated: true, currentRoundTripTime: 0.04 },
    ],
    6000,
  );
  expect(message).toEqual({
    ...{ type: 'client_stats', seconds: 5, frames_decoded: 120, freezes: 1, freeze_ms: expect.closeTo(400) },
    ...{ concealed: 0.01, round_trip_ms: 40 },
  });
  expect(readMessage(JSON.stringify(message))).toEqual({ message });
});

it('restarts at zero for a new connection, and stays within the bounds', () => {
  const stats = new ClientStats();
  stats.take([stream('v', { framesDecoded: 1000, totalFreezesDuration: 9 })], 0);
  const begun = stats.take([stream('w', { framesDecoded: 30 })], 5000);
  expect(begun).toMatchObject({ frames_decoded: 30, freeze_ms: 0 });
  const late = stats.take([stream('w', { framesDecoded: 9_000_000, totalFreezesDuration: 900 })], 900_000);
  expect(readMessage(JSON.stringify(late))).toEqual({ message: late });
});

it('is nothing where nothing is received', () => {
  const stats = new ClientStats();
  stats.take([], 0);
  expect(stats.take([], 5000)).toBeUndefined();
});
