import { isObject, type JsonObject } from '../core/json.ts';
import { text } from './arguments.ts';
import { openLine } from './line.ts';
import { meet } from './meeting.ts';
import { defineStep, ENDS_MEETING } from './step.ts';
import { textIn } from './venue-data.ts';

/** Whichever room has the PIN. */
const ANY_ROOM = '*';

export const joinRoom = defineStep({
  verb: 'join_room',
  occupies: 'room',
  givesWay: { to: ENDS_MEETING, outcomes: ['left'] },
  outcomes: () => ['left', 'ended', 'denied', 'error'],
  success: 'left',
  setbacks: ['denied'],
  waits: true,
  media: true,
  needsCall: true,
  async *run(context) {
    const args = isObject(context.input) ? context.input : { room_id: context.input };
    yield* openLine(context);
    const met = yield* meet(context, {
      kind: 'room',
      name: text(args['room_id'], ANY_ROOM),
      options: {
        display_name: text(args['display_name'], text(context.call['from'])),
        ...(args['pin'] === undefined ? {} : { pin: text(args['pin']) }),
      },
      muted: false,
      music: [],
      greeting: [],
      leaveKey: '',
    });
    const result: JsonObject =
      met.how === 'denied' ? { reason: textIn(met.data, 'reason') } : { room_id: met.placeId, duration: met.durationS };
    return { outcome: met.how === 'full' ? 'ended' : met.how, result };
  },
});
