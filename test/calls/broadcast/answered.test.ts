/** Calls of a broadcast after an answer by a person or a machine. */
import { describe, expect, it } from 'vitest';
import type { Answerer, FarEnd } from '../../../src/media/telephony/simulated/far-end.ts';
import type { BroadcastOrder, DetectionOrder } from '../../../src/service/calls/broadcast/broadcast.ts';
import type { CallAction } from '../../../src/service/calls/control/call-action.ts';
import type { PlayOrder } from '../../../src/service/calls/prompts/play-order.ts';
import type { CallCommand } from '../../../src/service/runtime/journal.ts';
import { PROJECT, Rig, type RigOptions, retries } from './rig.ts';

const play = (text: string, more: Partial<PlayOrder> = {}): PlayOrder => ({
  ...{ text, dtmf: false, asr: false, startTimeoutMs: 5000, recognizerTimeoutMs: 2000 },
  ...more,
});
const says = (text: string, more: Partial<PlayOrder> = {}): CallAction => ({ type: 'play', play: play(text, more) });
const detection = (more: Partial<DetectionOrder> = {}): DetectionOrder => ({
  ...{ timeoutMs: 5000, awaitBeepMs: 30_000, onMachine: 'hang_up' },
  ...more,
});

const SURVEY = `
flow: survey
input: { name: { type: string }, account: { type: string, sensitive: true } }
output: { rating: "\${ steps.rating.digits }", name: "\${ input.name }" }
defaults: { exits: { error: bye } }
start: rating
steps:
  rating:
    collect: { prompt: "How was it, \${ input.name }?", digits: { length: 1 }, attempts: 1, no_match: { text: Sorry }, no_input: { text: Hello } }
    exits: { collected: thanks, exhausted: bye, error: bye }
  thanks: { play: { text: Thank you }, next: good }
  good: { return: happy }
  bye: { hangup: normal }
`;
const MESSAGE = `
flow: message
input: { name: { type: string } }
defaults: { exits: { error: bye } }
start: message
steps:
  message: { play: "Call us back, \${ input.name }", next: bye }
  bye: { hangup: normal }
`;

interface Answered {
  rig: Rig;
  id: string;
  result: string;
  heard: string[];
  /** Duration of the call. */
  lastedMs: number;
  output: unknown;
  farEnd: FarEnd;
}

/** One call, until it is over. */
async function call(
  more: Partial<BroadcastOrder>,
  options: {
    who?: Answerer;
    during?: (rig: Rig, farEnd: FarEnd) => Promise<void>;
    input?: Record<string, string>;
  } & RigOptions = {},
): Promise<Answered> {
  const rig = Rig.open({
    callee: () => ({ does: 'answer', afterMs: 1000, ringsAfterMs: 100, who: options.who ?? { is: 'human' } }),
    flows: { survey: SURVEY, message: MESSAGE },
    ...options,
  });
  const id = await rig.create([{ phone: '1', ...(options.input ? { input: options.input } : {}) }], more);
  await rig.pass(0);
  const { farEnd } = rig.dials[0]!;
  await options.during?.(rig, farEnd);
  const { endedMs } = await rig.finish(id, 3_600_000);
  const heard = farEnd.heard.map(({ item }) => (item.type === 'speech' ? item.text : item.type));
  const [row] = await rig.rows(id);
  expect(rig.crashes).toEqual([]);
  return {
    ...{ rig, id, heard, farEnd, result: (await rig.results(id))['1']!, output: row!.output },
    lastedMs: endedMs! - rig.startMs - 1000,
  };
}

/** Asked of the only call of the only broadcast. */
async function command(rig: Rig, given: CallCommand) {
  const [broadcast] = await rig.store.broadcasts.list({ projectId: PROJECT, limit: 1 });
  return rig.supervisor.command((await rig.rows(broadcast!.order.broadcastId))[0]!.callId!, given);
}
const playCommand = (text: string): CallCommand => ({
  type: 'play',
  playId: 'p1',
  verb: 'play',
  args: { prompt: { text } },
});

