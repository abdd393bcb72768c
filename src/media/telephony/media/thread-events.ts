/** Events of a media thread, sent in one message per turn, because a message costs more than its content. */
import type { MessagePort } from 'node:worker_threads';
import type { WorkerEvent } from './worker-messages.ts';

export class ThreadEvents {
  readonly #port: MessagePort;
  #events: WorkerEvent[] = [];
  #transfers: ArrayBuffer[] = [];
  #isTurning = false;

  constructor(port: MessagePort) {
    this.#port = port;
  }

  /** Sends the event at the end of the turn; outside of one, with all of this turn of the event loop. */
  emit(event: WorkerEvent): void {
    if (this.#events.length === 0 && !this.#isTurning) setImmediate(() => this.#flush());
    this.#events.push(event);
    if (event.type !== 'leg') return;
    const inner = event.event;
    if (inner.type === 'record_chunk' || inner.type === 'listen_piece') this.#transfers.push(inner.pcm.buffer);
  }

  /** Runs a turn. */
  during(turn: () => void): void {
    this.#isTurning = true;
    turn();
    this.#isTurning = false;
    this.#flush();
  }

  #flush(): void {
    if (this.#events.length === 0) return;
    this.#port.postMessage(this.#events, this.#transfers);
    this.#events = [];
    this.#transfers = [];
  }
}
