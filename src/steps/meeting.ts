/**
 * Being where several calls meet: in the mix that the place names, with music while one is alone or waits. Shared by
 * `conference` and `join_room`.
 *
 * Invariants
 *  M1 the caller is in the mix from the first `joined` until the step is left, and hears one thing at a time: what is
 *     said on entering, then music while nobody else is there, then the others;
 *  M2 what was pressed inside is for nobody after it.
 */
import type { Json, JsonObject } from '../core/json.ts';
import type { AudioItem } from '../core/leg.ts';
import type { StepContext, StepEvent, VenueKind, Wait } from './step.ts';
import { flagIn, numberIn, textIn, type VenueEvent } from './venue-event.ts';

export interface MeetingOptions {
  kind: Extract<VenueKind, 'conference' | 'room'>;
  name: string;
  options: JsonObject;
  muted: boolean;
  /** While alone, or waiting; empty: silence. */
  music: readonly AudioItem[];
  /** Heard on entering. */
  greeting: readonly AudioItem[];
  leaveKey: string;
  onJoined?(): void;
}

export interface MeetingResult {
  /** In the words of the place, or `left` when the caller pressed the key. */
  how: 'left' | 'ended' | 'full' | 'denied';
  data: Json;
  durationS: number;
  /** Id of the place, where it was entered. */
  meetingId: string;
}

export async function* attendMeeting(
  context: StepContext,
  options: MeetingOptions,
): AsyncGenerator<Wait, MeetingResult, StepEvent> {
  const { leg } = context;
  const { leaveKey, kind } = options;
  const ticket = context.enterVenue(kind, options.name, options.options);
  const meeting = new Meeting(context, options);
  for (;;) {
    const event = yield leaveKey === '' ? {} : { digits: { claims: leaveKey } };
    if (event.type === 'digit' && event.digit === leaveKey) return over('left', null);
    if (event.type === 'play_ended') meeting.onPlayEnded(event.playId);
    if (event.type !== 'venue' || event.ticket !== ticket) continue;
    const { name, data } = event;
    if (name === 'ended' || name === 'full' || name === 'denied') return over(name, data);
    meeting.onEvent(event);
  }

  function over(how: MeetingResult['how'], data: Json): MeetingResult {
    meeting.leave();
    context.exitVenue(ticket);
    leg.takeTypedAhead();
    return { how, data, durationS: meeting.durationS, meetingId: meeting.meetingId };
  }
}

class Meeting {
  meetingId = '';
  readonly #context: StepContext;
  readonly #options: MeetingOptions;
  #joinedMs: number | undefined;
  #isAlone = false;
  #greetingId: string | undefined;
  #musicId: string | undefined;

  constructor(context: StepContext, options: MeetingOptions) {
    this.#context = context;
    this.#options = options;
  }

  get durationS(): number {
    return this.#joinedMs === undefined ? 0 : Math.round((this.#context.now() - this.#joinedMs) / 1000);
  }

  onEvent({ name, data }: VenueEvent): void {
    const { leg } = this.#context;
    switch (name) {
      case 'waiting':
        this.#isAlone = true;
        break;
      case 'joined':
        this.#joined(data);
        break;
      case 'members':
        this.#isAlone = this.#joinedMs === undefined || numberIn(data, 'members') < 2;
        break;
      case 'muted':
        leg.send({ type: 'mute', muted: flagIn(data, 'muted') });
        break;
      case 'held':
        if (flagIn(data, 'hold')) leg.send({ type: 'hold', music: [...this.#options.music] });
        else leg.send({ type: 'resume' });
    }
    this.#sound();
  }

  onPlayEnded(playId: string): void {
    if (playId !== this.#greetingId) return;
    this.#greetingId = undefined;
    this.#sound();
  }

  leave(): void {
    if (this.#greetingId !== undefined) this.#context.leg.stopPlay(this.#greetingId);
    this.#isAlone = false;
    this.#greetingId = undefined;
    this.#sound();
    if (this.#joinedMs !== undefined) this.#context.leg.send({ type: 'leave' });
  }

  #joined(data: Json): void {
    const { leg } = this.#context;
    const { muted, greeting, onJoined, kind } = this.#options;
    if (this.#joinedMs !== undefined) return;
    this.#joinedMs = this.#context.now();
    this.meetingId = textIn(data, `${kind}_id`);
    this.#isAlone = numberIn(data, 'members') < 2;
    leg.send({ type: 'join', mixId: textIn(data, 'mix_id'), ...(muted ? { muted } : {}) });
    if (greeting.length > 0) {
      this.#stopMusic();
      this.#greetingId = leg.play([...greeting]);
    }
    onJoined?.();
  }

  #sound(): void {
    const { music } = this.#options;
    if (!this.#isAlone || this.#greetingId !== undefined) this.#stopMusic();
    else if (music.length > 0) this.#musicId ??= this.#context.leg.play([...music], { repeat: true });
  }

  #stopMusic(): void {
    if (this.#musicId !== undefined) this.#context.leg.stopPlay(this.#musicId);
    this.#musicId = undefined;
  }
}
