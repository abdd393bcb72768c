/** Called parties: a party belongs to the visit of the step that called it, until it is released or kept. */
import { describe, expect, it } from 'vitest';
import type { StepEvent, StepParty } from '../../src/language/steps/step.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { checkJournal } from './journal-invariants.ts';
import {
  answered,
  askedOf,
  busy,
  ended,
  forever,
  hungUp,
  isOf,
  kinds,
  OWN,
  type Program,
  scripted,
  scriptedSteps,
  until,
} from './scripted-steps.ts';
import { startCall } from './test-call.ts';

const other = { to: '+33699999999', ringTimeoutMs: 30_000 };

/** Answers, dials, and talks until one side leaves. */
const talk: Program = async function* ({ leg, dial, keepOnInterrupt, reportBridge }) {
  leg.send({ type: 'answer' });
  const party = dial(other);
  reportBridge({ state: 'initiated', bridgeId: 'b1', from: '1000', to: party.to });
  yield* until(isOf(party.id, 'answered'));
  party.send({ type: 'join', mixId: 'b1' });
  leg.send({ type: 'join', mixId: 'b1' });
  keepOnInterrupt(party);
  reportBridge({ state: 'bridged', to: party.to });
  yield* until(isOf(party.id, 'ended'));
  reportBridge({ state: 'bridge_disconnected', to: party.to });
  return { outcome: 'completed' };
};

/** Dials, and collects all events. */
const ring = (seen: StepEvent[] = [], count = 1): Program =>
  async function* ({ dial }) {
    for (let n = 0; n < count; n++) dial(other);
    return yield* forever(seen);
  };

describe('a party', () => {
  it('is dialled, bridged, and gone before the call continues', async () => {
    const call = await scripted({ first: talk });
    expect(call.dialled).toEqual([
      { legId: 'leg-1', from: '1000', to: '+33699999999', ringTimeoutMs: 30_000, nearLegId: OWN },
    ]);
    await call.tellParty('leg-1', { type: 'ringing' }, answered);
    expect(askedOf(call, 'leg-1')).toEqual(['join b1']);
    expect(askedOf(call, OWN)).toEqual(['answer', 'join b1']);
    await call.tellParty('leg-1', ended);
    expect(call.path()).toEqual(['first', 'bye']);
    expect(askedOf(call, OWN).slice(2)).toEqual(['leave', 'hangup 16']);
    await call.tell(hungUp);
    await call.run.done;
    expect(kinds(call, 'ended')[0]).toMatchObject({ reason: 'completed' });
    expect(call.clock.pendingTimers).toBe(0);
  });

  it('is called once its engine has it and that is written, where its engine asks for that', async () => {
    const call = await scripted({ first: talk });
    await call.tellParty('leg-1', { type: 'created' }, { type: 'created' });
    expect(askedOf(call, 'leg-1')).toEqual(['dial']);
    expect(call.order.slice(-2)).toEqual(['commit', 'do:dial']);
    await call.tellParty('leg-1', answered, { type: 'created' });
    expect(askedOf(call, 'leg-1')).toEqual(['dial', 'join b1']);
  });

  it('is journalled with its leg: the dialling, its commands and its events', async () => {
    const call = await scripted({ first: talk });
    await call.tellParty('leg-1', answered);
    expect(kinds(call, 'dialled')).toMatchObject([{ leg: 'leg-1', from: '1000', to: other.to, visit: 1 }]);
    const commands = kinds(call, 'command').map(({ command, leg }) => `${leg ?? 'caller'} ${command.type}`);
    expect(commands).toEqual(['caller answer', 'leg-1 join', 'caller join']);
    expect(kinds(call, 'in').at(-1)).toMatchObject({ input: { type: 'leg', leg: 'leg-1', event: answered } });
  });

  it('rings and answers once, and is a party only until its end', async () => {
    const seen: StepEvent[] = [];
    const parties: StepParty[] = [];
    const states: string[] = [];
    const call = await scripted({
      async *first(context) {
        parties.push(context.dial(other));
        for (;;) {
          seen.push(yield {});
          states.push(`${parties[0]!.state} of ${context.parties.length}`);
        }
      },
    });
    await call.tellParty('leg-1', { type: 'ringing' }, { type: 'ringing' }, answered, answered, busy, ended, answered);
    expect(seen.map((event) => event.type === 'party' && event.event.type)).toEqual(['ringing', 'answered', 'ended']);
    expect(states).toEqual(['ringing of 1', 'connected of 1', 'ended of 0']);
  });

  it('is dialled only from a number that may be shown', async () => {
    const asked: string[] = [];
    const ports = {
      mayPresent: (project: string, cli: string) => {
        asked.push(`${project} ${cli}`);
        return cli === '2000';
      },
    };
    const dialling = (from?: string): Program =>
      async function* ({ dial }) {
        dial({ ...other, ...(from === undefined ? {} : { from }), fromName: 'Support' });
        return yield* forever();
      };
    const own = await scripted({ first: dialling() }, { ports });
    expect(own.dialled[0]).toMatchObject({ from: '1000', fromName: 'Support' });
    expect(asked).toEqual([]);
    const rented = await scripted({ first: dialling('2000') }, { ports });
    expect(rented.dialled[0]).toMatchObject({ from: '2000' });
    const foreign = await scripted({ first: dialling('0800') }, { ports });
    expect(foreign.dialled).toEqual([]);
    expect(kinds(foreign, 'left')[0]).toMatchObject({ outcome: 'error', fault: { code: 'cli_not_assigned' } });
    expect(asked).toEqual(['project-1 2000', 'project-1 0800']);
  });

  it('sees the number that placed the call', async () => {
    const dial = { legId: OWN, from: '1000', to: '+336', ringTimeoutMs: 1000 };
    const spec = { direction: 'outbound', from: '1000', to: '+336', dial } as const;
    const call = await scripted({ first: ring() }, { spec });
    await call.tell(answered);
    expect(call.dialled.at(-1)).toMatchObject({ legId: 'leg-1', from: '1000', nearLegId: OWN });
  });

  it('is one of at most 32', async () => {
    const call = await scripted({ first: ring([], 33) });
    expect(kinds(call, 'left')[0]).toMatchObject({ outcome: 'error', fault: { code: 'too_many_parties' } });
    expect(call.sent.filter(({ command }) => command.type === 'hangup' && 'cause' in command).length).toBe(33);
  });
});

