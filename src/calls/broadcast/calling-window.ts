/** When a broadcast may call: its own opening hours, or a schedule of the service, by the wall clock of their time zone. */
import type { Json, JsonObject } from '../../core/json.ts';
import { isObject } from '../../core/json.ts';
import { stateAt } from '../../core/opening-hours.ts';
import { isTimeZone } from '../../core/time-zone.ts';

const MINUTE_MS = 60_000;

/** `problem`: why the hours are not known. */
export type WindowState = 'open' | 'closed' | { problem: string };

export class CallingWindow {
  readonly #window: string | JsonObject | undefined;
  readonly #schedules: () => Readonly<Record<string, Json>>;
  #looked: { state: WindowState; fromMs: number } | undefined;

  /** `schedules` is read again each time, because they can change while a broadcast goes on. */
  constructor(window: string | JsonObject | undefined, schedules: () => Readonly<Record<string, Json>>) {
    this.#window = window;
    this.#schedules = schedules;
  }

  at(nowMs: number): WindowState {
    if (this.#window === undefined) return 'open';
    // Hours begin and end with minutes, everywhere on earth.
    const fromMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
    if (this.#looked?.fromMs !== fromMs) this.#looked = { state: this.#stateAt(this.#window, nowMs), fromMs };
    return this.#looked.state;
  }

  /** When the state may be different. */
  looksAgainMs(nowMs: number): number {
    return (Math.floor(nowMs / MINUTE_MS) + 1) * MINUTE_MS;
  }

  #stateAt(window: string | JsonObject, nowMs: number): WindowState {
    const hours = typeof window === 'string' ? this.#named(window) : window;
    if (!hours) return { problem: `there is no schedule ${String(window)}` };
    // An update of the platform may remove a time zone.
    if (!isTimeZone(String(hours['timezone'] ?? 'UTC'))) return { problem: 'the time zone of its window is not known' };
    return stateAt(hours, nowMs) === 'open' ? 'open' : 'closed';
  }

  #named(name: string): JsonObject | undefined {
    const schedules = this.#schedules();
    const found = Object.hasOwn(schedules, name) ? schedules[name] : undefined;
    return isObject(found) ? found : undefined;
  }
}
