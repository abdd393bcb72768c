/**
 * Effect of an attack on rooms of other projects: three rooms of three projects with two participants each who send and
 * receive audio and video. A third participant of the first room attacks, and unauthenticated clients open WebSockets.
 * For each attack, reports the longest time in which a participant of the other two rooms received nothing on a line.
 * The peer is the limit. `node bench/room-attacks.ts [seconds]`; exits with 1 if the limit is exceeded.
 *
 * Wrong PINs of phones are in `test/security/rooms.test.ts`: they do not involve media.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as elapse } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { callApi, type Service, startService } from '../test/e2e/service.ts';
import { People } from '../test/rooms/peers/people.ts';
import { report } from './figure.ts';
import { openRoom, type RoomClient, SENDING, until, untilReceived } from './room-client.ts';

const seconds = Number(process.argv[2] ?? 10);
const SERVICE = '127.0.0.33';
const PEERS = '127.0.0.34';
const PROJECTS = ['red', 'green', 'blue'] as const;
const MAX_MS = 1000;
const LOOK_EVERY_MS = 50;
const FLOOD = 7000;
const SILENT_SOCKETS = 600;

type Project = (typeof PROJECTS)[number];
const keyOf = (project: Project): string => `${project}-key-of-the-attacks-bench`;

const service = await startService({
  directory: mkdtempSync(join(tmpdir(), 'callweave-bench-')),
  address: SERVICE,
  more: {
    projects: PROJECTS.map((project) => ({
      ...{ app_id: project, app_key: keyOf(project) },
      webhook_secret: `whsec_${Buffer.from(`webhook secret of project ${project}`).toString('base64')}`,
    })),
  },
  numbers: [],
  flows: {},
});
/** Attackers run in another process, so that they do not take CPU time from measured participants. */
const [people, attackers] = [new People(), new People()];
try {
  const rooms = new Map<Project, Awaited<ReturnType<typeof openRoom>>>();
  const others: RoomClient[] = [];
  for (const project of PROJECTS) {
    const room = await openRoom(of(project), people, { address: PEERS, sending: SENDING });
    rooms.set(project, room);
    const pair = await Promise.all(['one', 'two'].map((user) => room.enter('participant', user)));
    await untilReceived(pair, 2);
    if (project !== 'red') others.push(...pair);
  }
  const attack = async (kind: 'ssrcs' | 'sound'): Promise<void> => {
    const room = await openRoom(of('red'), attackers, { address: PEERS, sending: SENDING });
    const mallory = await room.enter('participant', 'mallory');
    await until('the attacker is in', async () => mallory.id !== '');
    await elapse(2000);
    await mallory.flood(kind, FLOOD);
    await gapsDuring(`room-attacks.${kind}`, others);
    await mallory.close();
  };
  await gapsDuring('room-attacks.none', others);
  await attack('ssrcs');
  await attack('sound');
  const silent = Array.from({ length: SILENT_SOCKETS }, () => {
    const socket = new WebSocket(`${service.url.replace('http', 'ws')}/video/v2/connect`);
    return socket.on('error', () => undefined);
  });
  await gapsDuring('room-attacks.sockets', others);
  const late = await rooms.get('blue')!.enter('participant', 'late');
  await until('somebody joins beside silent web sockets', async () => late.id !== '');
  for (const socket of silent) socket.terminate();
  const restarts = service.log().match(/rooms\.engine_(died|silent)/g)?.length ?? 0;
  report('room-attacks.restarts', restarts, 'processes of the engine that ended', 0);
  if (restarts > 0) process.exitCode = 1;
} finally {
  await Promise.all([people.stop(), attackers.stop()]);
  await service.stop();
}

function of(project: Project): Pick<Service, 'url' | 'api'> {
  const authorization = `Basic ${Buffer.from(`${project}:${keyOf(project)}`).toString('base64')}`;
  const api: Service['api'] = (method, path, body, more) =>
    callApi(service.url, method, path, body, { authorization, ...more });
  return { url: service.url, api };
}

async function gapsDuring(name: string, clients: readonly RoomClient[]): Promise<void> {
  const untilMs = performance.now() + seconds * 1000;
  let longest = 0;
  while (performance.now() < untilMs) {
    longest = Math.max(longest, ...(await Promise.all(clients.map((each) => each.longestIdleMs()))));
    await elapse(LOOK_EVERY_MS);
  }
  report(name, longest, 'ms without a packet, the longest in rooms of other projects', MAX_MS);
  if (longest > MAX_MS) process.exitCode = 1;
}
