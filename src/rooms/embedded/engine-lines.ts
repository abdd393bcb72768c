/**
 * Phones in browsers as the service sees them: commands for the process of the engine, and what it reports of each.
 * A process that dies takes them along: calls do not come back as sessions of rooms do.
 */
import type { ToChild } from './child-messages.ts';
import type { LineAddress, LineEvent } from './line-messages.ts';

export interface EngineLinesParts {
  /** Why there is no process. */
  unusable(): string | undefined;
  /** Starts the process where it does not run. False: not now. */
  run(): boolean;
  send(message: ToChild): void;
  /** There is one more, or one less. */
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

  /** Reported by the process. */
  event(id: string, event: LineEvent): void {
    this.#lines.get(id)?.(event);
  }

  /** The process is gone. */
  lost(why: string): void {
    const reports = [...this.#lines.values()];
    this.#lines.clear();
    for (const report of reports) report({ type: 'lost', why });
  }
}
