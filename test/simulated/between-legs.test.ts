/** Simulated lines among themselves, to the millisecond: what is heard, understood, streamed and passed on. */
import { beforeEach, describe, expect, it } from 'vitest';
import { countingIds } from '../../src/base/core/ids.ts';
import type { LegCommand, LegEvent } from '../../src/base/core/leg.ts';
import { SimulatedEngine } from '../../src/media/telephony/simulated/engine.ts';
import type { CalleePlan, FarEnd, Notice } from '../../src/media/telephony/simulated/far-end.ts';
import { silentAudio } from '../../src/proof/testkit/silent-audio.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { detect, join, listen, play, stream } from '../contracts/engine/engine-case.ts';

let clock: VirtualClock;
let engine: SimulatedEngine;
/** Events of each leg with their time. */
let told: Map<string, { atMs: number; event: LegEvent }[]>;
let dialled: FarEnd[];

const MUSIC = [{ type: 'tone', frequencyHz: 440, durationMs: 100, name: 'music' } as const];
const send = (farEnd: FarEnd, ...commands: LegCommand[]): void => {
  for (const command of commands) engine.send(farEnd.legId, command);
};
const eventsOf = <Type extends LegEvent['type']>(farEnd: FarEnd, type: Type) =>
  (told.get(farEnd.legId) ?? []).flatMap(({ atMs, event }) =>
    event.type === type ? [{ atMs, ...(event as Extract<LegEvent, { type: Type }>) }] : [],
  );
const noticesOf = (farEnd: FarEnd): Notice[] => {
  const notices: Notice[] = [];
  farEnd.observe((notice) => notices.push(notice));
  return notices;
};

async function connected(): Promise<FarEnd> {
  const farEnd = engine.call({ from: 'a', to: 'b' });
  await clock.advance(0);
  send(farEnd, { type: 'answer' });
  await clock.advance(0);
  return farEnd;
}

async function called(plan: CalleePlan): Promise<FarEnd> {
  plans.push(plan);
  engine.dial({ legId: `out-${plans.length}`, from: 'a', to: 'c', ringTimeoutMs: 30_000 });
  await clock.advance(0);
  return dialled.at(-1)!;
}
let plans: CalleePlan[];

beforeEach(async () => {
  clock = new VirtualClock(0);
  told = new Map();
  dialled = [];
  plans = [];
  engine = new SimulatedEngine({
    clock,
    ids: countingIds(),
    audio: silentAudio(),
    callee: () => plans.at(-1)!,
    dialled: (farEnd) => dialled.push(farEnd),
  });
  await engine.start({
    incoming: () => undefined,
    event: (legId, event) => told.set(legId, [...(told.get(legId) ?? []), { atMs: clock.now(), event }]),
  });
});

describe('the audible parties', () => {
  it('are those in the same mix', async () => {
    const [one, other] = [await connected(), await connected()];
    send(one, join('m'));
    send(other, join('m'));
    const notices = noticesOf(one);
    expect(one.company).toEqual([other]);
    other.say('good morning', { durationMs: 800 });
    expect(notices).toContainEqual({ type: 'speech', of: other, durationMs: 800, text: 'good morning' });
    other.hangUp();
    expect(one.company).toEqual([]);
    expect(notices).toContainEqual({ type: 'company', hears: [] });
  });

  it("are covered by a play, by hold music, and by the party's own hold", async () => {
    const [one, other] = [await connected(), await connected()];
    for (const farEnd of [one, other]) send(farEnd, join('m'));
    send(one, play('p', [{ type: 'silence', durationMs: 300 }]));
    expect([one.company, other.company]).toEqual([[], [one]]);
    await clock.advance(300);
    expect(one.company).toEqual([other]);
    send(one, { type: 'hold', music: [...MUSIC] });
    expect([one.company, other.company, one.isHeld]).toEqual([[], [], true]);
    send(one, { type: 'resume' });
    expect([one.company, other.company]).toEqual([[other], [one]]);
    one.hold(true);
    expect([one.company, other.company, one.holdsUs]).toEqual([[], [], true]);
    one.hold(false);
    expect(one.company).toEqual([other]);
    await clock.advance(0);
    expect(eventsOf(one, 'far_hold')).toMatchObject([{ held: true }, { held: false }]);
  });

  it('pauses for hold music, which loops, stops for a prompt, and begins again', async () => {
    const one = await connected();
    send(one, { type: 'hold', music: [...MUSIC] });
    await clock.advance(250);
    send(one, play('p', [{ type: 'tone', frequencyHz: 1, durationMs: 100, name: 'prompt' }]));
    await clock.advance(150);
    send(one, { type: 'resume' });
    await clock.advance(1_000);
    expect(one.heard.map(({ item, fromMs, toMs }) => `${item.name} ${fromMs}-${toMs}`)).toEqual([
      'music 0-100',
      'music 100-200',
      'music 200-250',
      'prompt 250-350',
      'music 350-400',
    ]);
  });

  it('are logged with their times', async () => {
    const [one, other] = [await connected(), await connected()];
    for (const farEnd of [one, other]) send(farEnd, join('m'));
    await clock.advance(500);
    send(other, { type: 'leave' });
    await clock.advance(100);
    send(other, join('m'));
    expect(one.talks).toEqual([
      { with: [other], fromMs: 0, toMs: 500 },
      { with: [other], fromMs: 600 },
    ]);
  });

  it('includes a callee in early media', async () => {
    const one = await connected();
    const callee = await called({ does: 'answer', ringsAfterMs: 500, earlyMediaAfterMs: 200, afterMs: 900 });
    send(one, join('m'));
    send(callee, join('m'));
    await clock.advance(300);
    expect([one.company, callee.company]).toEqual([[callee], []]);
    await clock.advance(600);
    expect(callee.company).toEqual([one]);
    expect(told.get(callee.legId)!.map(({ atMs, event }) => `${atMs} ${event.type}`)).toEqual([
      '200 ringing',
      '200 early_media',
      '900 answered',
    ]);
  });
});