describe('leaving the step', () => {
  it('hangs its parties up, and the run waits for their end', async () => {
    const call = await scripted({ first: ring([], 2) });
    await call.tellParty('leg-1', { type: 'ringing' }, busy);
    await call.hangUp();
    expect(askedOf(call, 'leg-1')).toEqual([]);
    expect(askedOf(call, 'leg-2')).toEqual(['hangup 16']);
    expect(call.run.record.state).toBe('disconnected');
    expect(kinds(call, 'ended')).toEqual([]);
    await call.tellParty('leg-2', hungUp);
    await call.run.done;
    expect(kinds(call, 'ended')).toHaveLength(1);
  });

  it('gives up a party that never reports its end', async () => {
    const call = await scripted({ first: ring() });
    await call.hangUp();
    await call.clock.advance(39_999);
    expect(kinds(call, 'ended')).toEqual([]);
    await call.clock.advance(1);
    await call.run.done;
    expect(kinds(call, 'in').at(-1)).toMatchObject({ input: { leg: 'leg-1', event: { cause: { code: 102 } } } });
    expect(call.clock.pendingTimers).toBe(0);
  });

  it('takes the caller out of the mix', async () => {
    const call = await scripted({
      async *first({ leg, dial }) {
        leg.send({ type: 'answer' });
        yield* until((event) => (event.type === 'answered' ? true : undefined));
        leg.send({ type: 'join', mixId: 'm1' });
        dial(other);
        yield* until((event) => (event.type === 'digit' ? true : undefined), { digits: { claims: '1' } });
        return { outcome: 'completed' };
      },
    });
    await call.press('1');
    expect(askedOf(call, OWN)).toEqual(['answer', 'join m1', 'leave', 'hangup 16']);
    expect(askedOf(call, 'leg-1')).toEqual(['hangup 16']);
    await call.hangUp();
  });

  it('stops what it started on legs that stay', async () => {
    const call = await scripted({
      async *first({ leg, dial, keepOnInterrupt }) {
        const party = dial(other);
        yield* until(isOf(party.id, 'answered'));
        keepOnInterrupt(party);
        for (const line of [leg, party]) {
          line.play([]);
          line.request({
            type: 'listen',
            language: 'en-US',
            hints: [],
            minConfidence: 0.5,
            endSilenceMs: 500,
            maxLengthMs: 9_000,
          });
          line.request({ type: 'detect_machine', timeoutMs: 5_000, awaitBeepMs: 0 });
        }
        return yield* forever();
      },
      async *second() {
        return yield* forever();
      },
    });
    await call.tellParty('leg-1', answered);
    await call.command({ type: 'event', name: 'go', data: null });
    expect(askedOf(call, OWN).slice(3)).toEqual(['stop_play', 'stop_listen', 'stop_detect']);
    expect(askedOf(call, 'leg-1').slice(3)).toEqual(['stop_play', 'stop_listen', 'stop_detect', 'hold']);
  });
});

