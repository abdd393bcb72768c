/**
 * Calling hours of a broadcast: its own opening hours or a schedule of the service, in the local time of their time
 * zone.
 */
import type { Json, JsonObject } from '../../../base/core/json.ts';
import { isObject } from '../../../base/core/json.ts';
import { isTimeZone } from '../../../base/core/time-zone.ts';
import { stateAt } from '../../../language/flow/opening-hours.ts';

const MINUTE_MS = 60_000;

/** `problem`: reason why the hours are unknown. */
export type WindowState = 'open' | 'closed' | { problem: string };

export class CallingWindow {
  readonly #window: string | JsonObject | undefined;
  readonly #schedules: () => Readonly<Record<string, Json>>;
  #looked: { state: WindowState; fromMs: number } | undefined;

  /** `schedules` is read on each check, because schedules can change during a broadcast. */
  constructor(window: string | JsonObject | undefined, schedules: () => Readonly<Record<string, Json>>) {
    this.#window = window;
    this.#schedules = schedules;
  }

  at(nowMs: number): WindowState {
    if (this.#window === undefined) return 'open';
    // Opening hours change only on full minutes.
    const fromMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
    if (this.#looked?.fromMs !== fromMs) this.#looked = { state: this.#stateAt(this.#window, nowMs), fromMs };
    return this.#looked.state;
  }

  /** Next time at which the state may differ. */
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
