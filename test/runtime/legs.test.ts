/** Commands of a step to the leg of the caller other than audio and keys, and which of them are readable later. */
import { describe, expect, it } from 'vitest';
import type { LegEvent } from '../../src/base/core/leg.ts';
import type { StepEvent, StepLeg } from '../../src/language/steps/step.ts';
import { MASK } from '../../src/service/runtime/journal.ts';
import { answered, askedOf, forever, kinds, OWN, type Program, scripted } from './scripted-steps.ts';

const listening = { language: 'en-US', hints: ['yes'], minConfidence: 0.4, endSilenceMs: 700, maxLengthMs: 9_000 };
const quality = {
  codec: 'PCMA',
  packetsSent: 10,
  packetsReceived: 9,
  packetsLost: 1,
  jitterMs: 2,
  mos: 4.1,
};

const asking = (ask: (leg: StepLeg) => void, seen: StepEvent[] = []): Program =>
  async function* ({ leg }) {
    ask(leg);
    return yield* forever(seen);
  };

describe('the main leg', () => {
  it('receives the commands of a step', async () => {
    const call = await scripted({
      first: asking((leg) => {
        expect(leg.id).toBe(OWN);
        leg.send({ type: 'ring' });
        leg.send({ type: 'hold', music: [] });
        leg.send({ type: 'resume' });
        leg.send({ type: 'resume' });
        leg.send({ type: 'join', mixId: 'm', muted: true });
        leg.send({ type: 'mute', muted: false });
        leg.send({ type: 'leave' });
        leg.send({ type: 'leave' });
        leg.request({ type: 'refer', to: 'sip:x', replacesLegId: 'leg-9' });
        leg.send({ type: 'refer_progress', referId: 'r', sipStatus: 180 });
      }),
    });
    expect(call.commands).toEqual([
      { type: 'ring' },
      { type: 'hold', music: [] },
      { type: 'resume' },
      { type: 'join', mixId: 'm', muted: true },
      { type: 'mute', muted: false },
      { type: 'leave' },
      { type: 'refer', referId: 'refer-1', to: 'sip:x', replacesLegId: 'leg-9' },
      { type: 'refer_progress', referId: 'r', sipStatus: 180 },
    ]);
    expect(kinds(call, 'held').map(({ held }) => held)).toEqual([true, false]);
  });

  it('hands each answer once to the step run that expects it', async () => {
    const first: StepEvent[] = [];
    const second: StepEvent[] = [];
    const ask = (leg: StepLeg): void => {
      leg.request({ type: 'listen', ...listening });
      leg.request({ type: 'detect_machine', timeoutMs: 4_000, awaitBeepMs: 0 });
      leg.request({ type: 'refer', to: 'sip:x' });
      leg.request({ type: 'send_digits', digits: '1', toneMs: 100, gapMs: 100 });
    };
    const answers: LegEvent[] = [
      { type: 'speech_started', listenId: 'listen-1' },
      { type: 'speech_started', listenId: 'listen-1' },
      { type: 'listen_ended', listenId: 'listen-1', reason: 'recognized', text: 'yes', confidence: 1 },
      { type: 'speech_started', listenId: 'listen-1' },
      { type: 'machine_detected', detectId: 'detect-1', result: 'human', afterMs: 900 },
      { type: 'machine_detected', detectId: 'detect-1', result: 'human', afterMs: 900 },
      { type: 'refer_ended', referId: 'refer-1', sipStatus: 200 },
      { type: 'refer_ended', referId: 'refer-1', sipStatus: 200 },
      { type: 'digits_sent', sendId: 'send-2' },
      { type: 'stream_started', streamId: 'stream-1' },
      { type: 'far_hold', held: true },
    ];
    const call = await scripted({ first: asking(ask, first), second: asking(ask, second) });
    await call.tell(...answers);
    expect(first.map(({ type }) => type)).toEqual([
      'speech_started',
      'speech_started',
      'listen_ended',
      'machine_detected',
      'refer_ended',
      'far_hold',
    ]);
    expect(kinds(call, 'in')).toHaveLength(6);
    await call.command({ type: 'event', name: 'go', data: null });
    await call.tell(...answers);
    expect(second.map(({ type }) => type)).toEqual(['digits_sent', 'far_hold']);
  });

  it('receives no further command after the command to end', async () => {
    const call = await scripted({
      first: asking((leg) => {
        leg.send({ type: 'hangup', cause: 17 });
        leg.play([]);
        leg.send({ type: 'hangup', cause: 16 });
      }),
    });
    expect(askedOf(call, OWN)).toEqual(['hangup 17']);
    await call.hangUp();
  });

  it('leaves its quality in the record', async () => {
    const dial = { legId: OWN, from: '1', to: '2', ringTimeoutMs: 1 };
    const call = await scripted({ first: asking(() => undefined) }, { spec: { direction: 'outbound', dial } });
    await call.clock.advance(2_000);
    await call.tell({ type: 'ringing' }, answered);
    await call.tell({ type: 'ended', cause: { code: 16, reason: '' }, by: 'far', quality });
    await call.run.done;
    expect(call.run.record).toMatchObject({ quality, ringingMs: call.run.record.startedMs + 2_000 });
  });
});

describe('a sensitive step', () => {
  const steps = `
  first: { bridge: first, sensitive: true, exits: { completed: bye } }
  missed: { log: missed, next: bye }
  bye: { hangup: normal }
  broken: { hangup: failure }
`;

  it('keeps the speech of the caller and of parties out of the journal', async () => {
    const heard: StepEvent[] = [];
    const call = await scripted(
      {
        async *first({ leg, dial }) {
          leg.request({ type: 'listen', ...listening });
          const party = dial({ to: '1', ringTimeoutMs: 1 });
          party.request({ type: 'listen', ...listening });
          for (let n = 0; n < 3; n++) heard.push(yield {});
          return { outcome: 'completed', result: { speech: 'seven nine two' } };
        },
      },
      { steps, head: '' },
    );
    await call.tell({ type: 'listen_ended', listenId: 'listen-1', reason: 'recognized', text: 'seven nine two' });
    await call.tellParty(
      'leg-1',
      { type: 'digit', digit: '7', durationMs: 90 },
      { type: 'listen_ended', listenId: 'listen-2', reason: 'no_match', text: 'nine nine nine' },
    );
    expect(JSON.stringify(heard)).toContain('seven nine two');
    const kept = JSON.stringify(call.journal());
    expect(kept).not.toContain('seven nine');
    expect(kept).not.toContain('nine nine');
    expect(kept).not.toContain('"digit":"7"');
    expect(kept).toContain(`"text":"${MASK}"`);
    await call.tellParty('leg-1', { type: 'ended', cause: { code: 16, reason: '' }, by: 'near' });
    await call.hangUp();
  });

  it('does not cache or journal its own words', async () => {
    const call = await scripted(
      {
        async *first({ leg, render, prompt }) {
          await render('${ result }', '', { pin: '4711' });
          leg.play(await prompt({ text: 'You said 4711' }));
          leg.play([{ type: 'ssml', ssml: '<speak>4711</speak>', language: 'en-US', voice: 'female' }]);
          return yield* forever();
        },
      },
      { steps, head: '' },
    );
    expect(call.commands).toMatchObject([
      { audio: [{ type: 'speech', text: 'You said 4711', private: true }] },
      { audio: [{ type: 'ssml', ssml: '<speak>4711</speak>', private: true }] },
    ]);
    expect(JSON.stringify(call.journal())).not.toContain('4711');
  });
});
