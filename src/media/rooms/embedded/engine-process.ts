/**
 * Work of the media process: sessions by number, and the timers that drive them. `child.ts` is the entry point of the
 * process; tests use this class in their own process, with their own connections.
 */
import { type Clock, systemClock, type Timer } from '../../../base/core/clock.ts';
import { reasonOf } from '../../../base/core/reason-of.ts';
import { TokenBucket } from '../../../base/core/token-bucket.ts';
import { WINDOW_MS } from '../../toolbox/voice/talk-detector.ts';
import type { OpenTransport } from '../media-transport.ts';
import { WebphoneRelays } from '../webphone/webphone-relays.ts';
import type { EngineOrder, FromChild } from './child-messages.ts';
import { guardConnections } from './connection-guard.ts';
import { LoadGuard } from './load-guard.ts';
import { MediaSession, type MediaSpec } from './media-session.ts';
import { openMixLink } from './mix-link.ts';
import { libopus } from './opus.ts';

/** Period of the timer. All regular work is done at multiples of it, because rare wake-ups cost little CPU. */
const BEAT_MS = WINDOW_MS;
const ADAPT_BEATS = 2;
const REPORT_BEATS = 10;
const SAMPLE_SECONDS = 5;
const SAMPLE_BEATS = (SAMPLE_SECONDS * 1000) / BEAT_MS;

/** Same period as the pings of `heartbeat.ts`. */
const SIGN_OF_LIFE_MS = 1000;
const WARNINGS_AT_ONCE = 20;
const WARNINGS_PER_SECOND = 0.2;
const CLOSED = 'the connection of a browser phone was closed';

export class EngineProcess {
  readonly #sessions = new Map<string, MediaSession>();
  readonly #ending = new Set<Promise<void>>();
  readonly #webphones: WebphoneRelays;
  readonly #load: LoadGuard;
  readonly #warnings: TokenBucket;
  readonly #parts: { clock: Clock; open: OpenTransport; report(message: FromChild): void };
  /** Runs while there are sessions. */
  #timer: Timer | undefined;
  #beats = 0;
  /** Time of the last unsolicited sign of life. */
  #aliveMs = 0;

  constructor(parts: { clock?: Clock; open: OpenTransport; report(message: FromChild): void }) {
    this.#parts = { clock: systemClock, ...parts };
    this.#load = new LoadGuard(this.#parts.clock);
    this.#warnings = new TokenBucket(this.#parts.clock, WARNINGS_PER_SECOND, WARNINGS_AT_ONCE);
    const { clock, open } = this.#parts;
    this.#webphones = new WebphoneRelays({
      ...this.#parts,
      open: guardConnections(open, { clock, closed: (_name, why) => this.#warn(CLOSED, `too many ${why}`) }),
      warn: (message, error) => this.#warn(message, reasonOf(error)),
    });
  }

  /** Reports a warning. Rate-limited, because participants can cause warnings. */
  #warn(message: string, why: string): void {
    if (this.#warnings.take()) this.#parts.report({ type: 'warning', message, why });
  }

  /** Schedules the beat that is due at `dueMs`, so that a late beat does not delay the following ones. */
  #beatAt(dueMs: number): void {
    const { clock } = this.#parts;
    this.#load.expect(dueMs);
    this.#timer = clock.after(Math.max(0, dueMs - clock.monotonicMs()), () => {
      this.#beats++;
      if (this.#load.beat(clock.monotonicMs() - dueMs)) this.#limitPictures();
      for (const session of this.#sessions.values()) this.#beat(session);
      this.#beatAt(Math.max(dueMs, clock.monotonicMs() - BEAT_MS) + BEAT_MS);
    });
  }

  #limitPictures(): void {
    const { most } = this.#load;
    for (const session of this.#sessions.values()) session.limitPictures(most);
    const why = `cameras are ${most === 'off' ? 'paused' : `sent in ${most} at most`}`;
    this.#parts.report({ type: 'warning', message: 'the processor time for pictures has changed', why });
  }

  #beat(session: MediaSession): void {
    session.listen();
    if (this.#beats % ADAPT_BEATS === 0) session.adapt();
    if (this.#beats % REPORT_BEATS === 0) session.reportToSenders();
    if (this.#beats % SAMPLE_BEATS === 0) session.sample(SAMPLE_SECONDS);
  }

  onMessage(message: EngineOrder): void {
    if (message.type === 'open') {
      this.#open(message.spec);
      return;
    }
    if (message.type === 'webphone') {
      this.#webphones.command(message.id, message.command);
      return;
    }
    const { confNum, command } = message;
    if (command.type === 'end') this.#end(confNum);
    else this.#sessions.get(confNum)?.command(command);
  }

  #open(spec: MediaSpec): void {
    const { confNum } = spec;
    const { clock, open, report } = this.#parts;
    this.#end(confNum);
    const session = new MediaSession(spec, {
      ...{ clock, open: this.#openWithLife(open), opus: libopus, link: openMixLink },
      shedsNow: () => this.#load.shedsNow(),
      report: (event) => report({ type: 'event', confNum, event }),
      warn: (message, error) => this.#warn(message, reasonOf(error)),
    });
    session.limitPictures(this.#load.most);
    this.#sessions.set(confNum, session);
    if (!this.#timer) this.#beatAt(clock.monotonicMs() + BEAT_MS);
  }

  /** Reports received packets as signs of life, so that a busy process is not taken for a blocked one. */
  #openWithLife(open: OpenTransport): OpenTransport {
    const { clock, report } = this.#parts;
    return (name, events, isOfEngine) =>
      open(
        name,
        {
          ...events,
          packet: (bytes) => {
            events.packet(bytes);
            const nowMs = clock.monotonicMs();
            if (nowMs - this.#aliveMs < SIGN_OF_LIFE_MS) return;
            this.#aliveMs = nowMs;
            report({ type: 'pong' });
          },
        },
        isOfEngine,
      );
  }

  #end(confNum: string): void {
    const session = this.#sessions.get(confNum);
    if (!session) return;
    this.#sessions.delete(confNum);
    if (this.#sessions.size === 0) {
      this.#timer?.cancel();
      this.#timer = undefined;
      this.#load.expect();
    }
    const ending: Promise<void> = session.close().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  /** Resolves when all recordings are complete. */
  async close(): Promise<void> {
    for (const confNum of [...this.#sessions.keys()]) this.#end(confNum);
    this.#webphones.close();
    await Promise.all(this.#ending);
  }
}
