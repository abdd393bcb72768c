/** A line as a step sees it: what is asked of it belongs to the visit that asks. */
import type { AudioItem, LegCommand } from '../core/leg.ts';
import type { StepLeg, StepLine, StepParty } from '../steps/step.ts';
import { MASK } from './journal.ts';
import type { Line } from './lines.ts';
import type { CallDoor, Visit } from './visit.ts';

type PlayCommand = Extract<LegCommand, { type: 'play' }>;

/** SIP: from here on a status is final (RFC 3261 §7.2). */
const FIRST_FINAL_STATUS = 200;

export function stepParty(line: Line, visit: Visit, call: CallDoor): StepParty {
  return Object.assign(stepLine(line, visit, call), { id: line.legId, to: line.to ?? '' });
}

export function stepLeg(visit: Visit, call: CallDoor): StepLeg {
  const line = call.lines.main;
  const send = (command: LegCommand): void => call.lines.send(line, command, visit.number);
  const own: Omit<StepLeg, keyof StepLine> = {
    id: line.legId,
    direction: call.direction,
    ring: () => send({ type: 'ring' }),
    progress: () => send({ type: 'progress' }),
    answer: () => send({ type: 'answer' }),
    reject: (sipStatus) => send({ type: 'reject', sipStatus }),
    record(options) {
      const recordId = call.nextId('recording');
      const opened = call.recordings.open(recordId);
      if ('fault' in opened) throw Object.assign(new Error(opened.fault.message), opened);
      visit.owe(recordId, { line, stop: { type: 'stop_record', recordId } });
      send({ type: 'record', recordId, file: opened.file, ...options });
      return recordId;
    },
    stopRecord: (recordId) => send({ type: 'stop_record', recordId }),
    takeTypedAhead: () => call.typedAhead.take(),
    putBack: (digits) => call.typedAhead.putBack(digits),
    ignoreNext: (digit, withinMs) => call.typedAhead.ignoreNext(digit, call.nowMs + withinMs),
  };
  return Object.assign(stepLine(line, visit, call), own);
}

function stepLine(line: Line, visit: Visit, call: CallDoor): StepLine {
  const { lines } = call;
  const { sensitive } = visit.step;
  const send = (command: LegCommand, shown = command): void => {
    if (visit.mayUse(line)) lines.send(line, command, visit.number, shown);
  };
  return {
    get state() {
      return line.state;
    },
    hangup: (cause) => send({ type: 'hangup', cause }),
    play(audio, options) {
      const playId = call.nextId('play');
      visit.owe(playId, { line, stop: { type: 'stop_play', playId } });
      const repeated = options?.repeat ? { repeat: true } : {};
      const heard = visit.saysResult ? audio.map(inPrivate) : audio;
      const command: PlayCommand = { type: 'play', playId, audio: heard, ...repeated };
      send(command, visit.saysResult ? withoutWords(command) : command);
      return playId;
    },
    stopPlay(playId) {
      if (visit.settle(playId)) send({ type: 'stop_play', playId });
    },
    sendDigits(digits, toneMs, gapMs) {
      const sendId = call.nextId('send');
      visit.owe(sendId, { line });
      const command: LegCommand = { type: 'send_digits', sendId, digits, toneMs, gapMs };
      send(command, sensitive ? { ...command, digits: MASK } : command);
      return sendId;
    },
    listen(options) {
      const listenId = call.nextId('listen');
      visit.listened = true;
      visit.owe(listenId, { line, stop: { type: 'stop_listen', listenId } });
      send({ type: 'listen', listenId, ...options });
      return listenId;
    },
    stopListen: (listenId) => send({ type: 'stop_listen', listenId }),
    detectMachine(options) {
      const detectId = call.nextId('detect');
      visit.owe(detectId, { line, stop: { type: 'stop_detect', detectId } });
      send({ type: 'detect_machine', detectId, ...options });
      return detectId;
    },
    stopDetect: (detectId) => send({ type: 'stop_detect', detectId }),
    join(mixId, options) {
      visit.joined.add(line);
      send({ type: 'join', mixId, ...(options?.muted ? { muted: true } : {}) });
    },
    leave() {
      if (visit.joined.delete(line)) send({ type: 'leave' });
    },
    mute: (muted) => send({ type: 'mute', muted }),
    hold: (music) => send({ type: 'hold', music }),
    resume() {
      if (line.held) send({ type: 'resume' });
    },
    refer(to, replacesLegId) {
      const referId = call.nextId('refer');
      visit.owe(referId, { line });
      send({ type: 'refer', referId, to, ...(replacesLegId === undefined ? {} : { replacesLegId }) });
      return referId;
    },
    referProgress(referId, sipStatus) {
      if (sipStatus >= FIRST_FINAL_STATUS) visit.referrals.delete(referId);
      send({ type: 'refer_progress', referId, sipStatus });
    },
  };
}

/** Sound that tells what is sensitive is kept nowhere. */
const inPrivate = (item: AudioItem): AudioItem =>
  item.type === 'speech' || item.type === 'ssml' ? { ...item, private: true } : item;

function withoutWords(command: PlayCommand): PlayCommand {
  const audio = command.audio.map((item): AudioItem => {
    if (item.type === 'speech') return { ...item, text: MASK };
    return item.type === 'ssml' ? { ...item, ssml: MASK } : item;
  });
  return { ...command, audio };
}
