/**
 * What the process of the engine does: sessions by number, and the timers that drive them. `child.ts` is the process, this
 * file is the same without one, so that tests have it with connections of their own.
 */
import { type Clock, systemClock } from '../../core/clock.ts';
import { reasonOf } from '../../core/reason-of.ts';
import { WINDOW_MS } from '../../core/talk-detector.ts';
import type { FromChild, ToChild } from './child-messages.ts';
import { Lines } from './lines.ts';
import { MediaSession, type MediaSpec } from './media-session.ts';
import type { OpenTransport } from './media-transport.ts';
import { openMixLink } from './mix-link.ts';
import { libopus } from './opus.ts';

const TICK_MS = 20;
const ADAPT_MS = 200;
const REPORT_MS = 1000;
const SAMPLE_SECONDS = 5;

export class EngineProcess {
  readonly #sessions = new Map<string, MediaSession>();
  readonly #ending = new Set<Promise<void>>();
  readonly #lines: Lines;
  readonly #parts: { clock: Clock; open: OpenTransport; report(message: FromChild): void };
  #isOver = false;

  constructor(parts: { clock?: Clock; open: OpenTransport; report(message: FromChild): void }) {
    this.#parts = { clock: systemClock, ...parts };
    this.#lines = new Lines({
      ...this.#parts,
      warn: (message, error) => parts.report({ type: 'warning', message, why: reasonOf(error) }),
    });
    this.#every(TICK_MS, (session) => session.tick());
    this.#every(ADAPT_MS, (session) => session.adapt());
    this.#every(WINDOW_MS, (session) => session.listen());
    this.#every(REPORT_MS, (session) => session.reportToSenders());
    this.#every(SAMPLE_SECONDS * 1000, (session) => session.sample(SAMPLE_SECONDS));
  }

  #every(ms: number, run: (session: MediaSession) => void): void {
    this.#parts.clock.after(ms, () => {
      if (this.#isOver) return;
      for (const session of this.#sessions.values()) run(session);
      this.#every(ms, run);
    });
  }

  take(message: Exclude<ToChild, { type: 'begin' | 'ping' | 'finish' }>): void {
    if (message.type === 'open') {
      this.#open(message.spec);
      return;
    }
    if (message.type === 'line') {
      this.#lines.command(message.id, message.command);
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
      ...{ clock, open, opus: libopus, link: openMixLink },
      report: (event) => report({ type: 'event', confNum, event }),
      warn: (message, error) => report({ type: 'warning', message, why: reasonOf(error) }),
    });
    this.#sessions.set(confNum, session);
  }

  #end(confNum: string): void {
    const session = this.#sessions.get(confNum);
    if (!session) return;
    this.#sessions.delete(confNum);
    const ending: Promise<void> = session.close().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  /** Resolves when all that was recorded is whole. */
  async close(): Promise<void> {
    this.#isOver = true;
    for (const confNum of [...this.#sessions.keys()]) this.#end(confNum);
    this.#lines.close();
    await Promise.all(this.#ending);
  }
}
