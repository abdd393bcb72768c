/** Bridge, transfer, forward and hold by REST, for each row of the documented tables. */
import { describe, expect, it } from 'vitest';
import { bridged, connected, openRig } from './rigs.ts';

const connectTo = (to: string, from = '1000') => ({ from, to });

describe('PUT /voice/v1/call/{voice_id}/connect', () => {
  it('PUT /connect: returns bridge_id and initiated, then names the parties in bridging and bridged', async () => {
    const { rig, call } = await connected();
    const { status, body } = await rig.request('PUT', `/voice/v1/call/${call}/connect`, connectTo('4000'));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      voice_id: call,
      bridge_id: expect.any(String),
      state: 'initiated',
      status: 'success',
      from: '1000',
      to: '4000',
      timestamp: expect.any(String),
    });
    await rig.pass(2000);
    const common = { voice_id: call, bridge_id: body['bridge_id'], from: '1000', to: '4000' };
    expect(rig.events()).toEqual([
      { ...common, state: 'bridging' },
      { ...common, state: 'bridged' },
    ]);
    expect((await rig.request('GET', `/voice/v1/call/${call}`)).body['state']).toBe('connected');
  });

  it('PUT /connect: reports bridge_disconnected when the bridged number hangs up, and the call continues', async () => {
    const { rig, call } = await bridged();
    rig.farEnd('4000').hangUp();
    await rig.pass(1000);
    expect(rig.events()).toMatchObject([{ state: 'bridge_disconnected', to: '4000' }]);
    expect((await rig.request('PUT', `/voice/v1/call/${call}/play`, { text: 'Hello there' })).status).toBe(200);
  });

  it('PUT /connect: ends the bridge when the original party hangs up, and reports it before the call', async () => {
    const { rig } = await bridged();
    rig.farEnd('2000').hangUp();
    await rig.pass(1000);
    expect(rig.events()).toMatchObject([
      { state: 'bridge_disconnected', to: '4000', bridge_id: expect.any(String), disconnect_reason: 'Normal Clearing' },
      { state: 'disconnected', to: '2000', disconnect_reason: 'Normal Clearing' },
    ]);
    expect(rig.farEnd('4000').state).toBe('ended');
  });

  it.each([
    ['busy', { does: 'busy' }, 'User Busy'],
    ['declined', { does: 'declined' }, 'Call Rejected'],
    ['not answered', { does: 'no_answer', ringsAfterMs: 100 }, 'No Answer'],
    ['unreachable', { does: 'unreachable' }, 'No Route To Destination'],
  ])('PUT /connect: reports failed for a number that is %s, and the call continues', async (_what, plan, reason) => {
    const { rig, call } = await connected();
    rig.callees['4000'] = plan as never;
    await rig.request('PUT', `/voice/v1/call/${call}/connect`, connectTo('4000'));
    await rig.pass(120_000);
    const last = rig.events().at(-1);
    expect(last).toMatchObject({ state: 'failed', bridge_id: expect.any(String), disconnect_reason: reason });
    expect((await rig.request('GET', `/voice/v1/call/${call}`)).body['state']).toBe('connected');
  });

  it('PUT /connect: waits for the answer if sent before it', async () => {
    const rig = await openRig();
    const call = await rig.dial();
    await rig.pass(300);
    expect((await rig.request('PUT', `/voice/v1/call/${call}/connect`, connectTo('4000'))).status).toBe(200);
    await rig.pass(300);
    expect(rig.eventNames()).toEqual(['ringing']);
    await rig.pass(3000);
    expect(rig.eventNames()).toEqual(['ringing', 'connected', 'bridging', 'bridged']);
  });

  it('POST /voice/v1/calls/{voice_id}: accepts {"connect": {…}} for the same', async () => {
    const { rig, call } = await connected();
    const { status, body } = await rig.request('POST', `/voice/v1/calls/${call}`, { connect: connectTo('4000') });
    expect([status, body['bridge_id']]).toEqual([200, expect.any(String)]);
    await rig.pass(2000);
    expect(rig.eventNames()).toEqual(['bridging', 'bridged']);
  });

  it('action_on_connect.connect: bridges the call as soon as it is answered', async () => {
    const rig = await openRig();
    await rig.dial({ action_on_connect: { connect: connectTo('4000') } });
    await rig.pass(4000);
    expect(rig.eventNames()).toEqual(['ringing', 'connected', 'bridging', 'bridged']);
    expect(rig.farEnd('4000').from).toBe('1000');
  });

  it('DTMF: reports a digit of a bridged call as dtmfcollected', async () => {
    const { rig, call } = await bridged();
    rig.farEnd('2000').press('5#');
    await rig.pass(1000);
    expect(rig.events()).toMatchObject([
      { voice_id: call, state: 'dtmfcollected', digit: '5' },
      { voice_id: call, state: 'dtmfcollected', digit: '#' },
    ]);
  });

  it('PUT /connect: bridges an accepted inbound call from its own number', async () => {
    const rig = await openRig();
    rig.call('1000');
    await rig.pass(100);
    const call = String(rig.received[0]?.body['voice_id']);
    await rig.request('POST', `/voice/v1/call/${call}/accept`);
    await rig.pass(100);
    await rig.request('PUT', `/voice/v1/call/${call}/connect`, connectTo('4000'));
    await rig.pass(2000);
    expect(rig.eventNames()).toEqual(['incomingcall', 'connected', 'bridging', 'bridged']);
    expect(rig.farEnd('4000').from).toBe('1000');
  });

  it.each<[string, object, number, number]>([
    ['404/6118: from is no number of the project', { from: '5555', to: '4000' }, 404, 6118],
    ["404/6118: from is another project's number", { from: '3000', to: '4000' }, 404, 6118],
    ['404/6110: there is no way to the number', { from: '1000', to: '6666' }, 404, 6110],
    ['400: no from', { to: '4000' }, 400, 400],
    ['400: no to', { from: '1000' }, 400, 400],
    ['400: to is no number', { from: '1000', to: 'four thousand' }, 400, 400],
  ])('PUT /connect: answers %s', async (_what, body, status, result) => {
    const { rig, call } = await connected();
    rig.unreachable.add('6666');
    const answer = await rig.request('PUT', `/voice/v1/call/${call}/connect`, body);
    expect([answer.status, answer.body['result']]).toEqual([status, result]);
    expect(answer.body).toMatchObject({ state: 'failed', voice_id: call });
    await rig.pass(1000);
    expect(rig.received).toEqual([]);
  });

  it('PUT /connect: returns 404/6110 on an engine that cannot bridge', async () => {
    const { rig, call } = await connected({ lacks: ['mix'] });
    const { status, body } = await rig.request('PUT', `/voice/v1/call/${call}/connect`, connectTo('4000'));
    expect([status, body['result']]).toEqual([404, 6110]);
  });

  it('PUT /connect: returns 409 while the call is already bridged', async () => {
    const { rig, call } = await bridged();
    const { status, body } = await rig.request('PUT', `/voice/v1/call/${call}/connect`, connectTo('4001'));
    expect([status, body['result'], body['msg']]).toEqual([409, 409, 'the call is bridged']);
  });

  it('cli_policy any: shows the caller ID that a project asks for', async () => {
    const projects = 'projects: [{ app_id: shop, app_key: key-of-the-shop-0001, cli_policy: any }]\n';
    const rig = await openRig({ config: 'numbers: [{ number: "1000" }]\n', projects });
    const call = await rig.dial({ from: '7777' });
    await rig.pass(2000);
    expect((await rig.request('PUT', `/voice/v1/call/${call}/connect`, connectTo('4000', '8888'))).status).toBe(200);
    await rig.pass(2000);
    expect(rig.farEnd('4000').from).toBe('8888');
  });
});