describe('a recogniser', () => {
  it('reports the beginning of speech at once, and the words after the silence', async () => {
    const one = await connected();
    send(one, listen('l', { endSilenceMs: 400 }));
    expect(one.listening).toBe('waits');
    await clock.advance(100);
    one.say('Billing!', { durationMs: 600, confidence: 0.8 });
    expect(one.listening).toBe('hears');
    await clock.advance(2_000);
    expect(one.listening).toBe('none');
    expect(eventsOf(one, 'speech_started')).toMatchObject([{ atMs: 100 }]);
    expect(eventsOf(one, 'listen_ended')).toMatchObject([
      { atMs: 1_100, reason: 'recognized', text: 'billing', confidence: 0.8 },
    ]);
  });

  it.each([
    ['free speech', { hints: [] }, 'Whatever I say', 'recognized', 'Whatever I say'],
    ['digits in words', { grammar: 'digits' as const }, 'four seven one one', 'recognized', '4711'],
    ['digits in figures', { grammar: 'digits' as const }, '47 11', 'recognized', '4711'],
    ['no digits', { grammar: 'digits' as const }, 'four of them', 'no_match', 'four of them'],
    ['a yes', { grammar: 'yes_no' as const }, 'Yes, please.', 'recognized', 'yes'],
    ['neither yes nor no', { grammar: 'yes_no' as const }, 'perhaps', 'no_match', 'perhaps'],
  ])('recognises in spoken words %s', async (_what, wishes, said, reason, text) => {
    const one = await connected();
    send(one, listen('l', wishes));
    one.say(said);
    await clock.advance(10_000);
    expect(eventsOf(one, 'listen_ended')).toMatchObject([{ reason, text }]);
  });

  it('decides at its time limit, on what was said so far', async () => {
    const one = await connected();
    send(one, listen('l', { hints: [], maxLengthMs: 1_000 }));
    one.say('one two three four', { durationMs: 2_000 });
    await clock.advance(5_000);
    expect(eventsOf(one, 'listen_ended')).toMatchObject([{ atMs: 1_000, reason: 'recognized', text: 'one two' }]);
  });

  it('reports `no_match` for low confidence and for noise', async () => {
    const one = await connected();
    send(one, listen('l'));
    one.say('billing', { confidence: 0.2 });
    await clock.advance(5_000);
    send(one, listen('m'));
    one.speak(300);
    await clock.advance(5_000);
    expect(eventsOf(one, 'listen_ended')).toMatchObject([
      { listenId: 'l', reason: 'no_match', text: 'billing', confidence: 0.2 },
      { listenId: 'm', reason: 'no_match' },
    ]);
  });

  it('transcribes both sides, and a final utterance when it is stopped', async () => {
    const [one, other] = [await connected(), await connected()];
    for (const farEnd of [one, other]) send(farEnd, join('m'));
    const free = { hints: [], continuous: true };
    send(one, listen('in', free), listen('out', { ...free, track: 'outbound' }));
    one.say('hello', { durationMs: 500 });
    other.say('good morning', { durationMs: 500 });
    await clock.advance(600);
    send(one, { type: 'stop_listen', listenId: 'in' }, { type: 'stop_listen', listenId: 'out' });
    await clock.advance(0);
    expect(eventsOf(one, 'utterance')).toMatchObject([
      { listenId: 'in', text: 'hello', fromMs: 0, toMs: 500 },
      { listenId: 'out', text: 'good morning', fromMs: 0, toMs: 500 },
    ]);
  });
});

