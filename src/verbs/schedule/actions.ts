import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { stateAt } from '../../language/flow/opening-hours.ts';
import { ownHours } from '../../language/flow/own-hours.ts';
import type { VerbActions } from '../../proof/explore/actions/action.ts';
import { ALWAYS_OPEN, FIRST_MS, type Setup } from '../../proof/explore/actions/setup.ts';

const HOUR_MS = 3_600_000;
const DAYS = 400;
/** The other states of a schedule that is not known. */
const OTHER_HOURS: readonly JsonObject[] = [{ open: [] }, { ...ALWAYS_OPEN, holidays: ['2026-03-02', '2026-03-03'] }];

export const actions: VerbActions = {
  setups({ args }, flow, setup): Setup[] {
    if (setup.at !== undefined) return [];
    const own = ownHours(flow, args);
    if (own !== undefined || typeof args !== 'string') return timesFor(own, setup);
    const given = setup.schedules?.[args];
    if (isSame(given, ALWAYS_OPEN))
      return OTHER_HOURS.map((hours) => ({ ...setup, schedules: { ...setup.schedules, [args]: hours } }));
    if (!isObject(given) || OTHER_HOURS.some((hours) => isSame(given, hours))) return [];
    return timesFor({ ...(setup.timezone !== undefined && { timezone: setup.timezone }), ...given }, setup);
  },
};

/** Setups with the first hour in each other state of a schedule, within 400 days. */
function timesFor(hours: JsonObject | undefined, setup: Setup): Setup[] {
  if (hours === undefined) return [];
  const found = new Map<string, Setup>();
  const first = stateAt(hours, FIRST_MS);
  for (let ms = FIRST_MS; ms < FIRST_MS + DAYS * 24 * HOUR_MS; ms += HOUR_MS) {
    const state = stateAt(hours, ms);
    if (state !== first && !found.has(state)) found.set(state, { ...setup, at: new Date(ms).toISOString() });
  }
  return [...found.values()];
}

const isSame = (one: Json | undefined, other: Json): boolean => JSON.stringify(one) === JSON.stringify(other);
