/**
 * Who is called, where several share a number: the caller is let in, asked for a pin, and passed on to the one whose pin
 * it is, on the same line. Nobody owns the call before that, so there is no run of it and nothing in any journal.
 * Neighbours: `receive-call.ts` sends callers here and takes them from here; `app.ts` brings what their lines tell.
 *
 * Invariants
 *  W1 what a line tells is the reception's until the pin fits or the line has ended, and the call's from then on;
 *  W2 what was pressed is in no log and in no answer: who guesses learns that it was wrong, and nothing more;
 *  W3 who was wrong in several calls within a minute is refused before anything is asked; calls that were let in before
 *     that are sent away unless they were among those;
 *  W4 a pin is looked at when it is its turn (`guesses.ts`): at a number that is guessed at, callers may have to wait.
 */

import { CALL_REJECTED, type Cause, NORMAL_CLEARING, TEMPORARY_FAILURE } from '../core/causes.ts';
import type { Timer } from '../core/clock.ts';
import { defined } from '../core/json.ts';
import type { LegEvent } from '../core/leg.ts';
import type { IncomingLeg } from '../telephony/engine.ts';
import type { CallParts } from './call-parts.ts';
import type { ProvisionedNumber } from './numbers.ts';
import { createGuesses, type Turn } from './pin-attempts.ts';
import { audioOf, namedPrompt, spokenPrompt } from './prompts.ts';
import { rejectCall, startInboundCall } from './receive-call.ts';

export interface Reception {
  ask(leg: IncomingLeg, sharers: readonly ProvisionedNumber[]): void;
  /** Whether the line is one of a caller who is here. */
  event(legId: string, event: LegEvent): boolean;
  /** Callers who are here. */
  readonly guests: number;
  /** Sends them away. */
  close(): void;
}

const FIRST_DIGIT_MS = 10_000;
const NEXT_DIGIT_MS = 4000;
const MOST_ATTEMPTS = 3;
/** No pin is longer; what is pressed after that only makes it wrong. */
const LONGEST_PIN = 12;
const END = '#';
/** Digits pressed too early that are kept. */
const MOST_AHEAD = 64;
/** For a pin to be looked at, where a number is guessed at. */
const LONGEST_WAIT_MS = 60_000;
/** Until then the goodbye was heard, or never will be. */
const GOODBYE_MS = 20_000;
/** SIP: decline (RFC 3261 §21.6.2). */
const DECLINED = 603;

/** What is said, unless `prompts` has something of this name. */
const SAYINGS = {
  'shared-number': 'Please enter the number of your party, followed by the hash key.',
  'shared-number-wrong': 'There is no party with this number.',
  'shared-number-wait': 'One moment, please.',
  'shared-number-goodbye': 'Goodbye.',
} as const;
type Saying = keyof typeof SAYINGS;

type DigitEvent = Extract<LegEvent, { type: 'digit' }>;

interface Guest {
  leg: IncomingLeg;
  sharers: readonly ProvisionedNumber[];
  /** `arriving`: the answer was not acknowledged; `waiting`: for its turn; `leaving`: hears the goodbye. */
  state: 'arriving' | 'asked' | 'waiting' | 'leaving';
  /** Pressed while it arrived: its line is not to be used before that. */
  ahead: DigitEvent[];
  pressed: string;
  attempts: number;
  /** Was wrong in this call. */
  guessed: boolean;
  turn?: Turn | undefined;
  playId?: string | undefined;
  timer?: Timer | undefined;
}

