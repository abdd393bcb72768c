/**
 * Cost of rooms: CPU for each forwarded packet and memory for each participant, with synthetic peers, compared with
 * Janus in the same run; creation of a room and a token compared with a bare Express handler; and the time until a page
 * shows the first video frame. `node bench/rooms.ts [seconds] [part …]`; parts: `media`, `orders`, `page`. `24x24` is
 * `media` with 24 participants who send and receive, in place of the usual shapes: how the engine degrades beyond its
 * limit.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as elapse } from 'node:timers/promises';
import { systemClock } from '../src/base/core/clock.ts';
import { EmbeddedRoomEngine } from '../src/media/rooms/embedded/engine.ts';
import { JanusRoomEngine } from '../src/media/rooms/janus/engine.ts';
import { JanusProgram } from '../src/media/rooms/janus/janus-program.ts';
import type { EngineEvent, RoomEngine } from '../src/media/rooms/sfu.ts';
import { browser } from '../test/e2e/browser.ts';
import { callApi, type Service, startService } from '../test/e2e/service.ts';
import { JANUS_ADDRESS, janusWithMedia } from '../test/rooms/janus/installed.ts';
import { ALL, People, type SyntheticPerson, SyntheticRoom } from '../test/rooms/peers/people.ts';
import { median, report, reportRounds } from './figure.ts';
import { cpuSeconds, ownKb } from './process-figures.ts';
import { SENDING } from './room-client.ts';
import { openPages } from './room-pages.ts';

const seconds = Number(process.argv[2] ?? 8);
const parts = process.argv.slice(3);
const ownShapes = parts.flatMap((part) => {
  const [, publish, receive] = /^(\d+)x(\d+)$/.exec(part) ?? [];
  return receive === undefined ? [] : { publish: Number(publish), receive: Number(receive) };
});
const isWanted = (part: string): boolean => parts.length === 0 || parts.includes(part);

const ADDRESS = '127.0.0.31';
const PORT = 22_031;
const SITE_PORT = 9131;
/** Numbers of publishers and of receivers, who include the publishers. */
const SHAPES = [
  { publish: 1, receive: 3 },
  { publish: 3, receive: 5 },
  { publish: 16, receive: 16 },
];
/** Warm-up: rooms run for an hour, so compiling code in the first seconds is not part of a packet's cost. */
const SETTLING_MS = 12_000;
const COMPLETE_MS = 30_000;
/** Per round. Rounds of the service and the peer alternate, so that other load affects both. */
const ORDERS = 500;
const ROUNDS = 7;
const LEAST_SHARE = 0.6;
const PAGES = 10;
const FIRST_PICTURE_MS = 1500;

if (isWanted('media') || ownShapes.length > 0) await media();
if (isWanted('orders')) await orders();
if (isWanted('page')) await pages();

interface Carried {
  /** CPU for each packet delivered to a subscriber, in µs. */
  cpu: number;
  /** Memory for each participant without program code, in kB. */
  memory: number;
  /** Share of expected packets that were delivered. */
  delivered: number;
}

async function media(): Promise<void> {
  const people = new People();
  try {
    for (const shape of ownShapes.length > 0 ? ownShapes : SHAPES) {
      const name = `rooms.${shape.publish}x${shape.receive}`;
      const engine = new EmbeddedRoomEngine({ host: ADDRESS, port: PORT, clock: systemClock, log });
      const ours = await carry({ engine, address: ADDRESS, processId: () => engine.processId }, people, shape);
      const janus = startJanus();
      const theirs = janus && (await carry(janus, people, shape));
      report(`${name}.cpu`, ours.cpu, 'CPU-µs for each forwarded packet', theirs?.cpu);
      report(`${name}.memory`, ours.memory, 'kB for each participant, without code', theirs?.memory);
      report(`${name}.delivered`, ours.delivered * 100, '% of the packets delivered', theirs && theirs.delivered * 100);
    }
  } finally {
    await people.stop();
  }
}

interface Place {
  engine: RoomEngine;
  /** Address of the synthetic peers. */
  address: string;
  processId(): number | undefined;
}

/** Undefined if it is not installed; prints the reason. Janus does not use loopback addresses. */
function startJanus(): Place | undefined {
  const address = JANUS_ADDRESS;
  if (janusWithMedia.missing || address === undefined) {
    process.stderr.write(`rooms: Janus is not beside us${janusWithMedia.why}\n`);
    return undefined;
  }
  const place = new JanusProgram({ program: 'janus', host: address, ports: [23_000, 23_999], clock: systemClock });
  const engine = new JanusRoomEngine({ places: [place], clock: systemClock, log });
  return { engine, address, processId: () => place.processId };
}

function log(level: string, message: string, fields?: object): void {
  if (level !== 'info') process.stderr.write(`${message} ${JSON.stringify(fields)}\n`);
}

