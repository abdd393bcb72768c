/** Calls by REST and webhook, from the request to the last event. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { openSqliteStore } from '../../src/service/store/sqlite/store.ts';
import { ApiRig, type ApiRigOptions, UNSPOKEN } from './rig.ts';

const NUMBERS = 'numbers: [{ number: "1000", webhook: HOOK }]\n';

const opened: ApiRig[] = [];
const rigOf = async (options: ApiRigOptions = {}): Promise<ApiRig> => {
  const rig = await ApiRig.open({ config: NUMBERS, ...options });
  opened.push(rig);
  return rig;
};

afterEach(async () => {
  for (const rig of opened.splice(0)) {
    await rig.close();
    expect(rig.logLines.filter(({ level }) => level === 'error')).toEqual([]);
  }
});

const HELLO = { text: 'Hello there', voice: 'Female', language: 'en-US' };

describe('dial out', () => {
  it('reports ringing, connected, playfinished and disconnected, in this order', async () => {
    const rig = await rigOf();
    const call = await rig.dial({ owner_ref: 17, action_on_connect: { play: { ...HELLO, prompt_ref: 'p1' } } });
    await rig.pass(5000);
    expect(rig.farEnds[0]?.heard.map(({ item }) => item)).toMatchObject([{ type: 'speech', text: 'Hello there' }]);
    rig.farEnds[0]?.hangUp();
    await rig.pass(1000);
    expect(rig.eventNames()).toEqual(['ringing', 'connected', 'playfinished', 'disconnected']);
    for (const { body } of rig.received) {
      expect(body).toMatchObject({ voice_id: call, from: '1000', to: '2000', owner_ref: '17' });
    }
    expect(rig.received[2]?.body).toMatchObject({ prompt_ref: 'p1', play_id: expect.any(String) });
    expect(rig.received[3]?.body).toMatchObject({ disconnect_reason: 'Normal Clearing', disconnect_cause_code: 16 });
  });

  it.each<[JsonObject, string, JsonObject]>([
    [{ does: 'busy' }, 'disconnected', { disconnect_reason: 'User Busy' }],
    [{ does: 'declined' }, 'disconnected', { disconnect_reason: 'Call Rejected' }],
    [{ does: 'no_answer', ringsAfterMs: 100 }, 'disconnected', { disconnect_reason: 'No Answer' }],
    [{ does: 'fail', sipStatus: 503 }, 'failed', {}],
  ])('%j ends as %s, reported once', async (callee, state, more) => {
    const rig = await rigOf({ callee: callee as never });
    const call = await rig.dial();
    await rig.pass(120_000);
    expect(rig.eventNames().filter((word) => word !== 'ringing')).toEqual([state]);
    expect(rig.received.at(-1)?.body).toMatchObject(more);
    expect((await rig.request('GET', `/voice/v1/call/${call}`)).body).toMatchObject({ state });
  });

  it('answers the request before the first event leaves', async () => {
    const rig = await rigOf({ callee: { does: 'answer' } });
    const seen: string[] = [];
    rig.answerEvent = ({ body }) => {
      seen.push(`event ${body['state']}`);
      return { status: 200 };
    };
    for (let round = 0; round < 20; round++) {
      const dialled = rig.dial().then(() => seen.push('response'));
      // The far end rings and answers while the response is still being made.
      await rig.pass(100);
      await dialled;
      await rig.pass(100);
      expect(seen.splice(0)).toEqual(['response', 'event ringing', 'event connected']);
    }
  });

  it('runs a flow of the library with input', async () => {
    const rig = await rigOf({ flows: { greet: GREET } });
    await rig.dial({ flow: 'greet', input: { name: 'Ada' } });
    await rig.pass(10_000);
    expect(rig.farEnds[0]?.heard.map(({ item }) => (item.type === 'speech' ? item.text : ''))).toEqual([
      'Hello Ada, how are you?',
    ]);
    expect(rig.eventNames()).toEqual(['ringing', 'connected', 'playfinished', 'greeted', 'disconnected']);
    expect(rig.received[3]?.body).toMatchObject({ event: 'greeted', body: { name: 'Ada' } });
  });

  it('runs a flow that is written out in the request', async () => {
    const rig = await rigOf();
    await rig.dial({
      action_on_connect: {
        flow: {
          flow: 'inline',
          start: 'say',
          steps: { say: { play: 'Hello from a request', next: 'bye' }, bye: { hangup: 'normal' } },
          defaults: { exits: { error: 'bye' } },
        },
      },
    });
    await rig.pass(10_000);
    expect(rig.eventNames()).toEqual(['ringing', 'connected', 'playfinished', 'disconnected']);
  });

  it('refuses a written-out flow that is wrong with place and hint', async () => {
    const rig = await rigOf();
    const { status, body } = await rig.request('POST', '/voice/v1/call', {
      from: '1000',
      to: '2000',
      flow: { flow: 'x', start: 'say', steps: { say: { plya: 'Hello there' } } },
    });
    expect(status).toBe(422);
    expect(body).toMatchObject({
      result: 422,
      state: 'failed',
      diagnostics: [
        { code: 'unknown-verb', message: expect.stringContaining('/steps/say'), hint: 'did you mean play?' },
      ],
    });
    await rig.pass(1000);
    expect(rig.farEnds).toEqual([]);
  });
});

const GREET = `
flow: greet
input: { name: { type: string } }
start: hello
defaults: { exits: { error: bye } }
steps:
  hello: { play: "Hello \${ input.name }, how are you?", next: tell }
  tell: { notify: { event: greeted, body: { name: "\${ input.name }" } }, next: bye }
  bye: { hangup: normal }
`;

describe('play', () => {
  it('is played, and answered with its id', async () => {
    const rig = await rigOf();
    const call = await rig.dial();
    await rig.pass(2000);
    const { status, body } = await rig.request('PUT', `/voice/v1/call/${call}/play`, { ...HELLO, prompt_ref: 'p2' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      voice_id: call,
      playstate: 'initiated',
      state: 'initiated',
      status: 'initiated',
      from: '1000',
      to: '2000',
      prompt_ref: 'p2',
    });
    expect((await rig.request('GET', `/voice/v1/call/${call}`)).body['state']).toBe('IVR');
    await rig.pass(5000);
    expect(rig.received.at(-1)?.body).toMatchObject({
      playstate: 'playfinished',
      play_id: body['play_id'],
      prompt_ref: 'p2',
    });
    expect((await rig.request('GET', `/voice/v1/call/${call}`)).body['state']).toBe('connected');
  });

  it('with dtmf: reports digitcollected with the digits twice, as text', async () => {
    const rig = await rigOf();
    const call = await rig.dial();
    await rig.pass(2000);
    await rig.request('POST', `/voice/v1/call/${call}/play`, {
      play: { ...HELLO, dtmf: 'true', recognizer_timeout: '3' },
    });
    await rig.pass(200);
    rig.farEnds[0]?.press('42');
    await rig.pass(3500);
    expect(rig.received.at(-1)?.body).toMatchObject({ playstate: 'digitcollected', digit: '42', digits: '42' });
    expect(rig.eventNames().filter((word) => word === 'playfinished')).toEqual([]);
  });

  it('with dtmf: reports menutimeout after start_timeout if the party is silent', async () => {
    const rig = await rigOf();
    const call = await rig.dial();
    await rig.pass(2000);
    await rig.request('PUT', `/voice/v1/call/${call}/play`, { ...HELLO, dtmf: true, start_timeout: 4 });
    const fromMs = rig.clock.now();
    await rig.pass(20_000);
    expect(rig.eventNames().slice(2)).toEqual(['menutimeout']);
    const promptMs = Math.round((HELLO.text.length / 14) * 1000);
    expect(rig.received.at(-1)!.atMs - fromMs).toBe(promptMs + 4000);
  });

  it('refuses a second play during the first, and says so in both bodies', async () => {
    const rig = await rigOf();
    const call = await rig.dial();
    await rig.pass(2000);
    await rig.request('PUT', `/voice/v1/call/${call}/play`, HELLO);
    const { status, body } = await rig.request('PUT', `/voice/v1/call/${call}/play`, HELLO);
    expect(status).toBe(408);
    expect(body).toMatchObject({
      result: 6114,
      state: 'failed',
      playstate: 'failed',
      voice_id: call,
      from: '1000',
      to: '2000',
    });
    await rig.pass(5000);
    expect(rig.eventNames().slice(2)).toEqual(['playfinished']);
  });

  it('before the answer: waits for it, and refuses a second one', async () => {
    const rig = await rigOf();
    const call = await rig.dial();
    await rig.pass(200);
    expect((await rig.request('PUT', `/voice/v1/call/${call}/play`, HELLO)).status).toBe(200);
    expect((await rig.request('PUT', `/voice/v1/call/${call}/play`, HELLO)).body['result']).toBe(6114);
    await rig.pass(5000);
    expect(rig.eventNames()).toEqual(['ringing', 'connected', 'playfinished']);
  });

  it.each<[string, object, number, number]>([
    ['a language that nobody speaks', { ...HELLO, language: UNSPOKEN }, 406, 6117],
    ['a voice that breaks', { ...HELLO, text: 'broken' }, 503, 6107],
    ['neither text nor name', { prompt_ref: 'x' }, 400, 400],
    ['an unknown prompt', { prompt_name: 'nobody-made-it' }, 400, 400],
    ['a timeout out of range', { ...HELLO, dtmf: true, start_timeout: 11 }, 400, 400],
    ['a voice that can do no such thing', { ...HELLO, text_to_speech_option: { prosody: { rate: 'odd' } } }, 400, 400],
    ['an option that is none', { ...HELLO, text_to_speech_option: 'loud' }, 400, 400],
    ['a text without end', { ...HELLO, text: 'x'.repeat(4001) }, 400, 400],
  ])('%s is refused before any audio is played', async (_what, play, status, result) => {
    const rig = await rigOf();
    const call = await rig.dial();
    await rig.pass(2000);
    const answer = await rig.request('PUT', `/voice/v1/call/${call}/play`, play);
    expect([answer.status, answer.body['result']]).toEqual([status, result]);
    expect(answer.body).toMatchObject({ playstate: 'failed', voice_id: call, from: '1000' });
    await rig.pass(2000);
    expect(rig.farEnds[0]?.heard).toEqual([]);
  });

  it('speaks a configured prompt in the requested language', async () => {
    const config = `${NUMBERS}prompts:\n  bye: { languages: { en-US: { text: Goodbye }, de-DE: { text: Tschuess, voice: male } } }\n`;
    const rig = await rigOf({ config });
    const call = await rig.dial({ action_on_connect: { play: { prompt_name: 'bye', language: 'de-AT' } } });
    await rig.pass(5000);
    await rig.request('PUT', `/voice/v1/call/${call}/play`, { prompt_name: 'bye' });
    await rig.pass(5000);
    expect(rig.farEnds[0]?.heard.map(({ item }) => item)).toMatchObject([
      { text: 'Tschuess', language: 'de-DE', voice: 'male' },
      { text: 'Goodbye', language: 'en-US', voice: 'female' },
    ]);
  });
});

describe('hang up', () => {
  it('ends the call with success, and refuses every later command', async () => {
    const rig = await rigOf();
    const call = await rig.dial();
    await rig.pass(2000);
    const { status, body } = await rig.request('DELETE', `/voice/v1/call/${call}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ voice_id: call, state: 'success', status: 'success', from: '1000', to: '2000' });
    await rig.pass(1000);
    expect(rig.eventNames()).toEqual(['ringing', 'connected', 'disconnected']);
    expect((await rig.request('PUT', `/voice/v1/call/${call}/play`, HELLO)).status).toBe(400);
    expect((await rig.request('DELETE', `/voice/v1/call/${call}`)).status).toBe(409);
    expect((await rig.request('POST', `/voice/v1/call/${call}/accept`)).status).toBe(409);
  });

  it('before the answer: cancels the call', async () => {
    const rig = await rigOf();
    const call = await rig.dial();
    await rig.pass(500);
    await rig.request('DELETE', `/voice/v1/call/${call}`);
    await rig.pass(5000);
    expect(rig.eventNames()).toEqual(['ringing', 'disconnected']);
    expect(rig.farEnds[0]?.state).toBe('ended');
  });
});

describe('an inbound call', () => {
  it('is refused as such if its number is unknown', async () => {
    const rig = await rigOf();
    const farEnd = rig.call('4711');
    const notices: unknown[] = [];
    farEnd.observe((notice) => notices.push(notice));
    await rig.pass(100);
    expect(notices).toMatchObject([{ type: 'ended', cause: { code: 1 } }]);
    expect(rig.received).toEqual([]);
  });

  it('is refused at once if its number is for outgoing calls only', async () => {
    const rig = await rigOf({ config: 'numbers: [{ number: "1000" }]\n' });
    const notices: unknown[] = [];
    rig.call('1000').observe((notice) => notices.push(notice));
    await rig.pass(100);
    expect(notices).toMatchObject([{ type: 'ended' }]);
    expect(rig.app.liveCalls).toBe(0);
  });

  it('reports incomingcall at once, is accepted, and is then steered', async () => {
    const rig = await rigOf();
    const farEnd = rig.call('1000');
    await rig.pass(100);
    const call = String(rig.received[0]?.body['voice_id']);
    expect(rig.received[0]?.body).toMatchObject({ state: 'incomingcall', from: '5551234', to: '1000' });
    expect((await rig.request('GET', `/voice/v1/call/${call}`)).body).toMatchObject({
      state: 'In progress',
      direction: 'Inbound',
    });
    const { status, body } = await rig.request('POST', `/voice/v1/call/${call}/accept/`, '', {
      headers: { 'content-type': 'application/json' },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ voice_id: call, state: 'success', status: 'success', from: '5551234', to: '1000' });
    await rig.pass(500);
    await rig.request('PUT', `/voice/v1/call/${call}/play`, HELLO);
    await rig.pass(5000);
    expect(farEnd.heard).toHaveLength(1);
    expect((await rig.request('PUT', `/voice/v1/call/${call}/accept`)).status).toBe(409);
    farEnd.hangUp();
    await rig.pass(500);
    expect(rig.eventNames()).toEqual(['incomingcall', 'connected', 'playfinished', 'disconnected']);
  });

  it('plays the greeting before the application is notified, without answering', async () => {
    const rig = await rigOf({ config: 'numbers: [{ number: "1000", webhook: HOOK, greeting: Good morning }]\n' });
    const farEnd = rig.call('1000');
    const startMs = rig.clock.now();
    await rig.pass(100);
    expect(rig.received).toEqual([]);
    expect(farEnd.hears).toBe(true);
    await rig.pass(5000);
    expect(farEnd.state).toBe('ringing');
    expect(rig.eventNames()).toEqual(['incomingcall']);
    const incoming = rig.received.find(({ body }) => body['state'] === 'incomingcall')!;
    expect(incoming.atMs - startMs).toBeGreaterThanOrEqual(Math.floor(('Good morning'.length / 14) * 1000));
    await rig.request('POST', `/voice/v1/call/${incoming.body['voice_id']}/accept`);
    await rig.pass(500);
    expect(farEnd.state).toBe('connected');
  });

  it('is dropped after 30 s without acceptance', async () => {
    const rig = await rigOf();
    const farEnd = rig.call('1000');
    await rig.pass(29_000);
    expect(farEnd.state).toBe('ringing');
    await rig.pass(2000);
    expect(farEnd.state).toBe('ended');
    expect(rig.eventNames()).toEqual(['incomingcall', 'disconnected']);
  });

  it('is answered automatically on a number with auto_accept', async () => {
    const rig = await rigOf({ config: 'numbers: [{ number: "1000", webhook: HOOK, auto_accept: true }]\n' });
    const farEnd = rig.call('1000');
    await rig.pass(500);
    expect(farEnd.state).toBe('connected');
    expect(rig.eventNames()).toEqual(['incomingcall', 'connected']);
  });

  it('runs the flow of its number with its input, whatever marks were dialled', async () => {
    const rig = await rigOf({
      flows: { greet: GREET },
      config: 'numbers: [{ number: "+33 1 99", flow: greet, input: { name: Bob }, webhook: HOOK }]\n',
    });
    const farEnd = rig.call('33199');
    await rig.pass(10_000);
    expect(farEnd.heard.map(({ item }) => (item.type === 'speech' ? item.text : ''))).toEqual([
      'Hello Bob, how are you?',
    ]);
    expect(rig.eventNames()).toEqual(['incomingcall', 'connected', 'playfinished', 'greeted', 'disconnected']);
  });
});

describe('an event of the application', () => {
  const WAITING = `
flow: waiting
start: wait
steps:
  wait: { wait_for: { events: [paid], timeout: 60s }, exits: { paid: tell, timeout: bye } }
  tell: { notify: { event: seen, body: "\${ steps.wait.data.amount }" }, next: bye }
  bye: { hangup: normal }
`;
  it('moves the flow that waits for it; refuses another event', async () => {
    const rig = await rigOf({ flows: { waiting: WAITING } });
    const call = await rig.dial({ flow: 'waiting' });
    await rig.pass(2000);
    expect((await rig.request('POST', `/voice/v1/call/${call}/event`, { event: 'refunded' })).status).toBe(409);
    const { status, body } = await rig.request('POST', `/voice/v1/call/${call}/event`, {
      event: 'paid',
      data: { amount: 7 },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ voice_id: call, state: 'success', event: 'paid' });
    await rig.pass(1000);
    expect(rig.received.find(({ body }) => body['event'] === 'seen')?.body['body']).toBe(7);
  });
});

describe('an answer to an event', () => {
  const answering = async (answer: string): Promise<ApiRig> => {
    const rig = await rigOf({ flows: { greet: GREET } });
    rig.answerEvent = ({ body }) =>
      body['state'] === 'connected' ? { status: 200, body: answer } : { status: 200, body: '' };
    await rig.dial();
    await rig.pass(8000);
    return rig;
  };
  const heardBy = (rig: ApiRig) => rig.farEnds[0]?.heard.map(({ item }) => (item.type === 'speech' ? item.text : ''));

  it('plays the text of a play object', async () => {
    expect(heardBy(await answering(JSON.stringify({ play: { ...HELLO, voice: 'MALE' } })))).toEqual(['Hello there']);
  });
  it('hangs up the call for {"hangup": true}', async () => {
    expect((await answering('{"hangup": true}')).eventNames()).toEqual(['ringing', 'connected', 'disconnected']);
  });
  it('runs a flow by its name', async () => {
    expect(heardBy(await answering('{"flow": "greet", "input": {"name": "Eve"}}'))).toEqual([
      'Hello Eve, how are you?',
    ]);
  });
  it('runs a flow that is written out', async () => {
    const flow = {
      flow: 'f',
      start: 'a',
      steps: { a: { play: 'A flow in an answer', exits: { done: '$end', error: '$end' } } },
    };
    expect(heardBy(await answering(JSON.stringify({ flow })))).toEqual(['A flow in an answer']);
  });
  it.each([
    '{"play": {}}',
    '{"play": 3}',
    '{"playy": {"text": "x"}}',
    '{"play": {"text": "Hello there"}, "hangup": true}',
    '{"hangup": false}',
    '{"outcome": "sold"}',
    '{"flow": "no-such-flow"}',
    '{"flow": {"flow": "f"}}',
    '{"status": "ok"}',
    '[1]',
  ])('%s is noted and changes nothing', async (answer) => {
    const rig = await answering(answer);
    expect(rig.eventNames()).toEqual(['ringing', 'connected']);
    expect(heardBy(rig)).toEqual([]);
    expect(rig.logLines.filter(({ message }) => message === 'call.answer_ignored')).toHaveLength(1);
  });
  it.each(['OK', '', '{}', '"x"', '<html>'])('ignores an answer with %s', async (answer) => {
    const rig = await answering(answer);
    expect(rig.eventNames()).toEqual(['ringing', 'connected']);
    expect(rig.logLines.filter(({ message }) => message === 'call.answer_ignored')).toEqual([]);
  });
});

describe('after a crash', () => {
  it('sends one final event for each earlier call, and treats it as ended', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'callweave-crash-')), 'callweave.db');
    const clock = new VirtualClock();
    const before = await rigOf({ store: openSqliteStore({ file, clock }) });
    const connected = await before.dial();
    await before.pass(2000);
    before.callee = { does: 'no_answer', ringsAfterMs: 100 };
    const ringing = await before.dial();
    await before.pass(2000);
    const incoming = before.call('1000');
    await before.pass(100);
    expect(incoming.state).toBe('ringing');
    expect(before.app.liveCalls).toBe(3);

    // A second run on the same file. The first one never writes again, because its clock is stopped.
    const rig = await rigOf({ store: openSqliteStore({ file, clock }) });
    opened.splice(opened.indexOf(before), 1);
    await rig.settle();
    await before.settle();
    const states = (call: string) =>
      before.received.filter(({ body }) => body['voice_id'] === call).map(({ body }) => body['state']);
    expect(states(connected)).toEqual(['ringing', 'connected', 'disconnected']);
    expect(states(ringing)).toEqual(['ringing', 'failed']);
    for (const [call, state] of [
      [connected, 'disconnected'],
      [ringing, 'failed'],
    ] as const) {
      expect((await rig.request('GET', `/voice/v1/call/${call}`)).body['state']).toBe(state);
      const journal = await rig.store.calls.journal(call);
      expect(journal.map(({ seq }) => seq)).toEqual(journal.map((_, index) => index + 1));
      expect(journal.at(-1)).toMatchObject({ kind: 'ended', reason: 'lost' });
    }
    expect(await rig.store.calls.unfinished()).toEqual([]);
    await before.crash();
  });
});

describe('a service that stops', () => {
  it('refuses new calls, and lets live calls finish', async () => {
    const rig = await rigOf();
    const call = await rig.dial();
    await rig.pass(2000);
    const stopped = rig.app.stop(20_000);
    expect((await rig.request('GET', '/health')).status).toBe(503);
    expect(await rig.request('POST', '/voice/v1/call', { from: '1000', to: '2000' })).toMatchObject({ status: 503 });
    const refused = rig.call('1000');
    await rig.pass(1000);
    expect(refused.state).toBe('ended');
    expect((await rig.request('GET', `/voice/v1/call/${call}`)).body['state']).toBe('connected');
    rig.farEnds[0]?.hangUp();
    await rig.pass(5000);
    await stopped;
    opened.splice(opened.indexOf(rig), 1);
    await rig.crash();
    expect(rig.eventNames()).toEqual(['ringing', 'connected', 'disconnected']);
  });
});
