/**
 * Rooms on bad links: two Chromium pages see and hear each other through relays with packet loss, delay and limited
 * bandwidth, for 20 s each, with the embedded engine and, if installed, with Janus. `node bench/room-links.ts [seconds]
 * [engine or network …]`. Measures the output of the browsers.
 */
import { setTimeout as elapse } from 'node:timers/promises';
import type { Person } from '../test/e2e/rooms-page.ts';
import { JANUS_ADDRESS, janusWithMedia } from '../test/rooms/janus/installed.ts';
import { type Network, Relay } from '../test/rooms/peers/relay.ts';
import { report } from './figure.ts';
import { openPages } from './room-pages.ts';

const seconds = Number(process.argv[2] ?? 20);
const ADDRESS = '127.0.0.31';
const SITE_PORT = 9131;
const PICTURE = { width: 640, height: 360, framesPerSecond: 25, speckles: 20 };
const SETTLING_MS = 4000;
const MAX_FREEZE_MS = 500;
const FEWEST_FRAMES = 20;
const MAX_CONCEALED = 3;

const NETWORKS: Readonly<Record<string, Partial<Network>>> = {
  clean: {},
  'loss-5': { loss: 0.05 },
  'loss-10': { loss: 0.1, delayMs: 20, jitterMs: 20 },
  'jitter-reordering': { loss: 0.05, delayMs: 20, jitterMs: 100 },
  'jitter-in-order': { loss: 0.05, delayMs: 20, jitterMs: 100, reorders: false },
};
const NARROW = { bitsPerSecond: 300_000 };
const LAYER_WITHIN_MS = 3000;
const FIRST_SECONDS = 4;
const wanted = process.argv.slice(3);
/** Engines with the address of their relays: Janus does not use loopback addresses. */
const ENGINES = { embedded: ADDRESS, janus: JANUS_ADDRESS };

for (const engine of ['embedded', 'janus'] as const)
  if (isWanted(engine, Object.keys(ENGINES))) await measureAll(engine);

/** True if the name was requested, or if none of its kind was. */
function isWanted(name: string, of: readonly string[]): boolean {
  return wanted.includes(name) || !wanted.some((each) => of.includes(each));
}

async function measureAll(engine: keyof typeof ENGINES): Promise<void> {
  const address = ENGINES[engine];
  if (address === undefined || (engine === 'janus' && janusWithMedia.missing)) {
    process.stderr.write(`rooms: Janus is not beside us${janusWithMedia.why}\n`);
    return;
  }
  const pages = await openPages(ADDRESS, SITE_PORT, engine);
  const networks = [...Object.keys(NETWORKS), 'narrow'];
  try {
    for (const [name, network] of Object.entries(NETWORKS)) {
      if (isWanted(name, networks)) await measure({ ...pages, engine, address }, name, network);
    }
    if (isWanted('narrow', networks)) await narrow({ ...pages, engine, address });
  } finally {
    await pages.close();
  }
}

interface Place extends Pick<Awaited<ReturnType<typeof openPages>>, 'service' | 'crowd'> {
  engine: string;
  address: string;
}

async function people({ service, crowd }: Place, name: string, relay: Relay, isForBoth: boolean) {
  const { body } = await service.api('POST', '/video/v2/rooms', { name, owner_ref: 'bench' });
  const { room_id: roomId } = body['room'] as { room_id: string };
  const enter = async (user: string, through: object): Promise<Person> => {
    const order = { name: user, role: 'participant', user_ref: user };
    const { body: issued } = await service.api('POST', `/video/v2/rooms/${roomId}/tokens`, order);
    return crowd.person(String(issued['token']), { picture: PICTURE, ...through });
  };
  const ada = await enter('ada', isForBoth ? { relay } : {});
  const ben = await enter('ben', { relay });
  await elapse(SETTLING_MS);
  return { ada, ben };
}

async function leave(relay: Relay, ...persons: readonly Person[]): Promise<void> {
  for (const each of persons) await each.page.close();
  await relay.stop();
}

async function measure(place: Place, network: string, properties: Partial<Network>): Promise<void> {
  const relay = new Relay(place.address);
  const name = `${place.engine}.${network}`;
  const { ada, ben } = await people(place, name, relay, true);
  relay.set({ up: properties, down: properties });
  const got = await ben.measured(ada, seconds);
  report(`links.${name}.gap`, got.longestGapMs, 'ms, the longest between two pictures', MAX_FREEZE_MS);
  report(`links.${name}.frames`, got.framesPerSecond, 'pictures a second', FEWEST_FRAMES);
  report(`links.${name}.concealed`, got.concealed * 100, '% of the sound made up', MAX_CONCEALED);
  report(`links.${name}.freezes`, got.freezes, 'freezes as browsers count them');
  process.stderr.write(`${name}: ${JSON.stringify(got)}\n`);
  await leave(relay, ada, ben);
}

/** Reduces the link of one viewer to 300 kbit/s, and restores it later. */
async function narrow(place: Place): Promise<void> {
  const name = `links.${place.engine}.narrow`;
  const relay = new Relay(place.address);
  const { ada, ben } = await people(place, 'narrow', relay, false);
  const widthOf = async (): Promise<number> => (await ben.watched())[ada.id]?.width ?? 0;
  const untilWidth = (what: string, isSo: (width: number) => boolean, withinMs: number): Promise<number> =>
    ben.until(what, async () => isSo(await widthOf()), withinMs).catch(() => Number.POSITIVE_INFINITY);
  await untilWidth('sees the best layer', (width) => width === PICTURE.width, 20_000);
  await elapse(SETTLING_MS);
  relay.set({ down: NARROW });
  const first = ben.measured(ada, FIRST_SECONDS);
  const takenMs = await untilWidth('sees a lower layer', (width) => width < PICTURE.width, 30_000);
  report(`${name}.layer`, takenMs, 'ms until a link of 300 kbit/s has a lower layer', LAYER_WITHIN_MS);
  report(`${name}.first`, (await first).concealed * 100, `% of the sound made up in the first ${FIRST_SECONDS} s`);
  const got = await ben.measured(ada, seconds);
  report(`${name}.concealed`, got.concealed * 100, '% of the sound made up', MAX_CONCEALED);
  report(`${name}.frames`, got.framesPerSecond, 'pictures a second');
  process.stderr.write(`${name}: ${JSON.stringify(got)}\n`);
  relay.set({});
  const backMs = await untilWidth('sees the best layer again', (width) => width === PICTURE.width, 60_000);
  report(`${name}.back`, backMs, 'ms until a good link has the best layer again');
  await leave(relay, ada, ben);
}
