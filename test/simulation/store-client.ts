/**
 * One node's connection to the store: lost requests are sent again, as the Redis adapter does. Answers arrive in the
 * order of the requests.
 */
import { Fenced, type Ownership } from '../../src/base/core/ownership.ts';
import { WriteError } from '../../src/base/core/write-error.ts';
import type { LeaseStore } from '../../src/service/cluster/lease-store.ts';
import type { CallStore, CallWrite } from '../../src/service/runtime/call-store.ts';
import type { Guards } from './guards.ts';
import type { NodeLife } from './node-life.ts';
import { callWork, leaseWork, type SimulatedStore, type StoredCall, type Work } from './simulated-store.ts';
import type { World } from './world.ts';

/** The parts of the port that calls need; lists are not simulated. */
export type SimulatedCalls = Pick<
  CallStore,
  'commit' | 'call' | 'checkpoint' | 'journal' | 'adopt' | 'ownership' | 'ownedBy' | 'owners'
>;

const TIMEOUT_MS = 500;
const AGAIN_MS = 50;
/** Time for which a decision is sent again before its call ends. */
const CONNECT_TIMEOUT_MS = 10_000;

type Reply<Value> = { value: Value } | { refused: string } | { isUnknown: true };

export class StoreClient {
  readonly #world: World;
  readonly #store: SimulatedStore;
  readonly #life: NodeLife;
  readonly #guards: Guards;
  readonly #arrivesMs = [0, 0];
  readonly #answeredMs = [0, 0];

  constructor(world: World, store: SimulatedStore, life: NodeLife, guards: Guards) {
    this.#world = world;
    this.#store = store;
    this.#life = life;
    this.#guards = guards;
  }

  get calls(): SimulatedCalls {
    const work = callWork(this.#guards);
    const read =
      <Value>(look: (call: StoredCall | undefined) => Value) =>
      (callId: string): Promise<Value> =>
        this.#insist(({ calls }) => ({ value: look(calls.get(callId)) }), false);
    return {
      commit: (write) => this.#commit(write, work.commit(write)),
      adopt: (callId, by) => this.#insist(work.adopt(callId, by), this.#guards.wait),
      call: read((call) => call?.record),
      checkpoint: read((call) => call?.checkpoint),
      journal: read((call) => [...(call?.entries ?? [])]),
      ownership: read(
        (call): (Ownership & { isEnded: boolean }) | undefined =>
          call && { owner: call.owner, fence: call.fence, isEnded: call.isEnded },
      ),
      ownedBy: async (owner) =>
        owner === this.#life.id && !this.#guards.orphans
          ? []
          : this.#insist(
              ({ calls }) => ({
                value: [...calls].filter(([, call]) => !call.isEnded && call.owner === owner).map(([callId]) => callId),
              }),
              false,
            ),
      owners: () =>
        this.#insist(
          ({ calls }) => ({
            value: [...new Set([...calls.values()].filter(({ isEnded }) => !isEnded).map(({ owner }) => owner))],
          }),
          false,
        ),
    };
  }

  get leases(): LeaseStore {
    const nowMs = (): number => this.#world.nowMs;
    return {
      renew: (report, expiresMs) => this.#once(leaseWork.renew(report, nowMs() + expiresMs), this.#guards.wait),
      remove: (id) => this.#once(leaseWork.remove(id)),
      list: () =>
        this.#once(({ leases }) => ({
          value: [...leases.values()].map(({ report, untilMs }) => ({
            report,
            leftMs: Math.max(0, untilMs - nowMs()),
          })),
        })),
    };
  }

  async #commit(write: CallWrite, work: Work<'OK' | 'DUP'>): Promise<void> {
    const reply = await this.#repeat(work, this.#guards.wait);
    if ('value' in reply) return;
    if ('refused' in reply && reply.refused === 'FENCED') throw new Fenced(write.record.callId, write);
    throw errorOf(reply);
  }

  async #once<Value>(work: Work<Value>, waits = false): Promise<Value> {
    const reply = await this.#ask(work, waits);
    if ('value' in reply) return reply.value;
    throw errorOf(reply);
  }

  async #insist<Value>(work: Work<Value>, waits: boolean): Promise<Value> {
    const reply = await this.#repeat(work, waits);
    if ('value' in reply) return reply.value;
    throw errorOf(reply);
  }

  async #repeat<Value>(work: Work<Value>, waits: boolean): Promise<Reply<Value>> {
    const { clock } = this.#life;
    const untilMs = clock.monotonicMs() + CONNECT_TIMEOUT_MS;
    for (;;) {
      const reply = await this.#ask(work, waits);
      const isFinal = 'value' in reply || ('refused' in reply && !AGAIN.has(reply.refused));
      if (isFinal || clock.monotonicMs() >= untilMs) return reply;
      await new Promise<void>((resolve) => clock.after(AGAIN_MS, resolve));
    }
  }

  #ask<Value>(work: Work<Value>, waits: boolean): Promise<Reply<Value>> {
    const world = this.#world;
    const life = this.#life;
    const server = this.#store.servers[life.view]!;
    return new Promise((resolve) => {
      const timer = life.clock.after(TIMEOUT_MS, () => resolve({ isUnknown: true }));
      const atMs = this.#inOrder(this.#arrivesMs, server.number);
      world.at(atMs, () => {
        if (!server.isUp || !life.reaches(server.number)) return;
        if (server.role === 'replica') return answer({ refused: 'READONLY' });
        server.handle(work, waits, answer, () => this.#store.replicate(server));
      });
      const answer = (reply: Reply<Value>): void => {
        world.at(this.#inOrder(this.#answeredMs, server.number), () => {
          if (!life.reaches(server.number)) return;
          life.run(() => {
            timer.cancel();
            if ('refused' in reply && reply.refused === 'READONLY') life.view = this.#store.primary.number;
            resolve(reply);
          });
        });
      };
    });
  }

  #inOrder(lastMs: number[], server: number): number {
    const atMs = Math.max(lastMs[server]!, this.#world.nowMs + this.#world.int(1, 4));
    lastMs[server] = atMs;
    return atMs;
  }
}

const AGAIN = new Set(['READONLY', 'NOT_REPLICATED']);

function errorOf(reply: { refused: string } | { isUnknown: true }): Error {
  if ('isUnknown' in reply || reply.refused === 'READONLY') return new WriteError('unreachable');
  return reply.refused === 'NOT_REPLICATED' ? new WriteError('no_replica') : new Error(reply.refused);
}
