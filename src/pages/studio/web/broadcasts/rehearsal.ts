/**
 * Client for rehearsals, which run in the service: start, progress and stop. `order.ts` builds the request,
 * `rehearsal-view.tsx` shows the result.
 *
 * Invariant: starting a rehearsal stops the previous one, and results of the previous one are ignored.
 */
import { signal } from '@preact/signals';
import { request } from '../api.ts';
import type { Order } from './order.ts';

export interface RehearsalResult {
  state: 'completed' | 'stopped' | 'failed' | 'waiting';
  flow?: string;
  duration_s: number;
  numbers: number;
  duplicates: number;
  success: number;
  failed: number;
  calls: number;
  reasons: Record<string, number>;
  most_calls: number;
  talk: { calls: number; seconds: number; average_s: number; median_s: number; longest_s: number };
  answered_by: Record<string, number>;
  outputs: Record<string, number>;
  steps: Record<string, number>;
  exits: Record<string, number>;
  crashes: number;
}

export interface RehearsalState {
  rehearsal_id: string;
  state: 'running' | 'completed' | 'failed' | 'stopped';
  numbers: number;
  done: { numbers: number; calls: number };
  result?: RehearsalResult;
  error?: { msg: string; hint?: string };
}

export interface RehearsalWish {
  broadcast: Order;
  /** Number of generated phone numbers that replace those of the broadcast. */
  numbers?: number;
  app_id?: string;
}

const PATH = '/admin/v1/rehearsals';
const LOOK_EVERY_MS = 400;

const service = {
  begin: (wish: RehearsalWish) => request<RehearsalState & Record<string, never>>(PATH, { method: 'POST', json: wish }),
  look: (id: string) => request<RehearsalState & Record<string, never>>(`${PATH}/${encodeURIComponent(id)}`),
  stop: (id: string) => request(`${PATH}/${encodeURIComponent(id)}`, { method: 'DELETE' }),
  wait: () => new Promise<void>((resolve) => setTimeout(resolve, LOOK_EVERY_MS)),
};

type Service = { [Key in keyof typeof service]: (...given: Parameters<(typeof service)[Key]>) => Promise<unknown> };

export class RehearsalRun {
  readonly state = signal<RehearsalState | undefined>(undefined);
  /** The rehearsed broadcast as JSON, to detect that the form has changed since. */
  readonly of = signal<string | undefined>(undefined);
  readonly #service: Service;
  #round = 0;

  constructor(by: Service = service) {
    this.#service = by;
  }

  get isRunning(): boolean {
    return this.state.value?.state === 'running';
  }

  /** Resolves when the rehearsal ends. Throws if the service rejects it. */
  async start(wish: RehearsalWish): Promise<void> {
    await this.stop();
    const round = ++this.#round;
    let now = (await this.#service.begin(wish)) as RehearsalState;
    this.of.value = JSON.stringify(wish.broadcast);
    while (round === this.#round) {
      this.state.value = now;
      if (now.state !== 'running') return;
      await this.#service.wait();
      if (round === this.#round) now = (await this.#service.look(now.rehearsal_id)) as RehearsalState;
    }
  }

  async stop(): Promise<void> {
    const { value: now } = this.state;
    this.#round++;
    if (now?.state !== 'running') return;
    this.state.value = { ...now, state: 'stopped' };
    await this.#service.stop(now.rehearsal_id);
  }
}
