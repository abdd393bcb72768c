/**
 * Effect of a room on calls of the same machine: gaps between RTP packets of 50 calls, without and with a room of six
 * participants who all send audio and video to each other. Both cases alternate in the same run, with the same calls.
 * `node bench/room-gaps.ts [calls] [seconds]`. The peer of the 99th percentile with the room is its limit; the other
 * figures are compared with those without the room.
 */
import { setTimeout as elapse } from 'node:timers/promises';
import { People } from '../test/rooms/peers/people.ts';
import { median, report } from './figure.ts';
import { type Listeners, MAX_GAP_MS, startListeners } from './listeners.ts';
import type { Gaps } from './peers/gap-receiver.ts';
import { openRoom, SENDING, untilReceived } from './room-client.ts';

const calls = Number(process.argv[2] ?? 50);
const seconds = Number(process.argv[3] ?? 5);
const ROUNDS = 4;
const ROOM_SIZE = 6;
const PEERS = '127.0.0.26';
/** Time for six participants to join and leave. */
const MAX_CHANGING_SECONDS = 8;
const SETTLING_MS = 1000;

async function besideRoom({ service, gaps }: Listeners, people: People): Promise<Gaps> {
  const room = await openRoom(service, people, { address: PEERS, sending: SENDING });
  const users = Array.from({ length: ROOM_SIZE }, (_, index) => `user ${index}`);
  const clients = await Promise.all(users.map((user) => room.enter('participant', user)));
  try {
    await untilReceived(clients, (ROOM_SIZE - 1) * 2);
    await elapse(SETTLING_MS);
    return await gaps(seconds * 1000);
  } finally {
    for (const each of clients) await each.close();
    await room.remove();
  }
}

const people = new People();
const listeners = await startListeners({
  ...{ calls, lookedAt: 1 },
  seconds: ROUNDS * (2 * seconds + MAX_CHANGING_SECONDS),
});
const alone: Gaps[] = [];
const beside: Gaps[] = [];
try {
  for (let round = 0; round < ROUNDS; round++) {
    alone.push(await listeners.gaps(seconds * 1000));
    beside.push(await besideRoom(listeners, people));
    await elapse(SETTLING_MS);
  }
} finally {
  await people.stop();
  await listeners.stop();
}
const medianOf = (all: readonly Gaps[], key: keyof Gaps): number => median(all.map((each) => each[key]));
report('room-gaps.legs', beside[0]!.sources, `of ${calls} calls looked at`);
report('room-gaps.p50', medianOf(beside, 'p50Ms'), 'ms between packets', medianOf(alone, 'p50Ms'));
report('room-gaps.p99.alone', medianOf(alone, 'p99Ms'), 'ms between packets', MAX_GAP_MS);
report('room-gaps.p99', medianOf(beside, 'p99Ms'), 'ms between packets', MAX_GAP_MS);
report('room-gaps.max', medianOf(beside, 'maxMs'), 'ms between packets', medianOf(alone, 'maxMs'));
