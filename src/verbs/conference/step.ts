import type { JsonObject } from '../../base/core/json.ts';
import { musicOf } from '../../language/steps/conversation.ts';
import { attendMeeting } from '../../language/steps/meeting.ts';
import { ensureAnswered } from '../../language/steps/playback.ts';
import { defineStep } from '../../language/steps/step.ts';
import type { ConferenceArgs, ConferenceOutcome } from '../../language/steps/verb-types.ts';

export const step = defineStep<ConferenceArgs, ConferenceOutcome>({
  verb: 'conference',
  async *run(context) {
    const { input } = context;
    yield* ensureAnswered(context);
    const { how, meetingId, durationS } = yield* attendMeeting(context, {
      kind: 'conference',
      name: input.name ?? input.conference_id ?? '',
      options: memberOptions(input),
      muted: input.muted,
      music: await musicOf(context, input.music),
      musicAlone: true,
      words: { joined: await context.prompt(input.join_sound ?? []) },
      keys: { leave: input.leave_key ?? '' },
      onJoined() {
        if (!input.record) return;
        const started = context.background({ type: 'recording', action: 'start' });
        if ('fault' in started) context.log('warn', 'the conference is not recorded', { code: started.fault.code });
      },
    });
    return { outcome: how === 'denied' ? 'ended' : how, result: { conference_id: meetingId, duration: durationS } };
  },
});

/** Options of the member for the conference; arguments that are not set are left out. */
function memberOptions(input: ConferenceArgs): JsonObject {
  const { conference_id, muted, moderator, wait_for_moderator, end_on_exit, max_members, record } = input;
  const options = { conference_id, muted, moderator, wait_for_moderator, end_on_exit, max_members, record };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as JsonObject;
}