describe('a bug', () => {
  it('hangs up every leg of the call', async () => {
    const call = await startCall(
      `
flow: test
start: first
steps:
  first: { bridge: first, exits: { completed: bye, failed: bye, error: bye } }
  bye: { hangup: normal }
`,
      {
        spec: { legId: OWN },
        ports: {
          steps: scriptedSteps({ first: ring([], 2) }),
          deliveriesOf: (entry) => {
            if (entry.kind === 'in' && entry.input.type === 'leg' && entry.input.event.type === 'answered') throw 'bug';
            return [];
          },
        },
      },
    );
    await call.tellParty('leg-2', busy);
    await call.tellParty('leg-1', answered);
    await call.run.done;
    expect(call.crashes).toEqual(['bug']);
    expect(call.sent).toEqual([OWN, 'leg-1'].map((leg) => ({ leg, command: { type: 'hangup', cause: 41 } })));
    expect(checkJournal(call.journal(), { over: true })).toEqual([]);
    expect(call.clock.pendingTimers).toBe(0);
  });
});

describe('crossings', () => {
  it.each([
    ['the party answers, then the caller hangs up', true],
    ['the caller hangs up, then the party answers', false],
  ])('handles in one instant: %s', async (_name, answerFirst) => {
    const call = await scripted({ first: talk });
    await call.tell(answered);
    const inputs = [
      { type: 'leg', leg: 'leg-1', event: answered },
      { type: 'leg', event: ended },
    ] as const;
    for (const input of answerFirst ? inputs : inputs.toReversed()) call.run.post(input);
    await call.clock.settle();
    expect(askedOf(call, 'leg-1')).toEqual(answerFirst ? ['join b1', 'hangup 16'] : ['hangup 16']);
    expect(call.outcomes()).toEqual(['first:hangup']);
    await call.tellParty('leg-1', hungUp);
    await call.run.done;
    expect(call.run.record.bridges).toMatchObject([{ to: other.to, endedMs: expect.any(Number) }]);
  });

  it('handles a hang-up of the caller while the call of the party is being written', async () => {
    const clock = new VirtualClock();
    const call = await scripted(
      { first: ring() },
      {
        ports: {
          clock,
          callStore: { commit: () => new Promise((written) => clock.after(5, written)) },
        },
      },
    );
    call.run.post({ type: 'leg', event: ended });
    await clock.advance(20);
    expect(call.order.filter((what) => what.startsWith('do:'))).toEqual(['do:dial', 'do:hangup']);
    call.run.post({ type: 'leg', leg: 'leg-1', event: hungUp });
    await clock.advance(20);
    await call.run.done;
  });

  it('handles the deadline and the answer in the order of their arrival', async () => {
    for (const late of [false, true]) {
      const seen: StepEvent[] = [];
      const call = await scripted({
        async *first({ dial }) {
          dial(other);
          seen.push(yield { withinMs: 1_000 });
          return { outcome: 'completed' };
        },
      });
      const tell = () => call.run.post({ type: 'leg', leg: 'leg-1', event: answered });
      if (late) call.clock.after(1_000, tell);
      else {
        await call.clock.advance(999);
        call.clock.after(1, () => undefined);
        tell();
      }
      await call.clock.advance(1_000);
      expect(seen.map(({ type }) => type)).toEqual([late ? 'timeout' : 'party']);
      await call.tellParty('leg-1', hungUp);
      await call.hangUp();
      await call.run.done;
    }
  });

  it('reports only the end of a party that was hung up', async () => {
    const seen: StepEvent[] = [];
    const call = await scripted({
      async *first({ dial }) {
        const [one, two] = [dial(other), dial(other)];
        yield* until(isOf(one.id, 'answered'));
        two.send({ type: 'hangup', cause: 26 });
        two.play([]);
        two.send({ type: 'hangup', cause: 16 });
        return yield* forever(seen);
      },
    });
    await call.tellParty('leg-1', answered);
    await call.tellParty('leg-2', { type: 'ringing' }, answered, hungUp);
    expect(askedOf(call, 'leg-2')).toEqual(['hangup 26']);
    expect(seen).toEqual([{ type: 'party', party: 'leg-2', event: hungUp }]);
  });

  it('drops unexpected answers of a party', async () => {
    const seen: StepEvent[] = [];
    const call = await scripted({
      async *first({ dial }) {
        const party = dial(other);
        const playId = party.play([]);
        const stopped = party.play([]);
        party.stopPlay(stopped);
        seen.push(yield* until((event) => (event.type === 'party' ? event : undefined)));
        return yield* forever(seen, playId === '' ? {} : {});
      },
    });
    const playEnded = (playId: string) => ({ type: 'play_ended', playId, reason: 'finished', playedMs: 1 }) as const;
    await call.tellParty('leg-1', playEnded('play-9'), playEnded('play-2'), playEnded('play-1'), playEnded('play-1'));
    await call.tellParty('leg-7', answered);
    expect(seen).toEqual([{ type: 'party', party: 'leg-1', event: playEnded('play-1') }]);
  });
});

