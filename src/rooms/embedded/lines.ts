/** Phones in browsers that the media process carries. */
import type { Clock } from '../../core/clock.ts';
import type { FromChild } from './child-messages.ts';
import { Line } from './line.ts';
import type { LineCommand } from './line-messages.ts';
import type { OpenTransport } from './media-transport.ts';

export interface LinesParts {
  clock: Clock;
  open: OpenTransport;
  report(message: FromChild): void;
  warn(message: string, error: unknown): void;
}

export class Lines {
  readonly #parts: LinesParts;
  readonly #lines = new Map<string, Line>();

  constructor(parts: LinesParts) {
    this.#parts = parts;
  }

  command(id: string, command: LineCommand): void {
    this.#lines.get(id)?.close();
    this.#lines.delete(id);
    if (command.type === 'close') return;
    const { report, ...parts } = this.#parts;
    const line = new Line(id, { ...parts, report: (event) => report({ type: 'line', id, event }) });
    this.#lines.set(id, line);
    void line.open(command.sdp, command.rtp);
  }

  close(): void {
    for (const line of this.#lines.values()) line.close();
    this.#lines.clear();
  }
}
