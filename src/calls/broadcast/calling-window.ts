/** When a broadcast may call: opening hours of its own, or a schedule of the service by name, by the wall clock there. */
import type { Json, JsonObject } from '../../core/json.ts';
import { isObject } from '../../core/json.ts';
import { stateAt } from '../../core/opening-hours.ts';
import { isTimeZone } from '../../core/time-zone.ts';

const MINUTE_MS = 60_000;

/** `problem`: why nobody knows. */
export type WindowState = 'open' | 'closed' | { problem: string };

export class CallingWindow {
  readonly #window: string | JsonObject | undefined;
  readonly #schedules: () => Readonly<Record<string, Json>>;
  #looked: { state: WindowState; fromMs: number } | undefined;

  /** `schedules`: asked again and again, because they can be changed while a broadcast goes on. */
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

  /** When it may be another. */
  looksAgainMs(nowMs: number): number {
    return (Math.floor(nowMs / MINUTE_MS) + 1) * MINUTE_MS;
  }

  #stateAt(window: string | JsonObject, nowMs: number): WindowState {
    const hours = typeof window === 'string' ? this.#named(window) : window;
    if (!hours) return { problem: `there is no schedule ${String(window)}` };
    // A platform may forget a time zone that it knew when the hours were taken.
    if (!isTimeZone(String(hours['timezone'] ?? 'UTC'))) return { problem: 'nobody knows the time zone of its window' };
    return stateAt(hours, nowMs) === 'open' ? 'open' : 'closed';
  }

  #named(name: string): JsonObject | undefined {
    const schedules = this.#schedules();
    const found = Object.hasOwn(schedules, name) ? schedules[name] : undefined;
    return isObject(found) ? found : undefined;
  }
}
