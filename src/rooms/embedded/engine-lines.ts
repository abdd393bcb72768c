/**
 * Phones in browsers, on the side of the service: sends their commands to the media process, and passes on the events
 * of each. If the process dies, their calls end: unlike sessions of rooms, they are not reopened.
 */
import type { ToChild } from './child-messages.ts';
import type { LineAddress, LineEvent } from './line-messages.ts';

export interface EngineLinesParts {
  /** Reason why no media process can run; undefined if one can. */
  unusable(): string | undefined;
  /** Starts the process if it is not running. False if it cannot run now. */
  run(): boolean;
  send(message: ToChild): void;
  /** A phone was opened or closed. */
  used(): void;
}

export class EngineLines {
  readonly #parts: EngineLinesParts;
  readonly #lines = new Map<string, (event: LineEvent) => void>();

  constructor(parts: EngineLinesParts) {
    this.#parts = parts;
  }

  get unusable(): string | undefined {
    return this.#parts.unusable();
  }

  open(id: string, { sdp, rtp }: { sdp: string; rtp: LineAddress }, report: (event: LineEvent) => void): void {
    this.#lines.set(id, report);
    this.#parts.used();
    if (!this.#parts.run()) {
      queueMicrotask(() => this.event(id, { type: 'lost', why: 'what carries the call is being started again' }));
      return;
    }
    this.#parts.send({ type: 'line', id, command: { type: 'open', sdp, rtp } });
  }

  close(id: string): void {
    if (!this.#lines.delete(id)) return;
    this.#parts.send({ type: 'line', id, command: { type: 'close' } });
    this.#parts.used();
  }

  get count(): number {
    return this.#lines.size;
  }

  /** Passes on an event from the process. */
  event(id: string, event: LineEvent): void {
    this.#lines.get(id)?.(event);
  }

  /** The process ended. */
  lost(why: string): void {
    const reports = [...this.#lines.values()];
    this.#lines.clear();
    for (const report of reports) report({ type: 'lost', why });
  }
}
