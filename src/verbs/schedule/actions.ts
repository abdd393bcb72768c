import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { ownHours } from '../../language/flow/own-hours.ts';
import type { VerbActions } from '../../proof/explore/actions/action.ts';
import { ALWAYS_OPEN, type Setup } from '../../proof/explore/actions/setup.ts';

/** The other states of a schedule that is not known. */
const OTHER_HOURS: readonly JsonObject[] = [{ open: [] }, { ...ALWAYS_OPEN, holidays: ['2026-03-02', '2026-03-03'] }];

export const actions: VerbActions = {
  setups({ args }, flow, setup): Setup[] {
    if (setup.at !== undefined || typeof args !== 'string' || ownHours(flow, args) !== undefined) return [];
    if (!isSame(setup.schedules?.[args], ALWAYS_OPEN)) return [];
    return OTHER_HOURS.map((hours) => ({ ...setup, schedules: { ...setup.schedules, [args]: hours } }));
  },
  hours({ args }, flow, setup): JsonObject | undefined {
    const own = ownHours(flow, args);
    if (own !== undefined || typeof args !== 'string') return own;
    const given = setup.schedules?.[args];
    if (!isObject(given) || [ALWAYS_OPEN, ...OTHER_HOURS].some((hours) => isSame(given, hours))) return undefined;
    return { ...(setup.timezone !== undefined && { timezone: setup.timezone }), ...given };
  },
};

const isSame = (one: Json | undefined, other: Json): boolean => JSON.stringify(one) === JSON.stringify(other);