describe('a party that is kept', () => {
  const again: Program = async function* ({ leg, takeHeldPeer, reportBridge }) {
    const party = takeHeldPeer();
    if (!party) return { outcome: 'failed.no_answer' };
    party.send({ type: 'join', mixId: 'b1' });
    leg.send({ type: 'join', mixId: 'b1' });
    reportBridge({ state: 'bridged', to: party.to });
    yield* until(isOf(party.id, 'ended'));
    reportBridge({ state: 'bridge_disconnected', to: party.to });
    return { outcome: 'completed' };
  };
  const waits: Program = async function* () {
    return yield* forever();
  };
  const go = { type: 'event', name: 'go', data: null } as const;

  it('hears music when an interrupt leaves its step, until a step takes it', async () => {
    const call = await scripted({ first: talk, second: again });
    await call.tell(answered);
    await call.tellParty('leg-1', answered);
    expect(await call.command(go)).toEqual({ ok: true });
    expect(askedOf(call, 'leg-1')).toEqual(['join b1', 'hold', 'resume', 'join b1']);
    expect(askedOf(call, OWN)).toEqual(['answer', 'join b1', 'leave', 'join b1']);
    expect(call.run.record.state).toBe('bridged');
    await call.tellParty('leg-1', ended);
    expect(kinds(call, 'bridge').map(({ state }) => state)).toEqual(['initiated', 'bridged', 'bridge_disconnected']);
    expect(call.path()).toEqual(['first', 'second', 'bye']);
  });

  it('hears the music that its step names', async () => {
    const call = await scripted({
      async *first({ dial, keepOnInterrupt }) {
        const party = dial(other);
        yield* until(isOf(party.id, 'answered'));
        keepOnInterrupt(party, [{ type: 'silence', durationMs: 7 }]);
        return yield* forever();
      },
      second: waits,
    });
    await call.tellParty('leg-1', answered);
    await call.command(go);
    expect(call.sent.at(-1)).toEqual({
      leg: 'leg-1',
      command: { type: 'hold', music: [{ type: 'silence', durationMs: 7 }] },
    });
  });

  it('is hung up when its step has an outcome of its own, or it was not connected', async () => {
    const done = await scripted({
      async *first({ dial, keepOnInterrupt }) {
        const party = dial(other);
        keepOnInterrupt(party);
        yield* until(isOf(party.id, 'answered'));
        return { outcome: 'completed' };
      },
    });
    await done.tellParty('leg-1', answered);
    expect(askedOf(done, 'leg-1')).toEqual(['hangup 16']);
    const early = await scripted({
      async *first({ dial, keepOnInterrupt }) {
        keepOnInterrupt(dial(other));
        return yield* forever();
      },
      second: waits,
    });
    await early.command(go);
    expect(askedOf(early, 'leg-1')).toEqual(['hangup 16']);
  });

  it('is gone for good when it hangs up meanwhile: that ends the bridge', async () => {
    const seen: (string | undefined)[] = [];
    const call = await scripted({
      first: talk,
      async *second(context) {
        seen.push(context.heldPeer?.id);
        yield* until((event) => (event.type === 'digit' ? true : undefined), { digits: { claims: '1' } });
        seen.push(context.heldPeer?.id);
        seen.push(context.takeHeldPeer()?.id);
        return yield* forever();
      },
    });
    await call.tell(answered);
    await call.tellParty('leg-1', answered);
    await call.command(go);
    await call.tellParty('leg-1', ended);
    expect(kinds(call, 'bridge').at(-1)).toMatchObject({ state: 'bridge_disconnected', cause: { code: 16 } });
    expect(call.run.record.state).toBe('connected');
    await call.press('1');
    expect(seen).toEqual(['leg-1', undefined, undefined]);
  });

  it('is hung up with the call, and when another takes its place', async () => {
    const call = await scripted({ first: talk, second: talk });
    await call.tell(answered);
    await call.tellParty('leg-1', answered);
    await call.command(go);
    await call.tellParty('leg-2', answered);
    await call.command(go);
    expect(askedOf(call, 'leg-1')).toEqual(['join b1', 'hold', 'hangup 16']);
    expect(askedOf(call, 'leg-2')).toEqual(['join b1', 'hold']);
    await call.hangUp();
    expect(askedOf(call, 'leg-2').at(-1)).toBe('hangup 16');
    for (const leg of ['leg-1', 'leg-2', 'leg-3']) await call.tellParty(leg, hungUp);
    await call.run.done;
  });

  it('receives commands only from the step run that took it', async () => {
    const call = await scripted({
      first: talk,
      async *second({ heldPeer }) {
        heldPeer?.play([]);
        heldPeer?.send({ type: 'hangup', cause: 16 });
        return yield* forever();
      },
    });
    await call.tell(answered);
    await call.tellParty('leg-1', answered);
    await call.command(go);
    expect(askedOf(call, 'leg-1')).toEqual(['join b1', 'hold']);
  });
});

