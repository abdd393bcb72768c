/** Legs of browsers behind a WebRTC gateway. Opens them with the media port of the engine that carries them. */
import type { Clock } from '../../../base/core/clock.ts';
import type { BrowserLegs } from '../browser-legs.ts';
import type { LegCarrier } from '../engine.ts';
import type { MediaPort } from '../media/media-port.ts';
import { BrowserLeg } from './browser-leg.ts';
import type { LineGateway } from './line-gateway.ts';

export interface GatewayLegsParts {
  carrier: LegCarrier;
  media: MediaPort;
  clock: Clock;
  log(message: string, fields: Readonly<Record<string, unknown>>): void;
}

export class GatewayLegs {
  readonly #parts: GatewayLegsParts;
  #count = 0;

  constructor(parts: GatewayLegsParts) {
    this.#parts = parts;
  }

  /** Number of live legs. */
  get count(): number {
    return this.#count;
  }

  behind(gateway: LineGateway): BrowserLegs {
    const { carrier, ...parts } = this.#parts;
    return {
      get unusable() {
        return carrier.isRunning ? gateway.unusable : 'the service takes no calls';
      },
      open: ({ legId, sdp }, page) => {
        const leg = new BrowserLeg(
          { ...parts, gateway },
          {
            legId,
            page: (notice) => queueMicrotask(() => page(notice)),
            emit: (event) => carrier.emit(legId, event),
            gone: () => {
              this.#count--;
              carrier.detach(legId);
            },
          },
        );
        this.#count++;
        carrier.attach(leg);
        void leg.open(sdp);
        return leg;
      },
    };
  }
}
