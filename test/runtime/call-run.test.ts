import { describe, expect, it } from 'vitest';
import type { StepDefinition } from '../../src/language/steps/step.ts';
import { stepsByVerb } from '../../src/verbs/steps.ts';
import { startCall } from './test-call.ts';

const hello = `
flow: hello
start: greet
steps:
  greet: { play: { text: "Good morning" }, exits: { done: bye, error: bye } }
  bye: { hangup: normal }
`;

const menu = `
flow: menu
start: choose
defaults: { exits: { error: bye } }
steps:
  choose:
    menu:
      prompt: { text: "One or two?" }
      choices: { one: { dtmf: "1" }, two: { dtmf: "2" } }
      attempts: 5
      start_timeout: 5s
      no_input: [{ text: "Please choose" }]
      no_match: [{ text: "That is no choice" }]
    exits: { one: first, two: second, exhausted: bye }
  first: { play: { text: "First" }, exits: { done: bye } }
  second: { play: { text: "Second" }, exits: { done: bye } }
  bye: { hangup: normal }
`;

describe('a step', () => {
  it('is started by its step run, which is entered by the execution of its flow', async () => {
    let frames: string[] = [];
    const play = stepsByVerb.get('play')!;
    const run: StepDefinition['run'] = async () => {
      const inRuntime = String(new Error().stack)
        .split('\n')
        .filter((line) => line.includes('/src/service/runtime/'));
      frames = inRuntime.map((line) => /at (?:async )?([\w.#]+)/.exec(line)![1]!);
      return { outcome: 'done' };
    };
    await startCall(hello, { ports: { steps: new Map([...stepsByVerb, ['play', { ...play, run }]]) } });
    expect(frames.slice(0, 3)).toEqual(['StepRun.start', 'FlowExecution.#enterStep', 'FlowExecution.#advance']);
  });
});

describe('a call', () => {
  it('answers, plays, hangs up, and ends once its leg has ended', async () => {
    const call = await startCall(hello);
    expect(call.commands.map(({ type }) => type)).toEqual(['answer', 'play']);
    await call.finishPlay();
    expect(call.commands.at(-1)).toEqual({ type: 'hangup', cause: 16 });
    expect(call.journal().some(({ kind }) => kind === 'ended')).toBe(false);
    await call.tell({ type: 'ended', cause: { code: 16, reason: 'Normal Clearing' }, by: 'near' });
    await call.run.done;
    expect(call.journal().at(-1)).toMatchObject({ kind: 'ended', reason: 'completed' });
    expect(call.run.record).toMatchObject({ state: 'disconnected', cause: { code: 16 } });
    expect(call.clock.pendingTimers).toBe(0);
  });

  it('numbers its journal from 1 without gaps', async () => {
    const call = await startCall(menu);
    await call.press('1');
    await call.hangUp();
    expect(call.journal().map(({ seq }) => seq)).toEqual(call.journal().map((_, index) => index + 1));
  });

  it('commits every decision before it does it', async () => {
    const call = await startCall(menu);
    await call.press('1');
    await call.finishPlay();
    for (const [index, what] of call.order.entries()) {
      if (what.startsWith('do:')) expect(call.order.slice(0, index)).toContain('commit');
    }
    const committed = call.writes.flatMap(({ entries }) => entries).filter(({ kind }) => kind === 'command').length;
    expect(committed).toBe(call.commands.length);
    expect(call.order.at(-2)).toBe('commit');
  });

  it('ends the call, not the process, on a bug', async () => {
    const call = await startCall(hello, {
      ports: {
        deliveriesOf: (entry) => {
          if (entry.kind === 'left') throw new Error('our bug');
          return [];
        },
      },
    });
    await call.finishPlay();
    await call.run.done;
    expect(call.crashes).toHaveLength(1);
    expect(call.commands.at(-1)).toEqual({ type: 'hangup', cause: 41 });
    expect(call.journal().at(-1)).toMatchObject({ kind: 'ended', reason: 'fault', fault: { code: 'internal' } });
    expect(call.journal().map(({ seq }) => seq)).toEqual(call.journal().map((_, index) => index + 1));
  });

  it('gives up a leg that never reports its end', async () => {
    const call = await startCall(hello);
    await call.finishPlay();
    await call.clock.advance(40_000);
    await call.run.done;
    expect(call.run.record.cause?.code).toBe(102);
  });
});

describe('no input', () => {
  it('cascades at exactly 5, 10, 15, 20 and 25 s', async () => {
    const call = await startCall(menu);
    const startMs = call.clock.now();
    const at: number[] = [];
    for (let attempt = 0; attempt < 5; attempt++) {
      await call.finishPlay();
      await call.clock.advanceToNext();
      at.push(call.clock.now() - startMs);
    }
    expect(at).toEqual([5_000, 10_000, 15_000, 20_000, 25_000]);
    expect(call.outcomes()).toContain('choose:exhausted.no_input');
  });
});

describe('answers to what an earlier step started', () => {
  it('are dropped without an effect', async () => {
    const call = await startCall(menu);
    const asked = call.lastPlay().playId;
    await call.press('1');
    await call.tell({ type: 'play_ended', playId: asked, reason: 'stopped', playedMs: 10 });
    expect(call.path()).toEqual(['choose', 'first']);
    expect(call.outcomes()).toEqual(['choose:one']);
  });

  it('stops when the step is left', async () => {
    const call = await startCall(`
flow: wait
start: look
defaults: { exits: { error: bye, failed: bye } }
events: { "dtmf.0": bye }
steps:
  look:
    request: { get: "https://crm.example/x", timeout: 30s, meanwhile: { text: "One moment" } }
    exits: { ok: bye, not_found: bye }
  bye: { hangup: normal }
`);
    await call.tell({ type: 'answered' });
    expect(call.requests).toHaveLength(1);
    await call.press('0');
    expect(call.requests[0]!.signal.aborted).toBe(true);
    call.requests[0]!.answer({ ok: true, status: 200, headers: {}, body: {} });
    await call.clock.settle();
    expect(call.path()).toEqual(['look', 'bye']);
  });
});

describe('a hang-up', () => {
  const support = `
flow: support
start: ask
defaults: { exits: { hangup: summary, error: summary } }
steps:
  ask: { play: { text: "Please hold" }, exits: { done: again } }
  again: { play: { text: "Still here" }, exits: { done: ask } }
  summary: { notify: { event: call.summary }, next: more }
  more: { play: { text: "You cannot hear this" }, exits: { done: bye } }
  bye: { hangup: normal }
`;

  it('is routed once; what needs the caller after that ends the flow', async () => {
    const call = await startCall(support);
    await call.hangUp();
    await call.run.done;
    expect(call.path()).toEqual(['ask', 'summary', 'more']);
    expect(call.journal().at(-1)).toMatchObject({ kind: 'ended', reason: 'hangup' });
  });

  it('waits during a prompt for the end of the leg, not for the stop of the play', async () => {
    const call = await startCall(support);
    await call.tell({ type: 'play_ended', playId: call.lastPlay().playId, reason: 'stopped', playedMs: 10 });
    expect(call.path()).toEqual(['ask']);
    await call.hangUp();
    expect(call.outcomes()[0]).toBe('ask:hangup');
  });

  it('is handled once although it is reported twice', async () => {
    const call = await startCall(support);
    await call.hangUp();
    await call.hangUp();
    expect(call.journal().filter((entry) => entry.kind === 'state' && entry.state === 'disconnected')).toHaveLength(1);
  });

  it('follows the order of arrival in the same instant as a timeout', async () => {
    const call = await startCall(menu);
    await call.finishPlay();
    const deadline = call.clock.nextDeadlineMs!;
    call.clock.after(deadline - call.clock.now(), () =>
      call.run.post({
        type: 'leg',
        event: { type: 'ended', cause: { code: 16, reason: 'Normal Clearing' }, by: 'far' },
      }),
    );
    await call.clock.advance(5_000);
    await call.run.done;
    expect(call.outcomes()).toEqual(['choose:hangup']);
  });
});

describe('an outbound call', () => {
  const dial = { legId: 'leg-1', from: '1000', to: '+33600000000', ringTimeoutMs: 60_000 };
  const outbound = { spec: { direction: 'outbound' as const, dial } };

  it('begins its flow when the far end answers', async () => {
    const call = await startCall(hello, outbound);
    expect(call.order).toEqual(['commit', 'do:dial']);
    await call.tell({ type: 'ringing' }, { type: 'ringing' });
    expect(call.path()).toEqual([]);
    await call.tell({ type: 'answered' });
    expect(call.path()).toEqual(['greet']);
    expect(call.journal().flatMap((entry) => (entry.kind === 'state' ? [entry.state] : []))).toEqual([
      'ringing',
      'connected',
    ]);
  });

  it.each([
    ['busy', 17, 'far', 'disconnected'],
    ['declined', 21, 'far', 'disconnected'],
    ['no answer', 19, 'near', 'disconnected'],
    ['unallocated', 1, 'far', 'disconnected'],
    ['no route', 3, 'near', 'failed'],
    ['network failure', 38, 'network', 'failed'],
    ['congestion', 42, 'far', 'failed'],
  ] as const)('ends as specified if it meets %s', async (_name, code, by, state) => {
    const call = await startCall(hello, outbound);
    await call.tell({ type: 'ended', cause: { code, reason: '' }, by });
    await call.run.done;
    expect(call.run.record.state).toBe(state);
    expect(call.path()).toEqual([]);
  });

  it('is disconnected, not failed, if the application hangs it up', async () => {
    const call = await startCall(hello, outbound);
    expect(await call.command({ type: 'hangup', cause: 16 })).toEqual({ ok: true });
    await call.tell({ type: 'ended', cause: { code: 16, reason: 'Normal Clearing' }, by: 'near' });
    await call.run.done;
    expect(call.run.record.state).toBe('disconnected');
  });
});

describe('commands', () => {
  const controlled = `
flow: controlled
start: ready
steps:
  ready:
    wait_for: { events: [play, accept, order], commands: true, timeout: 30s }
    exits: { play: play, accept: ready, order: ready, timeout: bye }
  play: { play: "\${ steps.ready.data }", exits: { done: ready, interrupted: ready, error: ready } }
  bye: { hangup: normal }
`;
  const play = { type: 'play', playId: 'p1', verb: 'play', args: { prompt: { text: 'Hi there' } } } as const;

  it('plays when the call waits for it, with its id in the journal', async () => {
    const call = await startCall(controlled);
    await call.tell({ type: 'answered' });
    expect(await call.command(play)).toEqual({ ok: true });
    expect(call.lastPlay().audio[0]).toMatchObject({ type: 'speech', text: 'Hi there' });
    await call.finishPlay();
    expect(call.journal().find((entry) => entry.kind === 'left' && entry.verb === 'play')).toMatchObject({
      playId: 'p1',
    });
    expect(call.path()).toEqual(['ready', 'play', 'ready']);
  });

  it('are refused by the state of the call', async () => {
    const call = await startCall(controlled);
    await call.tell({ type: 'answered' });
    await call.command(play);
    expect(await call.command(play)).toEqual({ ok: false, refusal: 'play_pending' });
    expect(await call.command({ type: 'event', name: 'unheard', data: null })).toEqual({
      ok: false,
      refusal: 'not_accepted_here',
    });
    await call.hangUp();
    expect(await call.command(play)).toEqual({ ok: false, refusal: 'ended' });
  });

  it('reaches a flow only if its api allows it', async () => {
    const call = await startCall(controlled.replace('start: ready', 'start: ready\napi: { play: false }'));
    await call.tell({ type: 'answered' });
    expect(await call.command(play)).toEqual({ ok: false, refusal: 'not_accepted_here' });
  });

  it('keeps a play of a ringing call until the call is answered', async () => {
    const call = await startCall(controlled, {
      spec: { direction: 'outbound', dial: { legId: 'leg-1', from: '1', to: '2', ringTimeoutMs: 1 } },
    });
    expect(await call.command(play)).toEqual({ ok: true });
    expect(await call.command(play)).toEqual({ ok: false, refusal: 'play_pending' });
    await call.tell({ type: 'answered' });
    expect(call.path()).toEqual(['ready', 'play']);
  });

  it('ends a play that never had its turn before the call ends', async () => {
    const call = await startCall(controlled, {
      spec: { direction: 'outbound', dial: { legId: 'leg-1', from: '1', to: '2', ringTimeoutMs: 1 } },
    });
    await call.command({ ...play, promptRef: 'hello' });
    await call.tell({ type: 'ended', cause: { code: 17, reason: 'User Busy' }, by: 'far' });
    const kinds = call.journal().map(({ kind }) => kind);
    expect(call.journal().find(({ kind }) => kind === 'unplayed')).toMatchObject({ playId: 'p1', promptRef: 'hello' });
    expect(kinds.indexOf('unplayed')).toBeLessThan(kinds.lastIndexOf('state'));
  });

  it('cannot be impersonated by events of the same name', async () => {
    const call = await startCall(controlled);
    await call.tell({ type: 'answered' });
    expect(await call.command({ type: 'event', name: 'play', data: { prompt: 'x' } })).toEqual({
      ok: false,
      refusal: 'not_accepted_here',
    });
    expect(await call.command({ type: 'event', name: 'order', data: { id: 7 } })).toEqual({ ok: true });
  });
});

describe('sensitive input', () => {
  const pin = `
flow: pin
start: ask
vars: { pin: { type: string, sensitive: true } }
defaults: { exits: { error: bye } }
steps:
  ask:
    collect: { prompt: { text: "Your PIN" }, digits: { length: 4 }, sensitive: true }
    set: { pin: "\${ result.digits }" }
    exits: { collected: send, exhausted: bye }
  send:
    request: { post: "https://bank.example/check", body: { pin: "\${ vars.pin }" }, timeout: 900ms }
    exits: { ok: bye, not_found: bye, failed: bye }
  bye: { hangup: normal }
`;

  it('reaches the application but never the journal', async () => {
    const call = await startCall(pin);
    await call.press('4711');
    expect(call.requests[0]!.request.body).toEqual({ pin: '4711' });
    call.requests[0]!.answer({ ok: true, status: 200, headers: {}, body: { echo: 'PIN was 4711' } });
    await call.clock.settle();
    expect(JSON.stringify(call.writes)).not.toContain('4711');
    expect(JSON.stringify(call.writes)).not.toMatch(/"digit":"[0-9]"/);
    expect(call.path()).toEqual(['ask', 'send', 'bye']);
  });
});
