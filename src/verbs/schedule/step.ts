import { FaultError, fault } from '../../base/core/fault.ts';
import { isObject, type Json } from '../../base/core/json.ts';
import { isTimeZone } from '../../base/core/time-zone.ts';
import { stateAt } from '../../language/flow/opening-hours.ts';
import { defineStep } from '../../language/steps/step.ts';
import type { ScheduleArgs, ScheduleOutcome } from '../../language/steps/verb-types.ts';

export const step = defineStep<ScheduleArgs, ScheduleOutcome>({
  verb: 'schedule',
  async run(context) {
    const { input } = context;
    const hours = context.schedule(input as Json);
    if (!isObject(hours)) throw new FaultError(fault('unknown_schedule', `there is no schedule ${String(input)}`));
    const { timezone: zone = 'UTC' } = hours;
    if (!isTimeZone(String(zone))) {
      throw new FaultError(fault('unknown_timezone', `there is no time zone ${zone}`));
    }
    return { outcome: stateAt(hours, context.wallMs()) };
  },
});
