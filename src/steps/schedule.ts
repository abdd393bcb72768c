import { fault } from '../core/fault.ts';
import { isObject } from '../core/json.ts';
import { stateAt } from '../core/opening-hours.ts';
import { isTimeZone } from '../core/time-zone.ts';
import { text } from './arguments.ts';
import { defineStep } from './step.ts';

export const schedule = defineStep({
  verb: 'schedule',
  outcomes: () => ['open', 'closed', 'holiday'],
  async run(context) {
    const { input } = context;
    const hours = typeof input === 'string' ? context.schedule(input) : input;
    if (!isObject(hours)) {
      return { outcome: 'error', fault: fault('unknown_schedule', `there is no schedule ${String(input)}`) };
    }
    const zone = text(hours['timezone'], 'UTC');
    if (!isTimeZone(zone)) {
      return { outcome: 'error', fault: fault('unknown_timezone', `there is no time zone ${zone}`) };
    }
    return { outcome: stateAt(hours, context.wallMs()) };
  },
});
