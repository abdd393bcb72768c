/** Calls of one broadcast that are in progress on this node, and the numbers that they call. */
import { TEMPORARY_FAILURE } from '../../../base/core/causes.ts';
import { HANG_UP } from '../control/control-call.ts';
import { dialOut } from '../control/place-call.ts';
import type { BroadcastOrder, NumberRow } from './broadcast.ts';
import type { BroadcastParts } from './broadcasts.ts';
import { dialOrderOf } from './dial-order.ts';
import type { BroadcastProgram } from './program.ts';
import type { EndedCall } from './retry.ts';

export interface CalledNumber {
  number: number;
  /** Calls to this number, including this one. */
  attempts: number;
}

export interface BroadcastCallsParts {
  order: BroadcastOrder;
  program: BroadcastProgram | undefined;
  parts: BroadcastParts;
  /** The call is over. It counts until its result is written and `delete` is called. */
  onEnd(call: EndedCall, number: CalledNumber): void;
}

export class BroadcastCalls {
  readonly #parts: BroadcastCallsParts;
  readonly #numbers = new Map<string, CalledNumber>();

  constructor(parts: BroadcastCallsParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#numbers.size;
  }

  get callIds(): Iterable<string> {
    return this.#numbers.keys();
  }

  /** Calls a number that is claimed. */
  dial(row: NumberRow, callId: string): void {
    const { order, parts, onEnd } = this.#parts;
    const called = { number: row.number, attempts: row.attempts + 1 };
    this.#numbers.set(callId, called);
    try {
      const run = dialOut(dialOrderOf(row, callId, order), this.#programFor(row), parts);
      void run.done.then(() => onEnd(run.record, called));
    } catch (error) {
      parts.log.error('broadcast.call_failed', { broadcastId: order.broadcastId, callId, error });
      // An internal error: the number is treated as after a network failure.
      onEnd({ callId, endedMs: parts.clock.now(), cause: TEMPORARY_FAILURE }, called);
    }
  }

  delete(callId: string): void {
    this.#numbers.delete(callId);
  }

  hangUp(): void {
    for (const callId of this.#numbers.keys()) void this.#parts.parts.supervisor.command(callId, HANG_UP);
  }

  #programFor({ input }: NumberRow) {
    const { program, parts } = this.#parts;
    if (!program) throw new Error('a broadcast without a program makes no calls');
    return { ...program, input: program.input(parts.ids, input) };
  }
}
