/**
 * Participation of a caller in a conference or room: joins the mix that the venue names, and plays music while the
 * caller is alone or waits. Shared by `conference` and `join_room`.
 *
 * Invariants
 *  M1 the caller is in the mix from the first `joined` until the step is left, and hears one source at a time: the
 *     announcement on joining, then music while no other member is present, then the other members;
 *  M2 digits pressed in the meeting are discarded and never reach the next step.
 *
 * Events of earlier versions lack `for` (reason of the wait) and `by` (cause of the mute): a replay of such calls makes
 * no announcement for them.
 */
import type { JsonObject } from '../../base/core/json.ts';
import type { AudioItem } from '../../base/core/leg.ts';
import type { VenueKind } from '../../base/core/venue-kind.ts';
import { mapIn } from './arguments.ts';
import { KeySequences, type MeetingKeys } from './meeting-keys.ts';
import { Sound } from './playback.ts';
import type { StepContext, Waiting } from './step.ts';

export interface MeetingOptions {
  kind: Extract<VenueKind, 'conference' | 'room'>;
  name: string;
  options: JsonObject;
  muted?: boolean;
  /** Music during the wait and, with `musicAlone`, while no other member is present; silence if empty. */
  music?: readonly AudioItem[];
  musicAlone?: boolean;
  /** Announcements by event. */
  words?: Partial<Record<MeetingWord, readonly AudioItem[]>>;
  keys?: MeetingKeys;
  onJoined?(): void;
}

export type MeetingWord =
  | 'waiting_moderator'
  | 'waiting_admission'
  | 'joined'
  | 'listening'
  | 'muted'
  | 'unmuted'
  | 'locked'
  | 'hand_raised'
  | 'hand_lowered';

export interface MeetingResult {
  /** Reason given by the venue; `left` also if the caller pressed the key to leave. */
  how: 'left' | 'ended' | 'full' | 'denied';
  data: JsonObject;
  durationS: number;
  /** Id of the conference or room; empty if the caller did not join it. */
  meetingId: string;
}

export async function* attendMeeting(
  context: StepContext,
  {
    kind,
    name,
    options,
    muted = false,
    music = [],
    musicAlone = false,
    words = {},
    keys = {},
    onJoined,
  }: MeetingOptions,
): Waiting<MeetingResult> {
  const { leg } = context;
  const memberId = context.enterVenue(kind, name, options);
  const sound = new Sound(leg, music);
  let meetingId = '';
  let mixId = '';
  let isMuted = muted;
  let joinedMs: number | undefined;
  let isAlone = false;
  const sequences = new KeySequences(keys, () => context.now());
  /** Play id of the current announcement; music continues afterwards. */
  let spokenId: string | undefined;
  const playMusic = (): void => {
    if (isAlone && spokenId === undefined) sound.start();
    else sound.stop();
  };
  /** Plays an announcement; it replaces the current one. */
  const say = (word: MeetingWord): void => {
    const audio = words[word] ?? [];
    if (audio.length === 0) return;
    if (spokenId !== undefined) leg.stopPlay(spokenId);
    sound.stop();
    spokenId = leg.play([...audio]);
  };
  /** Follows the venue to another mix. After a network partition two nodes may have had a venue of the same name. */
  const moveTo = (data: JsonObject): void => {
    meetingId = String(data[`${kind}_id`] ?? '');
    if (mixId === data['mix_id']) return;
    mixId = String(data['mix_id']);
    leg.send({ type: 'join', mixId, ...(isMuted && { muted: isMuted }) });
  };
  const join = (data: JsonObject): void => {
    joinedMs = context.now();
    moveTo(data);
    if (kind === 'conference' || data['may_talk'] !== undefined) say('joined');
    onJoined?.();
  };
  const leave = (how: MeetingResult['how'], data: JsonObject): MeetingResult => {
    if (spokenId !== undefined) leg.stopPlay(spokenId);
    sound.stop();
    if (joinedMs !== undefined) leg.send({ type: 'leave' });
    context.exitVenue(memberId);
    leg.takeTypedAhead();
    const durationS = joinedMs === undefined ? 0 : Math.round((context.now() - joinedMs) / 1000);
    return { how, data, durationS, meetingId };
  };
  for (;;) {
    const { claims } = sequences;
    const event = yield claims === '' ? {} : { digits: { claims } };
    const key = event.type === 'digit' ? sequences.press(event.digit) : undefined;
    if (key === 'leave') return leave('left', {});
    if (key === 'mute') context.sendToVenue(memberId, 'mute', { muted: !isMuted });
    if (key === 'hand') context.sendToVenue(memberId, 'hand', null);
    if (event.type === 'play_ended' && event.playId === spokenId) spokenId = undefined;
    else if (event.type !== 'venue' || event.memberId !== memberId) continue;
    else {
      const data = mapIn(event.data);
      const isFew = Number(data['members'] ?? 0) < 2;
      switch (event.name) {
        case 'removed':
          return leave('left', data);
        case 'ended':
        case 'full':
        case 'denied':
          return leave(event.name, data);
        case 'waiting':
          isAlone = kind === 'conference' || data['for'] !== undefined;
          if (data['for'] !== undefined) say(data['for'] === 'admission' ? 'waiting_admission' : 'waiting_moderator');
          break;
        case 'joined':
          isAlone = musicAlone && isFew;
          if (joinedMs === undefined) join(data);
          else moveTo(data);
          break;
        case 'members':
          isAlone = joinedMs === undefined ? isAlone : musicAlone && isFew;
          break;
        case 'muted':
          isMuted = data['muted'] === true;
          leg.send({ type: 'mute', muted: isMuted });
          if (data['by'] !== undefined) say(!isMuted ? 'unmuted' : data['by'] === 'role' ? 'listening' : 'muted');
          break;
        case 'refused':
          say(data['by'] === 'role' ? 'listening' : 'locked');
          break;
        case 'hand':
          say(data['raised'] === true ? 'hand_raised' : 'hand_lowered');
          break;
        case 'held':
          if (data['hold'] === true) leg.send({ type: 'hold', music: [...music] });
          else leg.send({ type: 'resume' });
      }
    }
    playMusic();
  }
}
