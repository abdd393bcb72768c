/** Webphones that the media process carries. */
import type { Clock } from '../../../base/core/clock.ts';
import type { OpenTransport } from '../media-transport.ts';
import type { FromWebphone, WebphoneCommand } from './webphone-messages.ts';
import { WebphoneRelay } from './webphone-relay.ts';

export interface WebphoneRelaysParts {
  clock: Clock;
  open: OpenTransport;
  report(message: FromWebphone): void;
  warn(message: string, error: unknown): void;
}

export class WebphoneRelays {
  readonly #parts: WebphoneRelaysParts;
  readonly #relays = new Map<string, WebphoneRelay>();

  constructor(parts: WebphoneRelaysParts) {
    this.#parts = parts;
  }

  command(id: string, command: WebphoneCommand): void {
    this.#relays.get(id)?.close();
    this.#relays.delete(id);
    if (command.type === 'close') return;
    const { report, ...parts } = this.#parts;
    const relay = new WebphoneRelay(id, { ...parts, report: (event) => report({ type: 'webphone', id, event }) });
    this.#relays.set(id, relay);
    void relay.open(command.sdp, command.rtp);
  }

  close(): void {
    for (const relay of this.#relays.values()) relay.close();
    this.#relays.clear();
  }
}