describe('an answered call', () => {
  it('plays the message, and ends at once if no command can follow', async () => {
    const { result, heard, rig, lastedMs } = await call({ action: says('Good morning'), idleTimeoutMs: 10_000 });
    expect(result).toBe('success success 1');
    expect(heard).toEqual(['Good morning']);
    expect(rig.records[0]).toMatchObject({ flow: 'rest-control', cause: { code: 16 } });
    expect(lastedMs).toBeLessThan(5000);
  });

  it('stays open for commands for the ordered time', async () => {
    const silent = await call({ action: says('Good morning'), eventUrl: 'http://x.example' });
    const waiting = await call({
      action: says('Good morning'),
      idleTimeoutMs: 10_000,
      callHandlerUrl: 'http://x.example',
    });
    expect(waiting.lastedMs - silent.lastedMs).toBe(10_000);
  });

  it('executes a command meanwhile, and then stays open for the same time', async () => {
    const { heard, lastedMs } = await call(
      { idleTimeoutMs: 10_000, eventUrl: 'http://x.example', action: says('One') },
      {
        async during(rig) {
          await rig.pass(9000);
          expect(await command(rig, playCommand('Two'))).toEqual({ ok: true });
        },
      },
    );
    expect(heard).toEqual(['One', 'Two']);
    expect(lastedMs).toBeGreaterThan(18_000);
  });

  it('is hung up at once if there is nothing to play', async () => {
    const { action: _, ...nothing } = { action: undefined };
    const { result, lastedMs, heard } = await call({ ...nothing, action: undefined as never, idleTimeoutMs: 0 });
    expect([result, lastedMs, heard]).toEqual(['success success 1', 0, []]);
  });

  it('asks a question, and reports the pressed keys as the result of the number', async () => {
    const { result, output, rig } = await call(
      { action: says('Press 1', { dtmf: true }), idleTimeoutMs: 10_000, eventUrl: 'http://x.example' },
      {
        async during(rig, farEnd) {
          await rig.pass(1500);
          farEnd.press('1');
          await rig.pass(4000);
          // Hanging up after that does not change the result.
          farEnd.hangUp();
        },
      },
    );
    expect(result).toBe('success success 1');
    expect(output).toEqual({ digits: '1' });
    expect(rig.records[0]!.output).toEqual({ digits: '1' });
  });

  it('runs a flow of its own under its own name, with its output', async () => {
    const { output, rig, heard, lastedMs } = await call(
      { action: { type: 'flow', flow: 'survey', input: {} }, idleTimeoutMs: 10_000, eventUrl: 'http://x.example' },
      {
        input: { name: 'Ann' },
        async during(rig, farEnd) {
          await rig.pass(1500);
          farEnd.press('4');
        },
      },
    );
    expect(rig.records[0]!.flow).toBe('survey');
    expect(heard).toEqual(['How was it, Ann?', 'Thank you']);
    expect(output).toEqual({ rating: '4', name: 'Ann' });
    expect(lastedMs).toBeLessThan(8000);
  });

  it('is streamed until one side hangs up', async () => {
    const stream = { url: 'wss://x.example', tracks: ['inbound'], bidirectional: false } as const;
    const { lastedMs, farEnd } = await call(
      { action: { type: 'stream', stream }, idleTimeoutMs: 1000, eventUrl: 'http://x.example' },
      {
        async during(rig, farEnd) {
          await rig.pass(60_000);
          expect(farEnd.state).toBe('connected');
          farEnd.hangUp();
        },
      },
    );
    expect(lastedMs).toBe(59_000);
    expect(farEnd.streams).toHaveLength(1);
  });

  it('is moved to a room without a question', async () => {
    const { result } = await call(
      { action: { type: 'room', room: { roomId: 'r1' } } },
      {
        rooms: ['r1'],
        async during(rig, farEnd) {
          await rig.pass(5000);
          expect(
            await rig.store.calls.call(
              (await rig.rows((await rig.store.broadcasts.unfinished())[0]!.order.broadcastId))[0]!.callId!,
            ),
          ).toMatchObject({
            state: 'connected',
          });
          farEnd.hangUp();
        },
      },
    );
    expect(result).toBe('success success 1');
  });

  it('is recorded on request', async () => {
    const { rig } = await call({ autoRecord: true, action: says('Good morning') });
    expect(rig.records[0]!.recordings).toHaveLength(1);
  });

  it('is reported like calls of the broadcast: to the call handler, else to its event URL', async () => {
    const one = await call({ eventUrl: 'http://a.example', callHandlerUrl: 'http://b.example', ownerRef: 'o1' });
    const two = await call({ eventUrl: 'http://a.example' });
    expect(one.rig.records[0]).toMatchObject({ eventUrl: 'http://b.example', ownerRef: 'o1', broadcastId: one.id });
    expect(two.rig.records[0]).toMatchObject({ eventUrl: 'http://a.example', broadcastId: two.id });
  });

  it('has ids of plays that are its own', async () => {
    const rig = Rig.open();
    const id = await rig.create(['1', '2']);
    await rig.finish(id);
    const journals = await Promise.all(rig.records.map(({ callId }) => rig.store.calls.journal(callId)));
    const ids = journals.map((journal) => JSON.stringify(journal).match(/"playId":"([^"]+)"/)?.[1]);
    expect(new Set(ids).size).toBe(2);
  });
});

const HUMAN: Answerer = { is: 'human' };
const MACHINE: Answerer = { is: 'machine', greetingMs: 4000, beepAfterMs: 500 };
const MUTE_MACHINE: Answerer = { is: 'machine', greetingMs: 4000 };
const FAX: Answerer = { is: 'fax' };
const SILENT: Answerer = { is: 'silent' };

