/** REST commands during another action: which action ends, which continues, and the errors. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import type { ApiRig } from './rig.ts';
import { bridged, connected, NUMBERS, openRig } from './rigs.ts';

const CALL = '/voice/v1/call';
const config = `${NUMBERS}rooms: [{ room_id: board, pin: "4711" }, { room_id: lobby, pin: "4712" }]\n`;
const LONG = {
  text: 'This is a prompt that takes its time, so that something can happen meanwhile',
  prompt_ref: 'long',
};
const ASKING = { ...LONG, dtmf: true };

type Order = readonly [method: string, path: (call: string) => string, body: object | undefined];

const ORDERS = {
  play: ['PUT', (call) => `${CALL}/${call}/play`, { text: 'Hello there' }],
  connect: ['PUT', (call) => `${CALL}/${call}/connect`, { from: '1000', to: '4000' }],
  transfer: ['PUT', (call) => `${CALL}/${call}/transfer`, { from: '1000', transfer_to: '4001' }],
  conference: ['POST', (call) => `/voice/v1/conference/${call}`, {}],
  room: ['PUT', (call) => `/voice/v1/room/board/call/${call}/join`, {}],
  'stop play': ['DELETE', (call) => `${CALL}/${call}/play`, undefined],
  hold: ['POST', (call) => `${CALL}/${call}/hold`, { hold: true }],
  'start recording': ['PUT', (call) => `${CALL}/${call}/recording`, {}],
} satisfies Record<string, Order>;
type Name = keyof typeof ORDERS;

async function order(rig: ApiRig, call: string, name: Name): Promise<{ status: number; body: JsonObject }> {
  const [method, path, body] = ORDERS[name] as Order;
  return rig.request(method, path(call), body);
}

const DONE: Partial<Record<Name, string[]>> = {
  connect: ['bridging', 'bridged'],
  conference: ['conference_joined'],
  room: ['joined'],
};

describe('during a prompt', () => {
  it.each(['connect', 'conference', 'room'] as const)('%s ends the prompt and continues', async (name) => {
    const { rig, call } = await connected({ config });
    const { body } = await rig.request('PUT', `${CALL}/${call}/play`, LONG);
    await rig.pass(500);
    expect((await order(rig, call, name)).status).toBe(200);
    await rig.pass(8000);
    const told = rig.events();
    expect(told.map(({ state, playstate }) => state ?? playstate)).toEqual(['playfinished', ...DONE[name]!]);
    expect(told[0]).toMatchObject({ play_id: body['play_id'], prompt_ref: 'long' });
  });

  it.each(['connect', 'conference', 'room'] as const)(
    '%s fails a prompt that collects digits, and continues',
    async (name) => {
      const { rig, call } = await connected({ config });
      await rig.request('PUT', `${CALL}/${call}/play`, ASKING);
      await rig.pass(500);
      expect((await order(rig, call, name)).status).toBe(200);
      await rig.pass(20_000);
      const told = rig.events();
      expect(told.map(({ state, playstate }) => state ?? playstate)).toEqual(['failed', ...DONE[name]!]);
      expect(told[0]).toMatchObject({
        playstate: 'failed',
        prompt_ref: 'long',
        description: expect.stringMatching(/^ended by/),
      });
    },
  );

  it('is ended by connect at the start of a dial-out, and connect continues', async () => {
    const rig = await openRig();
    const call = await rig.dial({ action_on_connect: { play: ASKING } });
    await rig.pass(2000);
    expect((await order(rig, call, 'connect')).status).toBe(200);
    await rig.pass(3000);
    expect(rig.eventNames()).toEqual(['ringing', 'connected', 'failed', 'bridging', 'bridged']);
  });

  it('ends the prompt by the command in the answer to an event, and continues', async () => {
    const rig = await openRig({ config });
    rig.answerEvent = ({ body }) => ({
      status: 200,
      body: body['state'] === 'joined' ? '{"connect": {"to": "4000"}}' : '',
    });
    const call = await rig.dial({ action_on_connect: { room: { room_id: 'board' } } });
    await rig.pass(4000);
    expect(rig.eventNames()).toEqual(['ringing', 'connected', 'joined', 'left', 'bridging', 'bridged']);
    expect(rig.events(call).find(({ state }) => state === 'left')).toMatchObject({ room_id: 'board' });
  });

  it('drops the prompt of a ringing call for a connect, and reports it', async () => {
    const rig = await openRig();
    const call = await rig.dial();
    await rig.pass(200);
    await rig.request('PUT', `${CALL}/${call}/play`, LONG);
    expect((await order(rig, call, 'connect')).status).toBe(200);
    await rig.pass(5000);
    const told = rig.events();
    expect(told.map(({ state, playstate }) => state ?? playstate)).toEqual([
      'ringing',
      'failed',
      'connected',
      'bridging',
      'bridged',
    ]);
    expect(told[1]).toMatchObject({ playstate: 'failed', prompt_ref: 'long', description: 'ended by connect' });
  });

  it('ends the prompt of a flow by connect, and leaves the flow', async () => {
    const flow = `
flow: ivr
start: hello
defaults: { exits: { error: bye } }
steps:
  hello: { play: This is a prompt that takes its time, next: more }
  more: { play: And another one, next: wait }
  wait: { wait_for: { events: [bridge], commands: true }, exits: { bridge: bye } }
  bye: { hangup: normal }
`;
    const { rig, call } = await connected({ flows: { ivr: flow } }, { flow: 'ivr' });
    expect((await order(rig, call, 'connect')).status).toBe(200);
    await rig.pass(3000);
    expect(rig.eventNames()).toEqual(['playfinished', 'bridging', 'bridged']);
  });
});

describe('leaving a conference or a room', () => {
  it.each<[string, Name, Name, string[]]>([
    ['a conference', 'conference', 'connect', ['conference_left', 'bridging', 'bridged']],
    ['a conference', 'conference', 'conference', ['conference_left', 'conference_joined']],
    ['a conference', 'conference', 'room', ['conference_left', 'joined']],
    ['a room', 'room', 'connect', ['left', 'bridging', 'bridged']],
    ['a room', 'room', 'conference', ['left', 'conference_joined']],
  ])('leaves %s (%s, then %s), reports it, and executes the second command', async (_what, first, second, words) => {
    const { rig, call } = await connected({ config });
    await order(rig, call, first);
    await rig.pass(1000);
    rig.received.length = 0;
    expect((await order(rig, call, second)).status).toBe(200);
    await rig.pass(3000);
    expect(rig.eventNames()).toEqual(words);
    if (second === 'connect') expect(rig.farEnd('2000').company.map(({ to }) => to)).toEqual(['4000']);
  });

  it('takes a member off hold when it leaves the conference', async () => {
    const { rig, call } = await connected({ config });
    const { body } = await order(rig, call, 'conference');
    await rig.pass(500);
    await rig.request('PUT', `/voice/v1/conference/${body['conference_id']}/participant/${call}`, { hold: true });
    await rig.pass(500);
    expect(rig.farEnd('2000').isHeld).toBe(true);
    await order(rig, call, 'connect');
    await rig.pass(2000);
    expect(rig.farEnd('2000').isHeld).toBe(false);
  });

  it('keeps a call that left a conference when that ends', async () => {
    const { rig, call } = await connected({ config });
    const { body } = await order(rig, call, 'conference');
    const other = await rig.request('PUT', `/voice/v1/conference/${body['conference_id']}`, {
      from: '1000',
      to: '2001',
    });
    await rig.pass(2000);
    expect(other.status).toBe(200);
    await order(rig, call, 'connect');
    await rig.pass(2000);
    expect((await rig.request('DELETE', `/voice/v1/conference/${body['conference_id']}`)).status).toBe(200);
    await rig.pass(1000);
    expect([rig.farEnd('2000').state, rig.farEnd('2001').state]).toEqual(['connected', 'ended']);
  });

  it('returns 409 for the conference that the call is in, and keeps it there', async () => {
    const { rig, call } = await connected({ config });
    const { body } = await order(rig, call, 'conference');
    await rig.pass(500);
    rig.received.length = 0;
    const again = await rig.request('PUT', `/voice/v1/conference/${call}/${body['conference_id']}`);
    expect([again.status, again.body['msg']]).toEqual([409, 'the call is in this conference already']);
    await rig.pass(500);
    expect(rig.received).toEqual([]);
  });
});

describe('DELETE /voice/v1/call/{voice_id}/play', () => {
  it.each<[string, object, string]>([
    ['a prompt', LONG, 'playfinished'],
    ['a question', ASKING, 'failed'],
  ])('DELETE /play: ends %s, which has one end, and the call takes the next', async (_what, play, word) => {
    const { rig, call } = await connected();
    const { body } = await rig.request('PUT', `${CALL}/${call}/play`, play);
    await rig.pass(500);
    const stopped = await order(rig, call, 'stop play');
    expect(stopped.status).toBe(200);
    expect(stopped.body).toMatchObject({
      voice_id: call,
      play_id: body['play_id'],
      state: 'success',
      status: 'success',
      from: '1000',
      to: '2000',
      timestamp: expect.any(String),
    });
    await rig.pass(20_000);
    expect(rig.events()).toMatchObject([{ playstate: word, play_id: body['play_id'], prompt_ref: 'long' }]);
    expect((await order(rig, call, 'play')).status).toBe(200);
  });

  it('DELETE /play: ends a prompt of a flow, which continues', async () => {
    const flow = `
flow: tells
start: one
defaults: { exits: { error: bye } }
steps:
  one: { play: This is the first prompt of several, next: two }
  two: { play: This is the second, next: bye }
  bye: { hangup: normal }
`;
    const { rig, call } = await connected({ flows: { tells: flow } }, { flow: 'tells' });
    expect((await order(rig, call, 'stop play')).status).toBe(200);
    await rig.pass(500);
    expect(rig.eventNames()).toEqual(['playfinished']);
    await rig.pass(5000);
    expect(rig.eventNames()).toEqual(['playfinished', 'playfinished', 'disconnected']);
  });

  it('DELETE /play: fails a prompt that waits for the answer, without playing it', async () => {
    const rig = await openRig();
    const call = await rig.dial();
    await rig.pass(200);
    const { body } = await rig.request('PUT', `${CALL}/${call}/play`, LONG);
    expect((await order(rig, call, 'stop play')).body['play_id']).toBe(body['play_id']);
    await rig.pass(8000);
    expect(rig.eventNames()).toEqual(['ringing', 'failed', 'connected']);
    expect(rig.farEnd('2000').heard).toEqual([]);
  });

  it('DELETE /play: returns 409 without a prompt, and for a repetition', async () => {
    const { rig, call } = await connected();
    const nothing = { status: 409, body: { result: 409, state: 'failed', msg: 'no prompt is playing' } };
    expect(await order(rig, call, 'stop play')).toMatchObject(nothing);
    await rig.request('PUT', `${CALL}/${call}/play`, LONG);
    expect((await order(rig, call, 'stop play')).status).toBe(200);
    expect(await order(rig, call, 'stop play')).toMatchObject(nothing);
    await rig.pass(1000);
    expect(rig.eventNames()).toEqual(['playfinished']);
  });
});

describe('a call that was not accepted', () => {
  it.each(['conference', 'room'] as const)('is accepted by the command to join a %s', async (name) => {
    const rig = await openRig({ config });
    rig.call('1000');
    await rig.pass(100);
    const call = String(rig.received[0]?.body['voice_id']);
    expect((await order(rig, call, name)).status).toBe(200);
    await rig.pass(500);
    expect(rig.eventNames()).toEqual(['incomingcall', 'connected', ...DONE[name]!]);
  });

  it.each<[string, string, string]>([
    ['conference', '{"conference": {"name": "daily"}}', 'conference_joined'],
    ['room', '{"room": {"room_id": "board"}}', 'joined'],
  ])('is accepted by the answer to its incomingcall that names a %s', async (_what, answer, word) => {
    const rig = await openRig({ config });
    rig.answerEvent = ({ body }) => ({ status: 200, body: body['state'] === 'incomingcall' ? answer : '' });
    rig.call('1000');
    await rig.pass(1000);
    expect(rig.eventNames()).toEqual(['incomingcall', 'connected', word]);
  });

  it('is accepted by a command during its greeting, once that has ended', async () => {
    const greeting = 'Good morning, you have reached the shop';
    const rig = await openRig({ config: `numbers: [{ number: "1000", webhook: HOOK, greeting: "${greeting}" }]\n` });
    rig.call('1000');
    await rig.pass(500);
    expect(rig.received).toEqual([]);
    const { body } = await rig.request('GET', CALL);
    const call = String((body['calls'] as JsonObject[])[0]?.['voice_id']);
    expect((await order(rig, call, 'conference')).status).toBe(200);
    await rig.pass(8000);
    expect(rig.eventNames()).toEqual(['incomingcall', 'connected', 'conference_joined']);
  });

  it('plays a greeting that connect ends once it is accepted', async () => {
    const greeting = 'greeting: "Good morning, you have reached the shop", greeting_heard: after_connect';
    const rig = await openRig({ config: `numbers: [{ number: "1000", webhook: HOOK, ${greeting} }]\n` });
    rig.call('1000');
    await rig.pass(100);
    const call = String(rig.received[0]?.body['voice_id']);
    await rig.request('POST', `${CALL}/${call}/accept`);
    await rig.pass(500);
    expect((await order(rig, call, 'connect')).status).toBe(200);
    await rig.pass(2000);
    expect(rig.eventNames()).toEqual(['incomingcall', 'connected', 'playfinished', 'bridging', 'bridged']);
  });

  it('is not accepted by connect, which waits for it', async () => {
    const rig = await openRig({ config });
    rig.call('1000');
    await rig.pass(100);
    const call = String(rig.received[0]?.body['voice_id']);
    expect((await order(rig, call, 'connect')).status).toBe(200);
    await rig.pass(1000);
    expect(rig.eventNames()).toEqual(['incomingcall']);
    await rig.request('POST', `${CALL}/${call}/accept`);
    await rig.pass(2000);
    expect(rig.eventNames()).toEqual(['incomingcall', 'connected', 'bridging', 'bridged']);
  });
});

describe('commands that do not fit the state of the call', () => {
  const outOf: Record<string, () => Promise<{ rig: ApiRig; call: string }>> = {
    'that is bridged': () => bridged({ config }),
    'that is being connected': async () => {
      const { rig, call } = await connected({ config });
      rig.callees['4000'] = { does: 'no_answer' };
      await order(rig, call, 'connect');
      await rig.pass(1000);
      return { rig, call };
    },
    'that is being transferred': async () => {
      const { rig, call } = await bridged({ config });
      rig.callees['4001'] = { does: 'no_answer' };
      await order(rig, call, 'transfer');
      await rig.pass(1000);
      return { rig, call };
    },
    'that rings': async () => {
      const rig = await openRig({ config, callee: { does: 'no_answer' } });
      const call = await rig.dial();
      await rig.pass(1000);
      return { rig, call };
    },
    'that rings, and will be connected': async () => {
      const rig = await openRig({ config, callee: { does: 'no_answer' } });
      const call = await rig.dial();
      await rig.pass(1000);
      await order(rig, call, 'connect');
      return { rig, call };
    },
    'that is in a conference': async () => {
      const { rig, call } = await connected({ config });
      await order(rig, call, 'conference');
      await rig.pass(500);
      return { rig, call };
    },
    'that is in a room': async () => {
      const { rig, call } = await connected({ config });
      await order(rig, call, 'room');
      await rig.pass(500);
      return { rig, call };
    },
    'that is connected': () => connected({ config }),
  };

  it.each<[Name, string, string]>([
    ['connect', 'that is bridged', 'the call is bridged'],
    ['conference', 'that is bridged', 'the call is bridged'],
    ['room', 'that is bridged', 'the call is bridged'],
    ['connect', 'that is being connected', 'the call is being connected'],
    ['conference', 'that is being connected', 'the call is being connected'],
    ['play', 'that is being connected', 'the call is being connected'],
    ['transfer', 'that is being transferred', 'the call is being transferred'],
    ['hold', 'that rings', 'the call is ringing'],
    ['connect', 'that rings, and will be connected', 'the call is ringing'],
    ['play', 'that rings, and will be connected', 'the call is ringing'],
    ['stop play', 'that rings', 'no prompt is playing'],
    ['play', 'that is in a conference', 'the call is in a conference'],
    ['play', 'that is in a room', 'the call is in a room'],
    ['transfer', 'that is in a room', 'the call is not bridged'],
    ['transfer', 'that is connected', 'the call is not bridged'],
    ['start recording', 'that is connected', 'the call is not bridged'],
  ])('refuses %s of a call %s with 409: %s', async (name, state, msg) => {
    const { rig, call } = await outOf[state]!();
    rig.received.length = 0;
    const { status, body } = await order(rig, call, name);
    expect([status, body['result'], body['state'], body['msg']]).toEqual([409, 409, 'failed', msg]);
    await rig.pass(500);
    expect(rig.received).toEqual([]);
  });
});
