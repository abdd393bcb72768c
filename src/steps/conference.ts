import type { JsonObject } from '../core/json.ts';
import { isObject } from '../core/json.ts';
import { flag, text } from './arguments.ts';
import { LONGEST_RECORDING_MS, musicOf } from './conversation.ts';
import { openLine } from './line.ts';
import { meet } from './meeting.ts';
import { defineStep, ENDS_MEETING } from './step.ts';

export const conference = defineStep({
  verb: 'conference',
  occupies: 'conference',
  givesWay: { to: ENDS_MEETING, outcomes: ['left'] },
  outcomes: () => ['left', 'ended', 'full', 'error'],
  success: 'left',
  setbacks: ['full'],
  waits: true,
  media: true,
  needsCall: true,
  prompts: ['/music', '/join_sound'],
  async *run(context) {
    const args = isObject(context.input) ? context.input : { name: context.input };
    const conferenceId = text(args['conference_id']);
    yield* openLine(context);
    const met = yield* meet(context, {
      kind: 'conference',
      name: text(args['name'], conferenceId),
      options: optionsOf(args),
      muted: flag(args['muted'], false),
      music: await musicOf(context, args['music']),
      greeting: args['join_sound'] === undefined ? [] : await context.prompt(args['join_sound']),
      leaveKey: text(args['leave_key']),
      onJoined() {
        if (args['record'] !== true) return;
        const started = context.background.startRecording({ maxLengthMs: LONGEST_RECORDING_MS });
        if ('fault' in started) context.log('warn', 'the conference is not recorded', { code: started.fault.code });
      },
    });
    const result = { conference_id: met.placeId, duration: met.durationS };
    return { outcome: met.how === 'denied' ? 'ended' : met.how, result };
  },
});

/** What the place is told of its visitor. */
function optionsOf(args: JsonObject): JsonObject {
  const names = ['conference_id', 'muted', 'moderator', 'wait_for_moderator', 'end_on_exit', 'max_members', 'record'];
  return Object.fromEntries(names.flatMap((name) => (args[name] === undefined ? [] : [[name, args[name]]])));
}
