/**
 * Repeated room sessions: three participants join and hear each other, one is removed, the link of one breaks, and
 * sometimes the engine is killed midway. Afterwards checks for leftover resources. Used by `soak.ts`.
 */
import { readdirSync } from 'node:fs';
import { setTimeout as elapse } from 'node:timers/promises';
import { engineOf } from '../test/e2e/rooms-page.ts';
import type { Service } from '../test/e2e/service.ts';
import { People, VOICE } from '../test/rooms/peers/people.ts';
import { report } from './figure.ts';
import { residentKb } from './process-figures.ts';
import { openRoom, type RoomClient, until, untilReceived } from './room-client.ts';

const AT_ONCE = 4;
const WARMING = 8;
/** The engine is killed in every 25th session. */
const KILL_EVERY = 25;
/** Longer than the 30 s for which a broken link is kept. */
const SETTLING_MS = 40_000;
const MAX_GROWTH = 1.15;
/** Tolerance for files that are open for a moment. */
const MAX_FILES = 5;

interface Left {
  kb: number;
  files: number;
  threads: number;
}

const leftOf = (pid: number): Left => ({
  kb: residentKb(pid),
  files: readdirSync(`/proc/${pid}/fd`).length,
  threads: readdirSync(`/proc/${pid}/task`).length,
});

/** Returns the problems found. */
export async function soakRooms(service: Service, address: string, sessions: number): Promise<string[]> {
  const people = new People();
  const problems: string[] = [];
  try {
    await Promise.all(Array.from({ length: WARMING }, (_, index) => session(service, people, address, index + 1)));
    await elapse(SETTLING_MS);
    const before = { service: leftOf(service.pid), engine: leftOf(engineOf(service.pid)!) };
    const beganWithTimers = await timersOf(service);
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < sessions) {
        const index = next++;
        await session(service, people, address, index).catch((error: unknown) => {
          problems.push(`room session ${index}: ${String(error)}`);
        });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    await elapse(SETTLING_MS);
    // The engine may have been killed in the last session: a further session starts it.
    await session(service, people, address, 1);
    await elapse(SETTLING_MS);
    const after = { service: leftOf(service.pid), engine: leftOf(engineOf(service.pid)!) };
    const timers = await timersOf(service);
    report('soak.rooms', sessions, 'sessions of rooms opened and closed');
    report('soak.rooms.timers', timers, 'timers afterwards, beside before', beganWithTimers);
    if (timers > beganWithTimers + MAX_FILES) problems.push(`${timers - beganWithTimers} timers of rooms are left`);
    for (const name of ['service', 'engine'] as const) problems.push(...grown(name, before[name], after[name]));
  } finally {
    await people.stop();
  }
  return problems;
}

function grown(name: string, before: Left, after: Left): string[] {
  report(`soak.rooms.${name}.memory`, after.kb / 1024, 'MB resident afterwards, beside before', before.kb / 1024);
  report(`soak.rooms.${name}.files`, after.files, 'open files afterwards, beside before', before.files);
  report(`soak.rooms.${name}.threads`, after.threads, 'threads afterwards, beside before', before.threads);
  return [
    ...(after.kb > before.kb * MAX_GROWTH ? [`memory of the ${name} grew from ${before.kb} to ${after.kb} kB`] : []),
    ...(after.files > before.files + MAX_FILES ? [`${after.files - before.files} files of the ${name} are left`] : []),
    ...(after.threads > before.threads ? [`${after.threads - before.threads} threads of the ${name} are left`] : []),
  ];
}

async function session(service: Service, people: People, address: string, index: number): Promise<void> {
  const room = await openRoom(service, people, { address, sending: { audio: VOICE } });
  const all: RoomClient[] = [];
  try {
    for (const [role, user] of [
      ['moderator', 'ada'],
      ['participant', 'ben'],
      ['participant', 'cleo'],
    ] as const) {
      all.push(await room.enter(role, user));
    }
    const [ada, ben, cleo] = all as [RoomClient, RoomClient, RoomClient];
    await untilReceived(all, 2);
    if (index % KILL_EVERY === 0) {
      process.kill(engineOf(service.pid)!, 'SIGKILL');
      await elapse(1000);
      await untilReceived(all, 2);
    }
    ada.say({ type: 'drop', participant: ben.id });
    await until('one is dropped', async () => ben.isOver);
    cleo.break();
    if (index % 2 === 0) {
      ada.say({ type: 'end' });
      await until('it is over', async () => ada.isOver);
    }
  } finally {
    for (const each of all) await each.close();
    await room.remove();
  }
}

export async function timersOf(service: Service): Promise<number> {
  const text = await fetch(`${service.url}/metrics`).then((response) => response.text());
  return Number(/nodejs_active_resources\{type="Timeout"\} (\d+)/.exec(text)?.[1] ?? 0);
}