describe('a transfer that a far end asks for', () => {
  const referred = { type: 'referred', referId: 'r1', to: '+331' } as const;

  it('is refused where no step answers it', async () => {
    const seen: StepEvent[] = [];
    const call = await scripted({ first: ring(seen), second: ring() });
    await call.tellParty('leg-1', answered, referred);
    await call.tell({ ...referred, referId: 'r2' });
    expect(seen.map(({ type }) => type)).toEqual(['party', 'party', 'referred']);
    await call.command({ type: 'event', name: 'go', data: null });
    expect(askedOf(call, 'leg-1')).toEqual(['refer_progress 603', 'hangup 16']);
    expect(askedOf(call, OWN)).toEqual(['refer_progress 603']);
  });

  it('is refused while no step is active', async () => {
    const dial = { legId: OWN, from: '1', to: '2', ringTimeoutMs: 1 };
    const call = await scripted({}, { spec: { direction: 'outbound', dial } });
    await call.tell(referred);
    expect(askedOf(call, OWN)).toEqual(['refer_progress 603']);
  });

  it('is answered by its step, once', async () => {
    const call = await scripted({
      async *first({ dial }) {
        const party = dial(other);
        yield* until(isOf(party.id, 'referred'));
        party.send({ type: 'refer_progress', referId: 'r1', sipStatus: 100 });
        party.send({ type: 'refer_progress', referId: 'r1', sipStatus: 200 });
        return { outcome: 'completed' };
      },
    });
    await call.tellParty('leg-1', answered, referred);
    expect(askedOf(call, 'leg-1')).toEqual(['refer_progress 100', 'refer_progress 200', 'hangup 16']);
  });
});
