import type { Json, JsonObject } from '../../base/core/json.ts';
import type { AudioItem } from '../../base/core/leg.ts';
import { musicOf } from '../../language/steps/conversation.ts';
import { attendMeeting, type MeetingWord } from '../../language/steps/meeting.ts';
import { ensureAnswered } from '../../language/steps/playback.ts';
import { defineStep, type StepContext } from '../../language/steps/step.ts';
import type { JoinRoomArgs, JoinRoomOutcome } from '../../language/steps/verb-types.ts';
import WORDS from './words.json' with { type: 'json' };

/** Name with which the room is found by its PIN. */
const ANY_ROOM = '*';

export const step = defineStep<JoinRoomArgs, JoinRoomOutcome>({
  verb: 'join_room',
  async *run(context) {
    const { from, to, direction } = context.call;
    const caller = String(direction === 'outbound' ? to : from);
    const { input } = context;
    const { room_id: name = ANY_ROOM, pin, display_name = caller } = input;
    yield* ensureAnswered(context);
    const { how, data, meetingId, durationS } = yield* attendMeeting(context, {
      kind: 'room',
      name,
      options: { display_name, ...(pin !== undefined && { pin }) },
      music: await musicOf(context, input.music),
      words: input.announce ? await wordsIn(context) : {},
      keys: { mute: input.mute_key, hand: input.hand_key, leave: input.leave_key },
    });
    if (how === 'denied') return { outcome: how, result: { reason: String(data['reason'] ?? '') } };
    const result: JsonObject = { room_id: meetingId, duration: durationS };
    if (how === 'full') return { outcome: 'ended', result: { ...result, reason: how } };
    return { outcome: how, result };
  },
});

/** Returns the announcements in the language of the call, else in English with an English voice. */
async function wordsIn(
  context: StepContext<JoinRoomArgs>,
): Promise<Partial<Record<MeetingWord, readonly AudioItem[]>>> {
  const language = context.locale.split('-')[0]!.toLowerCase();
  const own = Object.hasOwn(WORDS, language) ? WORDS[language as keyof typeof WORDS] : undefined;
  const spoken = Object.entries(own ?? WORDS.en).map(async ([word, text]): Promise<[string, readonly AudioItem[]]> => {
    const written: Json = own ? { text } : { text, language: 'en-US' };
    return [word, await context.prompt(written)];
  });
  return Object.fromEntries(await Promise.all(spoken));
}
