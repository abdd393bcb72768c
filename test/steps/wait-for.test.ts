import { describe, expect, it } from 'vitest';
import { heard, startSteps } from './scripted-call.ts';

const waiting = (args: string, exits: string, options: Parameters<typeof startSteps>[1] = {}) =>
  startSteps(
    `
  first: { wait_for: ${args}, exits: { ${exits} } }
  tell: { log: "told \${ $string(steps.first) }", next: bye }`,
    options,
  );

const event = (name: string, data: unknown = null) => ({ type: 'event', name, data: data as null }) as const;

describe('wait_for', () => {
  it.each(['[paid, cancelled]', '{ events: [paid, cancelled] }'])('%s takes an event, with its data', async (args) => {
    const call = await waiting(args, 'paid: tell, cancelled: bye');
    expect(await call.command(event('paid', { amount: 5 }))).toEqual({ ok: true });
    expect(call.outcomes()[0]).toBe('first:paid');
    expect(call.journal().find(({ kind }) => kind === 'log')).toMatchObject({
      message: 'told {"event":"paid","data":{"amount":5}}',
    });
  });

  it('ignores other events, and continues to wait', async () => {
    const call = await waiting('{ events: [paid], timeout: 10s }', 'paid: tell, timeout: bye');
    await call.clock.advance(6_000);
    expect(await call.command(event('other'))).toEqual({ ok: false, refusal: 'not_accepted_here' });
    expect(call.outcomes()).toEqual([]);
    await call.clock.advance(3_999);
    expect(call.outcomes()).toEqual([]);
    await call.clock.advance(1);
    expect(call.outcomes()).toEqual(['first:timeout', 'bye:done']);
  });

  it('is neither shortened nor prolonged by digits, which are left to the next step', async () => {
    const call = await startSteps(`
  first: { wait_for: { events: [paid], timeout: 10s }, exits: { paid: bye, timeout: ask } }
  ask: { collect: { digits: { length: 2 } }, exits: { collected: bye, exhausted: bye } }`);
    await call.tell({ type: 'answered' });
    await call.clock.advance(9_999);
    await call.press('12');
    expect(call.outcomes()).toEqual([]);
    await call.clock.advance(1);
    expect(call.outcomes()).toEqual(['first:timeout', 'ask:collected', 'bye:done']);
  });

  it('waits without limit when there is no timeout', async () => {
    const call = await waiting('[paid]', 'paid: tell', { head: 'limits: { max_duration: 100h }' });
    await call.clock.advance(99 * 3_600_000);
    expect(call.outcomes()).toEqual([]);
  });

  it('repeats the prompt of meanwhile, and stops it', async () => {
    const call = await startSteps(`
  first: { answer: {}, next: wait }
  wait: { wait_for: { events: [paid], meanwhile: { text: Hold } }, exits: { paid: bye } }`);
    const play = call.lastPlay();
    expect(play).toMatchObject({ repeat: true });
    await call.command(event('paid'));
    expect(call.commands).toContainEqual({ type: 'stop_play', playId: play.playId });
    expect(heard(call)).toEqual(['Hold']);
  });

  it('ends when the caller hangs up', async () => {
    const call = await waiting('[paid]', 'paid: tell');
    await call.hangUp();
    expect(call.outcomes()).toEqual(['first:hangup']);
  });

  it('takes an event whose name has dots', async () => {
    const call = await waiting('{ events: [order.paid, order.shipped] }', 'order: tell');
    await call.command(event('order.shipped'));
    expect(call.outcomes()[0]).toBe('first:order.shipped');
  });

  it('does not take an event for the interrupt of the same name while it waits for it', async () => {
    const call = await waiting('[paid]', 'paid: tell', { head: 'events: { event.paid: broken, event.late: bye }' });
    await call.command(event('paid'));
    expect(call.outcomes()[0]).toBe('first:paid');
  });
});

