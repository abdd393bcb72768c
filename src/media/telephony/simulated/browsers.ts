/** Browsers that call a simulated engine: each is a far end, and its page receives the notices of that far end. */
import type { BrowserFarEnd, BrowserLegs, BrowserPage } from '../browser-legs.ts';
import type { FarEnd } from './far-end.ts';

/** Placeholder for a real answer. */
const ANSWER = 'v=0\r\n';

export class SimulatedBrowsers implements BrowserLegs {
  readonly unusable = undefined;
  readonly farEnds: FarEnd[] = [];
  readonly #makeLeg: (legId: string) => FarEnd;

  constructor(makeLeg: (legId: string) => FarEnd) {
    this.#makeLeg = makeLeg;
  }

  open({ legId }: { legId: string; sdp: string }, page: BrowserPage): BrowserFarEnd {
    const leg = this.#makeLeg(legId);
    this.farEnds.push(leg);
    queueMicrotask(() => page({ type: 'answer', sdp: ANSWER }));
    leg.observe((notice) => {
      if (notice.type === 'ringing') page({ type: 'ringing' });
      else if (notice.type === 'answered') page({ type: 'connected' });
      else if (notice.type === 'held') page({ type: 'held', held: notice.held });
      else if (notice.type === 'ended') page({ type: 'ended', cause: notice.cause, by: notice.by });
    });
    return { hangUp: () => leg.hangUp() };
  }
}