describe('a stream', () => {
  it("counts frames of each track, and plays its receiver's audio", async () => {
    const one = await connected();
    send(one, stream('s', 'wss://x/', { tracks: ['inbound', 'outbound'], bidirectional: true }));
    await clock.advance(1_000);
    const [sink] = one.streams;
    expect(sink).toMatchObject({ state: 'open', frames: 100, url: 'wss://x/' });
    sink!.send({ type: 'tone', frequencyHz: 1, durationMs: 200, name: 'answer' });
    await clock.advance(500);
    expect(one.heard).toMatchObject([{ playId: 's', fromMs: 1_000, toMs: 1_200 }]);
    sink!.close();
    await clock.advance(100);
    expect(sink).toMatchObject({ state: 'closed', frames: 150 });
    expect(eventsOf(one, 'stream_ended')).toMatchObject([{ atMs: 1_500, reason: 'far' }]);
  });

  it('does not play over a prompt, nor if it is one-way', async () => {
    const one = await connected();
    send(one, stream('s'), play('p', [{ type: 'silence', durationMs: 100 }]));
    await clock.advance(10);
    one.streams[0]!.send({ type: 'tone', frequencyHz: 1, durationMs: 200 });
    expect(one.heard.map(({ playId }) => playId)).toEqual(['p']);
  });
});

describe('detection', () => {
  it.each([
    [{ is: 'human' }, 0, 'human', 1_700],
    [{ is: 'machine', greetingMs: 4_000 }, 0, 'machine', 2_000],
    [{ is: 'machine', greetingMs: 4_000, beepAfterMs: 700 }, 10_000, 'beep', 5_000],
    [{ is: 'machine', greetingMs: 4_000 }, 3_000, 'machine', 5_000],
    [{ is: 'fax' }, 0, 'fax', 1_000],
    [{ is: 'silent' }, 0, 'unknown', 5_000],
  ] as const)('detects the callee %j', async (who, awaitBeepMs, result, afterMs) => {
    const callee = await called({ does: 'answer', who });
    send(callee, detect('d', 5_000, awaitBeepMs));
    await clock.advance(20_000);
    expect(eventsOf(callee, 'machine_detected')).toMatchObject([{ atMs: afterMs, result, afterMs }]);
  });
});

describe('a referral', () => {
  it('is accepted, refused, ended by a hang-up, or ignored by the phone', async () => {
    const refer = (referId: string): LegCommand => ({ type: 'refer', referId, to: 'x' });
    const one = await connected();
    one.onRefer({ does: 'accept', afterMs: 100 });
    send(one, refer('a'));
    await clock.advance(1_000);
    one.onRefer({ does: 'refuse', sipStatus: 603 });
    send(one, refer('b'));
    await clock.advance(1_000);
    one.onRefer({ does: 'ignore' });
    send(one, refer('c'));
    await clock.advance(40_000);
    one.onRefer({ does: 'hang_up' });
    send(one, refer('d'));
    await clock.advance(0);
    expect(
      eventsOf(one, 'refer_ended').map(({ referId, sipStatus, atMs }) => `${referId} ${sipStatus} ${atMs}`),
    ).toEqual(['a 200 100', 'b 603 1000', 'c 408 34000', 'd 408 42000']);
    expect(one.state).toBe('ended');
  });

  it('names the leg it replaces, and the phone hangs up when it worked', async () => {
    const [one, other] = [await connected(), await connected()];
    const notices = noticesOf(one);
    one.refer('sip:x', { replaces: other });
    await clock.advance(0);
    const [referred] = eventsOf(one, 'referred');
    expect(referred).toMatchObject({ to: 'sip:x', replacesLegId: other.legId, referredBy: 'a' });
    send(one, { type: 'refer_progress', referId: referred!.referId, sipStatus: 100 });
    await clock.advance(100);
    expect(one.state).toBe('connected');
    send(one, { type: 'refer_progress', referId: referred!.referId, sipStatus: 200 });
    await clock.advance(100);
    expect(one.state).toBe('ended');
    expect(notices.filter(({ type }) => type === 'refer_progress')).toHaveLength(2);
  });
});

it('reports the quality of a leg that carried audio, and of no other', async () => {
  const one = await connected();
  const offered = engine.call({ from: 'a', to: 'b' });
  await clock.advance(2_000);
  one.hangUp();
  offered.hangUp();
  await clock.advance(0);
  expect(eventsOf(one, 'ended')[0]!.quality).toMatchObject({ codec: 'PCMU', packetsSent: 100, packetsLost: 0 });
  expect(eventsOf(offered, 'ended')[0]!.quality).toBeUndefined();
});

it('leaves no timer behind', async () => {
  const lines = [await connected(), await called({ does: 'answer', who: { is: 'machine', greetingMs: 9_000 } })];
  for (const line of lines) {
    send(line, join('m'), { type: 'hold', music: [...MUSIC] }, stream('s'), listen('l'), detect('d'));
    line.say('a long story', { durationMs: 9_000 });
  }
  await clock.advance(50);
  await engine.stop();
  expect(clock.pendingTimers).toBe(0);
});