describe('PUT /voice/v1/call/{voice_id}/play', () => {
  it('PUT /play: returns 405/6112 while the call is bridged', async () => {
    const { rig, call } = await bridged();
    const { status, body } = await rig.request('PUT', `/voice/v1/call/${call}/play`, { text: 'Hello there' });
    expect([status, body['result']]).toEqual([405, 6112]);
    expect(body).toMatchObject({ playstate: 'failed', voice_id: call });
    await rig.pass(1000);
    expect(rig.received).toEqual([]);
  });
});

describe('PUT /voice/v1/call/{voice_id}/transfer', () => {
  it('PUT /transfer: connects the caller with the new party when it answers', async () => {
    const { rig, call } = await bridged();
    const { status, body } = await rig.request('PUT', `/voice/v1/call/${call}/transfer`, {
      from: '1000',
      transfer_to: '4001',
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      voice_id: call,
      channel_id: expect.any(String),
      status: 'initiated',
      state: 'initiated',
      from: '1000',
      to: '4001',
    });
    await rig.pass(500);
    expect(rig.farEnd('4000').state).toBe('connected');
    await rig.pass(2000);
    expect(rig.farEnd('4001').state).toBe('connected');
    expect(rig.farEnd('4000').state).toBe('ended');
    expect(rig.farEnd('2000').state).toBe('connected');
  });

  it('PUT /transfer: returns the caller to the old party if the new one does not answer', async () => {
    const { rig, call } = await bridged();
    rig.callees['4001'] = { does: 'busy' };
    const { body } = await rig.request('PUT', `/voice/v1/call/${call}/transfer`, { from: '1000', transfer_to: '4001' });
    await rig.pass(3000);
    expect(rig.farEnd('4000').state).toBe('connected');
    expect(rig.events()).toMatchObject([
      { state: 'failed', channel_id: body['channel_id'], from: '1000', to: '4001', description: 'User Busy' },
    ]);
    rig.farEnd('4000').hangUp();
    await rig.pass(1000);
    expect(rig.eventNames().at(-1)).toBe('bridge_disconnected');
  });

  it.each([
    ['the party that is given away', '4000'],
    ["the call's far end", '2000'],
    ['the own number', '1000'],
  ])('PUT /transfer: accepts as from %s', async (_what, from) => {
    const { rig, call } = await bridged();
    const { status } = await rig.request('PUT', `/voice/v1/call/${call}/transfer`, { from, transfer_to: '4001' });
    expect(status).toBe(200);
    await rig.pass(2000);
    expect(rig.farEnd('4001').from).toBe('1000');
  });

  it('PUT /transfer: returns 404/6118 if from is neither party', async () => {
    const { rig, call } = await bridged();
    const answer = await rig.request('PUT', `/voice/v1/call/${call}/transfer`, { from: '5555', transfer_to: '4001' });
    expect([answer.status, answer.body['result']]).toEqual([404, 6118]);
  });

  it.each(['transfer', 'forward'])('PUT /%s: returns 409/409 on a call that is not bridged', async (route) => {
    const { rig, call } = await connected();
    const body = { from: '1000', to: '4001', transfer_to: '4001' };
    const answer = await rig.request('PUT', `/voice/v1/call/${call}/${route}`, body);
    expect([answer.status, answer.body['result'], answer.body['state']]).toEqual([409, 409, 'failed']);
  });
});

