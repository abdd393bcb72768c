import { isObject, type JsonObject } from '../core/json.ts';
import { text } from './arguments.ts';
import { attendMeeting } from './meeting.ts';
import { ensureAnswered } from './playback.ts';
import { COMMANDS_ENDING_MEETINGS, defineStep } from './step.ts';
import { textIn } from './venue-event.ts';

/** Whichever room has the PIN. */
const ANY_ROOM = '*';

export const joinRoom = defineStep({
  verb: 'join_room',
  activity: 'room',
  preemptedBy: { to: COMMANDS_ENDING_MEETINGS, outcomes: ['left'] },
  outcomes: () => ['left', 'ended', 'denied', 'error'],
  success: 'left',
  negativeOutcomes: ['denied'],
  waits: true,
  media: true,
  needsCall: true,
  async *run(context) {
    const args = isObject(context.input) ? context.input : { room_id: context.input };
    yield* ensureAnswered(context);
    const met = yield* attendMeeting(context, {
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
      met.how === 'denied'
        ? { reason: textIn(met.data, 'reason') }
        : { room_id: met.meetingId, duration: met.durationS };
    return { outcome: met.how === 'full' ? 'ended' : met.how, result };
  },
});