describe('wait_for with commands', () => {
  it.each([
    ['bridge', { type: 'bridge', bridgeId: 'b1', args: { to: '+441' } }, { to: '+441', bridge_id: 'b1' }],
    ['conference', { type: 'conference', args: { name: 'weekly' } }, { name: 'weekly' }],
    ['join_room', { type: 'join_room', args: { room_id: 'r1' } }, { room_id: 'r1' }],
  ] as const)('takes %s with its arguments', async (name, command, data) => {
    const call = await waiting(`{ events: [${name}], commands: true }`, `${name}: tell`);
    expect(await call.command(command)).toEqual({ ok: true });
    expect(call.journal().find(({ kind }) => kind === 'log')).toMatchObject({
      message: `told ${JSON.stringify({ event: name, data })}`,
    });
  });

  const steered = (options: Parameters<typeof startSteps>[1] = {}) =>
    startSteps(
      `
  first: { wait_for: { events: [play, collect, flow, accept], commands: true, timeout: 30s }, exits: { play: play, collect: collect, flow: flow, accept: answer, timeout: bye } }
  answer: { answer: {}, next: first }
  play: { play: "\${ steps.first.data }", exits: { done: first, interrupted: first } }
  collect: { collect: "\${ steps.first.data }", exits: { collected: first, exhausted: first } }
  flow: { subflow: "\${ steps.first.data }", next: first }`,
      {
        ...options,
        flows: {
          inner:
            'flow: inner\nstart: first\ninput: { n: { type: integer } }\nsteps:\n  first: { log: "n ${ input.n }", next: $end }\n',
        },
      },
    );

  it('follows commands: accept, play, collect, flow', async () => {
    const call = await steered();
    expect(await call.command({ type: 'accept' })).toEqual({ ok: true });
    await call.tell({ type: 'answered' });
    expect(
      await call.command({
        type: 'play',
        playId: 'p1',
        verb: 'play',
        promptRef: 'mine',
        args: { prompt: { text: 'Hi' } },
      }),
    ).toEqual({ ok: true });
    await call.finishPlay();
    await call.command({ type: 'play', playId: 'p2', verb: 'collect', args: { digits: { length: 2 }, attempts: 1 } });
    await call.press('42');
    await call.command({ type: 'flow', flow: 'inner', input: { n: 7 } });
    expect(call.path()).toEqual([
      'first',
      'answer',
      'first',
      'play',
      'first',
      'collect',
      'first',
      'flow',
      'first',
      'first',
    ]);
    const left = call.journal().filter((entry) => entry.kind === 'left');
    expect(left.find(({ verb }) => verb === 'play')).toMatchObject({
      playId: 'p1',
      promptRef: 'mine',
      outcome: 'done',
    });
    expect(left.find(({ verb }) => verb === 'collect')).toMatchObject({ playId: 'p2', result: { digits: '42' } });
    expect(call.journal().find(({ kind }) => kind === 'log')).toMatchObject({ message: 'n 7' });
  });

  it('refuses to accept an answered call', async () => {
    const call = await steered();
    await call.command({ type: 'accept' });
    await call.tell({ type: 'answered' });
    expect(await call.command({ type: 'accept' })).toEqual({ ok: false, refusal: 'already_answered' });
    expect(call.path()).toEqual(['first', 'answer', 'first']);
  });

  it('ends with an error on invalid arguments', async () => {
    const call = await steered();
    await call.command({ type: 'play', playId: 'p1', verb: 'play', args: { nonsense: 1 } });
    expect(call.outcomes().slice(0, 2)).toEqual(['first:play', 'play:error']);
    expect(call.journal().find((entry) => entry.kind === 'left' && entry.verb === 'play')).toMatchObject({
      playId: 'p1',
      fault: { code: 'invalid_arguments' },
    });
  });

  it('takes a hang-up whatever it waits for', async () => {
    const call = await steered();
    expect(await call.command({ type: 'hangup', cause: 21 })).toEqual({ ok: true });
    expect(call.commands.at(-1)).toEqual({ type: 'hangup', cause: 21 });
    expect(await call.command({ type: 'hangup', cause: 16 })).toEqual({ ok: false, refusal: 'ended' });
    await call.hangUp();
    expect(call.outcomes()).toEqual(['first:hangup']);
  });
});