describe('an answered call with machine detection', () => {
  it.each<[name: string, who: Answerer, onMachine: DetectionOrder['onMachine'], result: string, heard: string[]]>([
    ['a person', HUMAN, 'hang_up', 'success success 1', ['Good morning']],
    ['a person (same for machines)', HUMAN, 'same', 'success success 1', ['Good morning']],
    ['a person (a message for machines)', HUMAN, { play: play('Beep') }, 'success success 1', ['Good morning']],
    ['somebody who says nothing', SILENT, 'hang_up', 'success success 1', ['Good morning']],
    ['a machine', MACHINE, 'hang_up', 'failed AMD 1', []],
    ['a machine that gets the same', MACHINE, 'same', 'success AMD 1', ['Good morning']],
    ['a machine that gets a message', MACHINE, { play: play('Beep') }, 'success AMD 1', ['Beep']],
    ['a machine without a beep', MUTE_MACHINE, { play: play('Beep') }, 'success AMD 1', ['Beep']],
    [
      'a machine that gets a flow',
      MACHINE,
      { flow: 'message', input: { name: 'Ann' } },
      'success AMD 1',
      ['Call us back, Ann'],
    ],
    ['a fax', FAX, 'hang_up', 'failed AMD 1', []],
    ['a fax that would get the same', FAX, 'same', 'failed AMD 1', []],
    ['a fax that would get a message', FAX, { play: play('Beep') }, 'failed AMD 1', []],
  ])('ends with the result and prompt for %s', async (_, who, onMachine, result, heard) => {
    const call_ = await call({ action: says('Good morning'), detection: detection({ onMachine }) }, { who });
    expect(call_.result).toBe(result);
    expect(call_.heard).toEqual(heard);
    expect(call_.rig.records[0]!.flow).toBe('broadcast-call');
  });

  it('speaks to a machine after its beep, and not before', async () => {
    const { farEnd, rig } = await call(
      { detection: detection({ onMachine: 'same' }) },
      { who: { is: 'machine', greetingMs: 6000, beepAfterMs: 2000 } },
    );
    expect(farEnd.heard[0]!.fromMs - rig.startMs).toBeGreaterThanOrEqual(1000 + 8000);
  });

  it('skips waiting for a machine if no beep is wanted', async () => {
    const { farEnd, rig } = await call(
      { detection: detection({ onMachine: 'same', awaitBeepMs: 0 }) },
      { who: MACHINE },
    );
    expect(farEnd.heard[0]!.fromMs - rig.startMs).toBeLessThan(1000 + 4000);
  });

  it('ends a call to a machine as soon as it is detected, if there is no message', async () => {
    const { lastedMs } = await call({ detection: detection() }, { who: { is: 'machine', greetingMs: 30_000 } });
    expect(lastedMs).toBeLessThan(5000);
  });

  it('is never repeated, machine or not', async () => {
    const { rig } = await call({ detection: detection(), retry: retries(5) }, { who: MACHINE });
    expect(rig.dials).toHaveLength(1);
  });

  it('runs the flow for a person, and keeps its output however the call ends', async () => {
    for (const hangsUp of [false, true]) {
      const { output, heard, result } = await call(
        { action: { type: 'flow', flow: 'survey', input: {} }, detection: detection() },
        {
          input: { name: 'Ann' },
          async during(rig, farEnd) {
            await rig.pass(6000);
            farEnd.press('4');
            await rig.pass(hangsUp ? 300 : 0);
            if (hangsUp) farEnd.hangUp();
          },
        },
      );
      expect(result).toBe('success success 1');
      expect(heard[0]).toBe('How was it, Ann?');
      expect(output).toEqual({ rating: '4', name: 'Ann' });
    }
  });

  it('reports the keys of a person as the result of the number, hung up or not', async () => {
    for (const hangsUp of [false, true]) {
      const { output } = await call(
        {
          action: says('Press 1', { dtmf: true }),
          detection: detection(),
          idleTimeoutMs: 5000,
          eventUrl: 'http://x.example',
        },
        {
          async during(rig, farEnd) {
            await rig.pass(5000);
            farEnd.press('1');
            await rig.pass(4000);
            if (hangsUp) farEnd.hangUp();
          },
        },
      );
      expect(output).toEqual({ digits: '1' });
    }
  });

  it('executes commands that arrive during detection after it', async () => {
    for (const atMs of [500, 1100]) {
      const { heard } = await call(
        { action: undefined as never, detection: detection(), idleTimeoutMs: 5000, eventUrl: 'http://x.example' },
        {
          async during(rig) {
            await rig.pass(atMs);
            expect(await command(rig, playCommand('From the application'))).toEqual({ ok: true });
            expect(await command(rig, playCommand('Another'))).toEqual({ ok: false, refusal: 'play_pending' });
          },
        },
      );
      expect(heard).toEqual(['From the application']);
    }
  });

  it('keeps sensitive input of a number out of every journal', async () => {
    const { rig } = await call(
      { action: { type: 'flow', flow: 'survey', input: {} }, detection: detection() },
      { input: { name: 'Ann', account: '8765-4321' } },
    );
    const journal = JSON.stringify(await rig.store.calls.journal(rig.records[0]!.callId));
    expect(journal).toContain('Ann');
    expect(journal).not.toContain('8765-4321');
    expect(JSON.stringify(rig.lines)).not.toContain('8765-4321');
  });
});
