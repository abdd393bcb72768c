/**
 * Webphones on the side of the service: sends their commands to the media process, and passes on the events
 * of each. If the process dies, their calls end: unlike sessions of rooms, they are not reopened.
 */
import type { ToWebphone, WebphoneAddress, WebphoneEvent } from './webphone-messages.ts';

export interface EngineWebphonesParts {
  /** Reason why no media process can run; undefined if one can. */
  unusable(): string | undefined;
  /** Starts the process if it is not running. False if it cannot run now. */
  run(): boolean;
  send(message: ToWebphone): void;
  /** A phone was opened or closed. */
  used(): void;
}

export class EngineWebphones {
  readonly #parts: EngineWebphonesParts;
  readonly #reports = new Map<string, (event: WebphoneEvent) => void>();

  constructor(parts: EngineWebphonesParts) {
    this.#parts = parts;
  }

  get unusable(): string | undefined {
    return this.#parts.unusable();
  }

  open(id: string, { sdp, rtp }: { sdp: string; rtp: WebphoneAddress }, report: (event: WebphoneEvent) => void): void {
    this.#reports.set(id, report);
    this.#parts.used();
    if (!this.#parts.run()) {
      queueMicrotask(() => this.event(id, { type: 'lost', why: 'what carries the call is being started again' }));
      return;
    }
    this.#parts.send({ type: 'webphone', id, command: { type: 'open', sdp, rtp } });
  }

  close(id: string): void {
    if (!this.#reports.delete(id)) return;
    this.#parts.send({ type: 'webphone', id, command: { type: 'close' } });
    this.#parts.used();
  }

  get count(): number {
    return this.#reports.size;
  }

  /** Passes on an event from the process. */
  event(id: string, event: WebphoneEvent): void {
    this.#reports.get(id)?.(event);
  }

  /** The process ended. */
  lost(why: string): void {
    const reports = [...this.#reports.values()];
    this.#reports.clear();
    for (const report of reports) report({ type: 'lost', why });
  }
}
