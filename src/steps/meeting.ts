/**
 * Taking part where several calls meet: in the mix that the conference or the room names, with music while the caller is
 * alone or waits. Shared by `conference` and `join_room`.
 *
 * Invariants
 *  M1 the caller is in the mix from the first `joined` until the step is left, and hears one thing at a time: what is
 *     said on entering, then music while nobody else is there, then the others;
 *  M2 what was pressed inside is for nobody after it.
 */
import type { JsonObject } from '../core/json.ts';
import type { AudioItem } from '../core/leg.ts';
import type { VenueKind } from '../core/venue-kind.ts';
import { mapIn } from './arguments.ts';
import { Sound } from './playback.ts';
import type { StepContext, Waiting } from './step.ts';

export interface MeetingOptions {
  kind: Extract<VenueKind, 'conference' | 'room'>;
  name: string;
  options: JsonObject;
  muted?: boolean;
  /** While alone, or waiting; empty: silence. */
  music?: readonly AudioItem[];
  /** Heard on entering. */
  greeting?: readonly AudioItem[];
  leaveKey?: string;
  onJoined?(): void;
}

export interface MeetingResult {
  /** As the conference or the room says it, or `left` when the caller pressed the key. */
  how: 'left' | 'ended' | 'full' | 'denied';
  data: JsonObject;
  durationS: number;
  /** Of the conference or the room, where it was entered. */
  meetingId: string;
}

export async function* attendMeeting(
  context: StepContext,
  { kind, name, options, muted = false, music = [], greeting = [], leaveKey = '', onJoined }: MeetingOptions,
): Waiting<MeetingResult> {
  const { leg } = context;
  const memberId = context.enterVenue(kind, name, options);
  const sound = new Sound(leg, music);
  let meetingId = '';
  let mixId = '';
  let isMuted = muted;
  let joinedMs: number | undefined;
  let isAlone = false;
  let greetingId: string | undefined;
  const playMusic = (): void => {
    if (isAlone && greetingId === undefined) sound.start();
    else sound.stop();
  };
  /** Nodes of a cluster that could not see each other may have had two of one name: who was in the other one comes over. */
  const moveTo = (data: JsonObject): void => {
    meetingId = String(data[`${kind}_id`] ?? '');
    if (mixId === data['mix_id']) return;
    mixId = String(data['mix_id']);
    leg.send({ type: 'join', mixId, ...(isMuted && { muted: isMuted }) });
  };
  const join = (data: JsonObject): void => {
    joinedMs = context.now();
    moveTo(data);
    if (greeting.length > 0) {
      sound.stop();
      greetingId = leg.play([...greeting]);
    }
    onJoined?.();
  };
  const leave = (how: MeetingResult['how'], data: JsonObject): MeetingResult => {
    if (greetingId !== undefined) leg.stopPlay(greetingId);
    sound.stop();
    if (joinedMs !== undefined) leg.send({ type: 'leave' });
    context.exitVenue(memberId);
    leg.takeTypedAhead();
    const durationS = joinedMs === undefined ? 0 : Math.round((context.now() - joinedMs) / 1000);
    return { how, data, durationS, meetingId };
  };
  for (;;) {
    const event = yield leaveKey === '' ? {} : { digits: { claims: leaveKey } };
    if (event.type === 'digit' && event.digit === leaveKey) return leave('left', {});
    if (event.type === 'play_ended' && event.playId === greetingId) greetingId = undefined;
    else if (event.type !== 'venue' || event.ticket !== memberId) continue;
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
          isAlone = true;
          break;
        case 'joined':
          isAlone = isFew;
          if (joinedMs === undefined) join(data);
          else moveTo(data);
          break;
        case 'members':
          isAlone = joinedMs === undefined || isFew;
          break;
        case 'muted':
          isMuted = data['muted'] === true;
          leg.send({ type: 'mute', muted: isMuted });
          break;
        case 'held':
          if (data['hold'] === true) leg.send({ type: 'hold', music: [...music] });
          else leg.send({ type: 'resume' });
      }
    }
    playMusic();
  }
}