describe('PUT /voice/v1/call/{voice_id}/forward', () => {
  it.each(['to', 'transfer_to'])('PUT /forward: calls %s, and releases the old party at once', async (key) => {
    const { rig, call } = await bridged();
    const { status, body } = await rig.request('PUT', `/voice/v1/call/${call}/forward`, {
      from: '4000',
      [key]: '4001',
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ voice_id: call, status: 'success', state: 'success', from: '1000', to: '4001' });
    await rig.pass(200);
    expect(rig.farEnd('4000').state).toBe('ended');
    await rig.pass(2000);
    expect(rig.farEnd('4001').state).toBe('connected');
  });

  it.each<[string, object]>([
    ['from', { to: '4001' }],
    ['to', { from: '1000' }],
  ])('PUT /forward: returns 400 without %s', async (_key, body) => {
    const { rig, call } = await bridged();
    expect((await rig.request('PUT', `/voice/v1/call/${call}/forward`, body)).status).toBe(400);
  });
});

describe('POST /voice/v1/call/{voice_id}/hold', () => {
  it.each(['POST', 'PUT'])('%s /hold: holds with music for true, and resumes for false', async (method) => {
    const { rig, call } = await connected();
    const held = await rig.request(method, `/voice/v1/call/${call}/hold`, { hold: true });
    expect(held.status).toBe(200);
    expect(held.body).toMatchObject({ voice_id: call, state: 'success', status: 'success', hold: true, from: '1000' });
    await rig.pass(500);
    expect(rig.farEnd('2000').isHeld).toBe(true);
    const back = await rig.request(method, `/voice/v1/call/${call}/hold`, { hold: 'false' });
    expect(back.body).toMatchObject({ hold: false, state: 'success' });
    await rig.pass(500);
    expect(rig.farEnd('2000').isHeld).toBe(false);
  });

  it.each<[string, object, number]>([
    ['no hold', {}, 400],
    ['a hold that is none', { hold: 'perhaps' }, 400],
    ['music that is not there', { hold: true, prompt_name: 'nobody-made-it' }, 400],
  ])('POST /hold: %s is %i', async (_what, body, status) => {
    const { rig, call } = await connected();
    expect((await rig.request('POST', `/voice/v1/call/${call}/hold`, body)).status).toBe(status);
  });

  it('POST /hold: returns 409 before the answer', async () => {
    const rig = await openRig();
    const call = await rig.dial();
    await rig.pass(300);
    expect((await rig.request('POST', `/voice/v1/call/${call}/hold`, { hold: true })).status).toBe(409);
  });
});