export function createReception(parts: CallParts): Reception {
  const { clock, engine, ids, log } = parts;
  const guests = new Map<string, Guest>();
  const guesses = createGuesses(clock);

  const tell = (message: string, { leg: { from, to, remote } }: Guest, why?: string): void =>
    log.info(message, defined({ from, to, remote, why }));

  function say(guest: Guest, ...sayings: Saying[]): void {
    guest.playId = ids.next('play');
    const audio = sayings.map((name) => {
      return audioOf(
        namedPrompt(parts.prompts(), name, undefined) ?? spokenPrompt(SAYINGS[name], undefined, undefined),
      );
    });
    engine.send(guest.leg.legId, { type: 'play', playId: guest.playId, audio });
  }

  function hush(guest: Guest): void {
    if (guest.playId !== undefined) engine.send(guest.leg.legId, { type: 'stop_play', playId: guest.playId });
    guest.playId = undefined;
  }

  function within(guest: Guest, ms: number, act: () => void): void {
    guest.timer?.cancel();
    guest.timer = clock.after(ms, act);
  }

  function ask(guest: Guest, ...first: Saying[]): void {
    guest.state = 'asked';
    say(guest, ...first, 'shared-number');
  }

  function dismiss(guest: Guest, why: string): void {
    tell('call.refused', guest, why);
    guest.turn?.cancel();
    guest.state = 'leaving';
    hush(guest);
    say(guest, 'shared-number-goodbye');
    within(guest, GOODBYE_MS, () => hangUp(guest, NORMAL_CLEARING));
  }

  /** Its last event still comes, and is nobody's then. */
  function hangUp(guest: Guest, cause: Cause): void {
    forget(guest);
    engine.send(guest.leg.legId, { type: 'hangup', cause: cause.code });
  }

  function forget(guest: Guest): void {
    guest.timer?.cancel();
    guest.turn?.cancel();
    guests.delete(guest.leg.legId);
  }

  /** What was pressed is all there will be: a pin, or nothing. */
  function judge(guest: Guest): void {
    const { leg, pressed } = guest;
    guest.timer?.cancel();
    guest.pressed = '';
    guest.attempts++;
    if (guesses.isSuspect(leg) && !guest.guessed) {
      dismiss(guest, 'too many wrong pins');
      return;
    }
    hush(guest);
    if (pressed === '') {
      if (guest.attempts >= MOST_ATTEMPTS) dismiss(guest, guest.guessed ? 'no such pin' : 'no pin');
      else ask(guest);
      return;
    }
    guest.state = 'waiting';
    guest.turn = guesses.turn(leg, () => isRight(guest, pressed));
    if (!guest.turn.waits) return;
    say(guest, 'shared-number-wait');
    within(guest, LONGEST_WAIT_MS, () => dismiss(guest, 'too many wrong pins at this number'));
  }

  /** Its turn has come. */
  function isRight(guest: Guest, pressed: string): boolean {
    const { leg, sharers } = guest;
    guest.timer?.cancel();
    hush(guest);
    const found = sharers.find(({ pin }) => pin === pressed);
    if (found) {
      forget(guest);
      startInboundCall(leg, found, parts, true);
      return true;
    }
    if (!guest.guessed) {
      guest.guessed = true;
      guesses.add(leg);
    }
    if (guest.attempts >= MOST_ATTEMPTS) dismiss(guest, 'no such pin');
    else ask(guest, 'shared-number-wrong');
    return false;
  }

  function onDigit(guest: Guest, digit: string): void {
    if (guest.state === 'leaving' || guest.state === 'waiting') return;
    if (digit !== END) guest.pressed = (guest.pressed + digit).slice(0, LONGEST_PIN + 1);
    hush(guest);
    if (digit === END) judge(guest);
    else within(guest, NEXT_DIGIT_MS, () => judge(guest));
  }

  function onArrived(guest: Guest): void {
    if (guest.state !== 'arriving') return;
    guest.state = 'asked';
    // Who pressed before the question knows it.
    if (guest.ahead.length === 0) ask(guest);
    for (const event of guest.ahead.splice(0)) {
      if (guests.has(guest.leg.legId)) onDigit(guest, event.digit);
      else parts.supervisor.legEvent(guest.leg.legId, event);
    }
  }

  function onPlayEnded(guest: Guest, playId: string): void {
    if (playId !== guest.playId) return;
    guest.playId = undefined;
    if (guest.state === 'leaving') hangUp(guest, NORMAL_CLEARING);
    else if (guest.state === 'asked') within(guest, FIRST_DIGIT_MS, () => judge(guest));
  }

  function onEvent(guest: Guest, event: LegEvent): void {
    switch (event.type) {
      case 'answered':
        onArrived(guest);
        return;
      case 'digit':
        if (guest.state !== 'arriving') onDigit(guest, event.digit);
        else if (guest.ahead.length < MOST_AHEAD) guest.ahead.push(event);
        return;
      case 'play_ended':
        onPlayEnded(guest, event.playId);
        return;
      case 'referred':
        engine.send(guest.leg.legId, { type: 'refer_progress', referId: event.referId, sipStatus: DECLINED });
        return;
      case 'ended':
        forget(guest);
        if (guest.state !== 'leaving') tell('call.gone_before_pin', guest);
        return;
    }
  }

  return {
    ask(leg, sharers) {
      if (guesses.isSuspect(leg)) {
        rejectCall(leg, CALL_REJECTED, 'too many wrong pins', parts);
        return;
      }
      guests.set(leg.legId, { leg, sharers, state: 'arriving', ahead: [], pressed: '', attempts: 0, guessed: false });
      engine.send(leg.legId, { type: 'answer' });
    },
    event(legId, event) {
      const guest = guests.get(legId);
      if (guest) onEvent(guest, event);
      return guest !== undefined;
    },
    get guests() {
      return guests.size;
    },
    close() {
      for (const guest of guests.values()) hangUp(guest, TEMPORARY_FAILURE);
    },
  };
}
