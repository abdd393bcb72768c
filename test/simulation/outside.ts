/** External effects in the order of their occurrence: commands to engines, dialled numbers, requests of flows. */
import type { LegCommand } from '../../src/base/core/leg.ts';
import type { DialRequest } from '../../src/media/telephony/engine.ts';
import type { World } from './world.ts';

export interface Effect {
  atMs: number;
  life: string;
  legId: string;
  /** Effects that may occur only once: `play play-7`, `dial +33…`, `request 3`. */
  what: string;
  type: LegCommand['type'] | 'dial' | 'request';
}

export interface BegunCall {
  callId: string;
  legId: string;
  life: string;
  atMs: number;
}

export class Outside {
  readonly effects: Effect[] = [];
  readonly begun: BegunCall[] = [];
  /** Adoption times of each call, as recorded by its adopters. */
  readonly adopted: { callId: string; life: string; fence: number; atMs: number }[] = [];
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  began(callId: string, legId: string, life: string): void {
    this.begun.push({ callId, legId, life, atMs: this.#world.nowMs });
  }

  tookOver(callId: string, life: string, fence: number): void {
    this.#world.note(() => `${life} has adopted ${callId}: fence ${fence}`);
    // An answer may arrive after another node has adopted the call.
    if (this.adopted.some((one) => one.callId === callId && one.fence > fence)) return;
    this.adopted.push({ callId, life, fence, atMs: this.#world.nowMs });
  }

  dialled(life: string, { legId, to }: DialRequest): void {
    this.#did({ life, legId, what: `dial ${to}`, type: 'dial' });
  }

  commanded(life: string, legId: string, command: LegCommand): void {
    this.#did({ life, legId, what: effectOf(command), type: command.type });
  }

  requested(life: string, callId: string, requestId: string): void {
    this.#did({ life, legId: callId, what: `request ${requestId}`, type: 'request' });
  }

  #did(effect: Omit<Effect, 'atMs'>): void {
    const { nowMs } = this.#world;
    this.#world.note(() => `${effect.life} does ${effect.what} on ${effect.legId}`);
    this.effects.push({ atMs: nowMs, ...effect });
  }
}

/** A command without its audio: its kind and its target. */
export function effectOf(command: LegCommand): string {
  const ids = Object.entries(command).filter(([key, value]) => key.endsWith('Id') && typeof value === 'string');
  return [command.type, ...ids.map(([, value]) => value as string)].join(' ');
}
