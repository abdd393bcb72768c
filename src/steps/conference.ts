import type { JsonObject } from '../core/json.ts';
import { isObject } from '../core/json.ts';
import { flag, text } from './arguments.ts';
import { MAX_RECORDING_MS, musicOf } from './conversation.ts';
import { attendMeeting } from './meeting.ts';
import { ensureAnswered } from './playback.ts';
import { COMMANDS_ENDING_MEETINGS, defineStep } from './step.ts';

export const conference = defineStep({
  verb: 'conference',
  activity: 'conference',
  preemptedBy: { to: COMMANDS_ENDING_MEETINGS, outcomes: ['left'] },
  outcomes: () => ['left', 'ended', 'full', 'error'],
  success: 'left',
  negativeOutcomes: ['full'],
  waits: true,
  media: true,
  needsCall: true,
  prompts: ['/music', '/join_sound'],
  async *run(context) {
    const args = isObject(context.input) ? context.input : { name: context.input };
    const conferenceId = text(args['conference_id']);
    yield* ensureAnswered(context);
    const met = yield* attendMeeting(context, {
      kind: 'conference',
      name: text(args['name'], conferenceId),
      options: optionsOf(args),
      muted: flag(args['muted'], false),
      music: await musicOf(context, args['music']),
      greeting: args['join_sound'] === undefined ? [] : await context.prompt(args['join_sound']),
      leaveKey: text(args['leave_key']),
      onJoined() {
        if (args['record'] !== true) return;
        const started = context.background.startRecording({ maxLengthMs: MAX_RECORDING_MS });
        if ('fault' in started) context.log('warn', 'the conference is not recorded', { code: started.fault.code });
      },
    });
    const result = { conference_id: met.meetingId, duration: met.durationS };
    return { outcome: met.how === 'denied' ? 'ended' : met.how, result };
  },
});

/** What the place is told of its visitor. */
function optionsOf(args: JsonObject): JsonObject {
  const names = ['conference_id', 'muted', 'moderator', 'wait_for_moderator', 'end_on_exit', 'max_members', 'record'];
  return Object.fromEntries(names.flatMap((name) => (args[name] === undefined ? [] : [[name, args[name]]])));
}
