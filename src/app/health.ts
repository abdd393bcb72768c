/** What `/health` checks: the connection to carriers, the store, the webhook queue, and the engine of rooms. */
import type { Health } from '../api/service-routes.ts';
import type { RoomEngine } from '../rooms/sfu.ts';
import type { Store } from '../store/store.ts';
import type { WriteBuffer } from '../store/write-buffer.ts';
import type { Telephony } from './telephony.ts';

type Check = Health['checks'][string];

export const healthChecks = async (
  telephony: Telephony,
  store: Store,
  writeBuffer: WriteBuffer,
  rooms: RoomEngine,
  transcodes: boolean,
): Promise<Health['checks']> => ({
  engine: checkEngine(telephony),
  store: await checkStore(store, writeBuffer),
  webhooks: await checkWebhooks(store),
  rooms: {
    ok: rooms.state.media !== 'none',
    engine: rooms.name,
    ...rooms.state,
    ...peopleIn(rooms),
    ...missingOf(rooms, transcodes),
  },
});

/** What one session is made for. */
const peopleIn = ({ capabilities: { people } }: RoomEngine): { people?: number } =>
  people === undefined ? {} : { people };

/** What the engine cannot do, and ffmpeg: without it recordings are kept as they are, and nothing is shown to an audience. */
function missingOf({ capabilities }: RoomEngine, transcodes: boolean): { missing?: string } {
  const { rtpLegs: telephones, simulcast: layers, recording: recordings, broadcast } = capabilities;
  const needsFfmpeg = recordings || broadcast === 'by ffmpeg';
  const audience = broadcast !== 'none';
  const has = { telephones, layers, recordings, audience, ffmpeg: transcodes || !needsFfmpeg };
  const missing = Object.entries(has).flatMap(([name, isThere]) => (isThere ? [] : name));
  return missing.length > 0 ? { missing: missing.join(', ') } : {};
}

/** The engine has to be registered with all its carriers. */
function checkEngine({ registrations, carriers }: Telephony): Check {
  const { wanted, registered } = registrations?.() ?? { wanted: 0, registered: 0 };
  const known = carriers?.() ?? [];
  return {
    ...{ ok: registered >= wanted, registrations_wanted: wanted, registered },
    ...(known.length > 0 && { carriers: known.map((carrier) => ({ ...carrier })) }),
  };
}

/** Calls by TLS fail as soon as a certificate has expired. */
export function certificateCheck({ certificateExpiryMs }: Telephony, nowMs: number): Health['checks'] {
  const expiryMs = certificateExpiryMs?.();
  if (expiryMs === undefined) return {};
  return { certificates: { ok: expiryMs > nowMs, expires: new Date(expiryMs).toISOString() } };
}

async function checkStore({ calls, writes }: Store, { bufferedCalls }: WriteBuffer): Promise<Check> {
  try {
    await calls.call('');
  } catch {
    return { ok: false };
  }
  const { failure } = writes;
  if (!failure) return { ok: true };
  const since = new Date(failure.sinceMs).toISOString();
  return { ok: false, why: failure.why, since, held_calls: bufferedCalls };
}

/** Waiting events are counted, not judged: a receiver that is down does not make the service ill. */
async function checkWebhooks({ outbox }: Store): Promise<Check> {
  try {
    return { ok: true, ...(await outbox.counts()) };
  } catch {
    return { ok: false };
  }
}