async function carry(
  { engine, address, processId }: Place,
  people: People,
  { publish, receive }: { publish: number; receive: number },
): Promise<Carried> {
  let room: SyntheticRoom | undefined;
  await engine.start({
    event: (_confNum: string, event: EngineEvent) => room?.event(event),
    restarted: () => void process.stderr.write(`${engine.name} restarted\n`),
  });
  try {
    room = new SyntheticRoom(engine, people, { confNum: `${engine.name} ${publish}x${receive}`, address });
    await room.until('the engine runs', () => engine.state.media === 'running', 20_000);
    const pid = processId()!;
    await elapse(1000);
    const before = ownKb(pid);
    const persons: SyntheticPerson[] = [];
    for (let index = 0; index < receive; index++) {
      persons.push(await room.enter(`p${index}`, index < publish ? SENDING : undefined, ALL));
    }
    room.setAudible(...persons);
    const publishers = persons.slice(0, publish);
    const streams = persons.reduce((sum, each) => sum + publish - (publishers.includes(each) ? 1 : 0), 0);
    const received = async (): Promise<number> => {
      const all = await Promise.all(persons.map((each) => each.receivedPackets()));
      return all.reduce((sum, packets) => sum + packets, 0);
    };
    const isComplete = async (): Promise<boolean> => {
      const lines = await Promise.all(persons.map((each) => each.receivedLines()));
      return lines.reduce((sum, count) => sum + count, 0) >= streams * 2;
    };
    await room.until('all receive all others', isComplete, COMPLETE_MS).catch((error: unknown) => {
      process.stderr.write(`${engine.name} ${publish}x${receive}: ${String(error)}\n`);
    });
    await elapse(SETTLING_MS);
    const [packets, cpu, sinceMs] = [await received(), cpuSeconds(pid), performance.now()];
    await elapse(seconds * 1000);
    const [packetsNow, cpuNow, nowMs] = [await received(), cpuSeconds(pid), performance.now()];
    const forwarded = packetsNow - packets;
    const due = streams * 125 * ((nowMs - sinceMs) / 1000);
    return {
      cpu: ((cpuNow - cpu) * 1e6) / forwarded,
      memory: (ownKb(pid) - before) / receive,
      delivered: forwarded / due,
    };
  } finally {
    for (const each of room?.persons ?? []) await each.order({ type: 'close' });
    await engine.stop();
  }
}

async function orders(): Promise<void> {
  const service = await startService({
    directory: mkdtempSync(join(tmpdir(), 'callweave-bench-')),
    address: ADDRESS,
    more: { limits: { requests_per_second: 10_000, request_burst: 10_000 } },
    numbers: [],
    flows: {},
  });
  const bare = fork(join(import.meta.dirname, 'peers/bare-express.ts'), ['127.0.0.32']);
  try {
    const [url] = (await once(bare, 'message')) as [string];
    // The same requests with the same credentials.
    const post = (path: string, body: unknown) => callApi(url, 'POST', path, body);
    const ofOurs = () => costOf(service.pid, () => order(ORDERS, (path, body) => service.api('POST', path, body)));
    const ofTheirs = () => costOf(bare.pid!, () => order(ORDERS, post));
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const costs = [await ofOurs(), await ofTheirs()] as const;
      // Warm-up round, in which the code is compiled.
      if (round === 0) continue;
      ours.push(costs[0]);
      theirs.push(costs[1]);
    }
    const shares = ours.map((cost, round) => theirs[round]! / cost);
    const [rates, peers] = [ours, theirs].map((costs) => costs.map((cost) => ORDERS / cost));
    reportRounds('rooms.orders', rates!, 'rooms with a token for each CPU-second', peers!);
    report('rooms.orders.goal', median(shares), 'of what a bare Express handler does', LEAST_SHARE);
    process.stderr.write(`shares: ${shares.map((share) => share.toFixed(2)).join(' ')}\n`);
  } finally {
    bare.kill();
    await service.stop();
  }
}

async function order(
  count: number,
  post: (path: string, body: unknown) => Promise<{ body: Record<string, unknown> }>,
): Promise<void> {
  for (let index = 0; index < count; index++) {
    const { body } = await post('/video/v2/rooms', { name: `Daily ${index}`, owner_ref: 'bench', settings: {} });
    const { room_id: roomId } = body['room'] as { room_id: string };
    await post(`/video/v2/rooms/${roomId}/tokens`, { name: 'Ada', role: 'moderator', user_ref: 'ada' });
  }
}

async function costOf(pid: number, run: () => Promise<void>): Promise<number> {
  const before = cpuSeconds(pid);
  await run();
  return cpuSeconds(pid) - before;
}

async function pages(): Promise<void> {
  if (browser.missing) {
    process.stderr.write(`rooms: the first picture is not measured${browser.why}\n`);
    return;
  }
  const { service, crowd, close } = await openPages(ADDRESS, SITE_PORT);
  try {
    const tokenOf = await roomOf(service);
    const ada = await crowd.person(await tokenOf('ada'), {});
    const took: number[] = [];
    for (let index = 0; index < PAGES; index++) {
      const ben = await crowd.person(await tokenOf(`ben ${index}`), { publishes: false });
      await ben.until('sees a picture', async () => (await ben.firstPictureMs()) !== undefined);
      took.push((await ben.firstPictureMs())!);
      await ben.page.close();
    }
    report('rooms.first_picture', median(took), 'ms from the page to the first decoded frame, p50', FIRST_PICTURE_MS);
    await ada.page.close();
  } finally {
    await close();
  }
}

async function roomOf(service: Service): Promise<(user: string) => Promise<string>> {
  const { body } = await service.api('POST', '/video/v2/rooms', { name: 'Bench', owner_ref: 'bench' });
  const { room_id: roomId } = body['room'] as { room_id: string };
  return async (user) => {
    const order = { name: user, role: 'participant', user_ref: user };
    const { body: issued } = await service.api('POST', `/video/v2/rooms/${roomId}/tokens`, order);
    return String(issued['token']);
  };
}
