/**
 * Kept positions of a queue under random sequences of events: no agent stays reserved, and no caller loses the
 * position.
 */
import { expect, it } from 'vitest';
import { seededRandom } from '../../../src/base/core/ids.ts';
import type { JsonObject } from '../../../src/base/core/json.ts';
import type { Callback, CallbackDesk, CallbackEnd } from '../../../src/service/calls/conferences/callback.ts';
import { Queues } from '../../../src/service/calls/conferences/queues.ts';
import { Party, type PartyMember } from './test-members.ts';

const ROUNDS = Number(process.env['TEST_ROUNDS'] ?? 1) * 60;
const STEPS = 60;

/** Desk that calls back only when the test says so. */
class TestDesk implements CallbackDesk {
  readonly kept = new Map<string, Callback>();
  readonly turns = new Set<string>();
  readonly ended: [string, CallbackEnd][] = [];
  readonly #queues: Queues;
  readonly #write: () => Promise<void>;
  count = 0;

  /** `write` takes as long as the store does. */
  constructor(queues: Queues, write: () => Promise<void>) {
    this.#queues = queues;
    this.#write = write;
    queues.useDesk(this);
  }

  async keep({ order: _, ...asked }: Parameters<CallbackDesk['keep']>[0]): ReturnType<CallbackDesk['keep']> {
    const callbackId = `callback-${++this.count}`;
    const callback: Callback = {
      ...{ ...asked, callbackId, to: `06${this.count}`, from: '200', flow: 'back', input: {}, attempts: 0 },
      ...{ maxAttempts: 3, pauseMs: 1, ringTimeoutMs: 1, notBeforeMs: 0, untilMs: 1e15 },
    };
    await this.#write();
    this.kept.set(callbackId, callback);
    return { callback, isNew: true };
  }

  readyInMs = (): number => 0;
  turn(callbackId: string): void {
    if (this.kept.has(callbackId)) this.turns.add(callbackId);
  }
  taken(callbackId: string): void {
    this.turns.delete(callbackId);
  }
  over(callbackId: string, end: CallbackEnd): void {
    if (!this.kept.delete(callbackId)) return;
    this.turns.delete(callbackId);
    this.ended.push([callbackId, end]);
    this.#queues.exit(callbackId);
  }
}

/** True if the step of the agent was notified of a caller (`turn`). */
const hadCaller = ({ told }: PartyMember): boolean => told.some(({ name }) => name === 'turn');

it.each(Array.from({ length: ROUNDS }, (_, seed) => seed))('keeps its invariants in order %i', async (seed) => {
  const random = seededRandom(seed + 1);
  const party = new Party();
  const queues = new Queues({ clock: party.clock });
  // A store that answers late lets the caller go, or an agent answer, in between.
  const isLate = seed % 3 === 0;
  const desk = new TestDesk(queues, async () => {
    if (isLate) await new Promise<void>((resolve) => void party.clock.after(random() * 20_000, resolve));
  });
  const hasCalled = seed % 2 === 0;
  const callers: PartyMember[] = [];
  const serving: PartyMember[] = [];
  const dialled = new Map<string, string>();
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(random() * items.length)];
  const tell = (guest: PartyMember | undefined, name: string): void => {
    if (guest) party.do(() => queues.tell(guest.memberId, name, {}));
  };
  const leave = (guests: PartyMember[]): void => {
    const guest = pick(guests);
    if (!guest) return;
    guests.splice(guests.indexOf(guest), 1);
    party.do(() => queues.exit(guest.memberId));
  };
  const options: JsonObject = hasCalled ? { agents: ['1', '2'] } : { waits: true };
  /** Agents who have said that they are not ready. */
  const paused = new Set<PartyMember>();
  const acts: (() => void)[] = [
    () => void callers.push(party.enter(queues, 'help', options)),
    () => leave(callers),
    () => tell(pick(callers), 'keep'),
    () => tell(pick(callers), 'answered'),
    () => tell(pick(callers), 'agent_free'),
    () => void (hasCalled || serving.push(party.enter(queues, 'help', { serves: true }))),
    () => leave(serving),
    () => {
      const agent = pick(serving);
      const name = pick(['answered', 'answered', 'release', 'pause', 'ready'])!;
      tell(agent, name);
      if (agent && (name === 'pause' || (name === 'release' && hadCaller(agent)))) paused.add(agent);
    },
    // A number whose turn it is is called, and answers, or does not.
    () => {
      const id = pick([...desk.turns].filter((one) => !dialled.has(one)));
      if (id === undefined) return;
      dialled.set(id, `call back ${id}`);
      queues.dialled(id, `call back ${id}`);
    },
    () => {
      const found = pick([...dialled]);
      if (!found) return;
      dialled.delete(found[0]);
      const agents = pick([['1', '2'], ['2'], ['3']])!;
      const own = hasCalled ? { agents } : options;
      if (desk.kept.has(found[0])) callers.push(party.enter(queues, 'help', own, { callId: found[1] }));
    },
    () => {
      const found = pick([...dialled]);
      if (!found) return;
      dialled.delete(found[0]);
      queues.dialled(found[0], undefined);
      desk.turns.delete(found[0]);
      party.do(() => queues.tell(found[0], 'agent_free'));
    },
    () => {
      const id = pick([...desk.kept.keys()]);
      if (id === undefined) return;
      dialled.delete(id);
      party.do(() => desk.over(id, 'deleted'));
    },
  ];
  for (let step = 0; step < STEPS; step++) {
    pick(acts)!();
    await party.clock.advance(random() < 0.3 ? 11_000 : 0);
    // Each caller is in the queue once, and each position in it is kept.
    const [report] = queues.list('shop', 1000);
    const ids = report?.callbackIds ?? [];
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(desk.kept.has(id)).toBe(true);
  }
  while (callers.length > 0) leave(callers);
  if (isLate) await party.clock.advance(20_000);
  for (const id of [...desk.kept.keys()]) party.do(() => desk.over(id, 'deleted'));
  await party.settle();
  // As the step does: after a caller, and after a pause.
  for (const one of serving) if (paused.has(one) || hadCaller(one)) tell(one, 'ready');
  await party.clock.advance(60_000);
  expect(queues.list('shop', 1000)).toEqual([]);
  const look = party.enter(queues, 'help', { looks: true, ...(hasCalled && { agents: ['1', '2'] }) });
  await party.settle();
  const agents = hasCalled ? 2 : serving.length;
  expect(look.told[0]!.data).toEqual({
    ...{ waiting: 0, talking: 0, longest_wait: 0, agents, free: agents },
    ...(agents > 0 && { estimated_wait: 0 }),
  });
});
