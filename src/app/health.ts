/**
 * Checks of `/health`: carrier connections, the store, the clock of a cluster node, the webhook queue and the room
 * engine. `readiness.ts` decides whether store and clock allow this node to take calls.
 */
import { atMost, type Clock } from '../base/core/clock.ts';
import type { NotReady } from '../base/core/not-ready.ts';
import type { RoomEngine } from '../media/rooms/sfu.ts';
import { iso } from '../service/api/response-bodies.ts';
import type { Health } from '../service/api/service-routes.ts';
import type { Cluster } from '../service/cluster/cluster.ts';
import type { Store } from '../service/store/store.ts';
import type { WriteBuffer } from '../service/store/write-buffer.ts';
import type { Telephony } from './telephony.ts';

type Check = Health['checks'][string];

export interface HealthParts {
  telephony: Telephony;
  store: Store;
  writeBuffer: WriteBuffer;
  rooms: RoomEngine;
  transcodes: boolean;
  cluster: Pick<Cluster, 'clockOffsetMs' | 'nodes'>;
  clock: Clock;
}

/** Timeout for the queue counts, in ms, so that a store without response does not block the check. */
const COUNT_WITHIN_MS = 1000;

export const healthChecks = async (
  { telephony, store, writeBuffer, rooms, transcodes, cluster, clock }: HealthParts,
  notReady: NotReady | undefined,
): Promise<Health['checks']> => ({
  engine: checkEngine(telephony),
  store: checkStore(notReady, writeBuffer),
  ...checkCluster(notReady, cluster),
  webhooks: await checkWebhooks(store, clock),
  rooms: {
    ok: rooms.state.media !== 'none',
    engine: rooms.name,
    ...rooms.state,
    ...peopleIn(rooms),
    ...missingOf(rooms, transcodes),
  },
  ...certificateCheck(telephony, clock.now()),
});

/** Number of participants for which a session is designed. */
const peopleIn = ({ capabilities: { people } }: RoomEngine): { people?: number } =>
  people === undefined ? {} : { people };

/**
 * Missing capabilities of the engine, and of ffmpeg: without it, recordings are not transcoded, and no live stream is
 * possible.
 */
function missingOf({ capabilities }: RoomEngine, transcodes: boolean): { missing?: string } {
  const { rtpLegs: telephones, simulcast: layers, recording: recordings, liveStream } = capabilities;
  const needsFfmpeg = recordings || liveStream === 'by ffmpeg';
  const audience = liveStream !== 'none';
  const has = { telephones, layers, recordings, audience, ffmpeg: transcodes || !needsFfmpeg };
  const missing = Object.entries(has).flatMap(([name, isThere]) => (isThere ? [] : name));
  return missing.length > 0 ? { missing: missing.join(', ') } : {};
}

/** Healthy if the engine is registered with all its carriers. */
function checkEngine({ registrations, carriers }: Telephony): Check {
  const { wanted, registered } = registrations?.() ?? { wanted: 0, registered: 0 };
  const known = carriers?.() ?? [];
  return {
    ...{ ok: registered >= wanted, registrations_wanted: wanted, registered },
    ...(known.length > 0 && { carriers: known.map((carrier) => ({ ...carrier })) }),
  };
}

/** TLS calls fail after the expiry of a certificate. */
export function certificateCheck({ certificateExpiryMs }: Telephony, nowMs: number): Health['checks'] {
  const expiryMs = certificateExpiryMs?.();
  if (expiryMs === undefined) return {};
  return { certificates: { ok: expiryMs > nowMs, expires: new Date(expiryMs).toISOString() } };
}

function checkStore(notReady: NotReady | undefined, { bufferedCalls }: WriteBuffer): Check {
  if (!notReady || isOfClock(notReady)) return { ok: true };
  return { ok: false, ...reasonOf(notReady), held_calls: bufferedCalls };
}

/** Empty for a single process, or before the first clock comparison. */
function checkCluster(notReady: NotReady | undefined, cluster: HealthParts['cluster']): { cluster?: Check } {
  const offsetMs = cluster.clockOffsetMs();
  if (offsetMs === undefined) return {};
  const facts = { nodes: cluster.nodes().length, clock_offset_ms: offsetMs };
  const isOff = notReady !== undefined && isOfClock(notReady);
  return { cluster: isOff ? { ok: false, ...reasonOf(notReady), ...facts } : { ok: true, ...facts } };
}

const isOfClock = ({ why }: NotReady): boolean => why === 'clock_off';

const reasonOf = ({ why, sinceMs }: NotReady) => ({ why, since: iso(sinceMs) });

/** Pending events are reported, not judged: an unavailable receiver does not make the service unhealthy. */
async function checkWebhooks({ outbox }: Store, clock: Clock): Promise<Check> {
  try {
    const counts = await atMost(clock, COUNT_WITHIN_MS, Promise.resolve(outbox.counts()));
    return counts ? { ok: true, ...counts } : { ok: false };
  } catch {
    return { ok: false };
  }
}
