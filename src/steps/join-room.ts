import type { JsonObject } from '../core/json.ts';
import { attendMeeting } from './meeting.ts';
import { ensureAnswered } from './playback.ts';
import { COMMANDS_ENDING_MEETINGS, defineStep } from './step.ts';
import type { JoinRoomArgs } from './step-arguments.ts';

/** Whichever room has the PIN. */
const ANY_ROOM = '*';

export const joinRoom = defineStep<JoinRoomArgs>({
  verb: 'join_room',
  activity: 'room',
  preemptedBy: { to: COMMANDS_ENDING_MEETINGS, outcomes: ['left'] },
  outcomes: () => ['left', 'ended', 'denied', 'error'],
  success: 'left',
  negativeOutcomes: ['denied'],
  media: true,
  async *run(context) {
    const { from, to, direction } = context.call;
    const caller = String(direction === 'outbound' ? to : from);
    const { room_id: name = ANY_ROOM, pin, display_name = caller } = context.input;
    yield* ensureAnswered(context);
    const { how, data, meetingId, durationS } = yield* attendMeeting(context, {
      kind: 'room',
      name,
      options: { display_name, ...(pin !== undefined && { pin }) },
    });
    const result: JsonObject =
      how === 'denied' ? { reason: String(data['reason'] ?? '') } : { room_id: meetingId, duration: durationS };
    return { outcome: how === 'full' ? 'ended' : how, result };
  },
});
