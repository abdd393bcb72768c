/** Errors that are known at once are returned at once: an unavailable voice, an event URL without receiver. */
import { describe, expect, it } from 'vitest';
import { connected, NUMBERS, openRig } from './rigs.ts';

const CALL = '/voice/v1/call';
const EARLY = { text: 'fails after 400', voice: 'female', language: 'en-US' };
const LATE = { ...EARLY, text: 'fails after 600' };

describe('a text whose voice fails within half a second', () => {
  it('PUT /play: returns 503/6107 without sending an event', async () => {
    const { rig, call } = await connected();
    const { status, body } = await rig.requestWhilePassing('PUT', `${CALL}/${call}/play`, EARLY);
    expect([status, body['result'], body['playstate'], body['msg']]).toEqual([
      503,
      6107,
      'failed',
      'the voice is away',
    ]);
    await rig.pass(3000);
    expect(rig.received).toEqual([]);
  });

  it('POST /call: returns 503/6107 without dialling', async () => {
    const rig = await openRig();
    const order = { from: '1000', to: '2000', event_url: rig.webhookUrl, action_on_connect: { play: EARLY } };
    const { status, body } = await rig.requestWhilePassing('POST', CALL, order);
    expect([status, body['result'], body['state']]).toEqual([503, 6107, 'failed']);
    await rig.pass(1000);
    expect([rig.farEnds, rig.received]).toEqual([[], []]);
  });

  it.each<[string, object]>([
    ['people', { action_on_connect: { play: EARLY } }],
    ['machines', { amd: { on_machine: { play: EARLY } } }],
  ])('POST /broadcast: returns for %s 503/6107, without dialling', async (_whom, more) => {
    const rig = await openRig();
    const order = { application_name: 'x', from: '1000', broadcast_numbers_array: ['2000'], ...more };
    const { status, body } = await rig.requestWhilePassing('POST', '/voice/v1/broadcast', order);
    expect([status, body['result'], body['state']]).toEqual([503, 6107, 'failed']);
    await rig.pass(1000);
    expect(rig.farEnds).toEqual([]);
  });

  it('changes nothing in the answer to an event, and is a diagnostic', async () => {
    const rig = await openRig();
    const play = JSON.stringify({ play: EARLY });
    rig.answerEvent = ({ body }) => ({ status: 200, body: body['state'] === 'connected' ? play : '' });
    await rig.dial();
    await rig.pass(5000);
    expect(rig.eventNames()).toEqual(['ringing', 'connected']);
    const ignored = rig.logLines.filter(({ message }) => message === 'call.answer_ignored');
    expect(ignored).toMatchObject([{ fields: { why: 'play: the voice is away' } }]);
  });
});

describe('a text whose voice fails later', () => {
  it('PUT /play: is answered after half a second', async () => {
    const { rig, call } = await connected();
    expect((await rig.requestWhilePassing('PUT', `${CALL}/${call}/play`, LATE)).status).toBe(200);
  });

  it('POST /call: is answered after half a second', async () => {
    const rig = await openRig();
    const order = { from: '1000', to: '2000', action_on_connect: { play: LATE } };
    expect((await rig.requestWhilePassing('POST', CALL, order)).status).toBe(200);
  });
});

describe('a dial-out whose event URL is disabled', () => {
  const ORDER = { from: '1000', to: '2000' };
  it.each<[string, string, object]>([
    ['POST /call', CALL, ORDER],
    ['POST /conference', '/voice/v1/conference', ORDER],
    ['POST /room/{room_id}/join', '/voice/v1/room/board/join', ORDER],
    ['POST /broadcast', '/voice/v1/broadcast', { application_name: 'x', from: '1000', broadcast_numbers: '2000' }],
  ])('%s: states it in msg', async (_what, path, order) => {
    const rig = await openRig({ config: `${NUMBERS}rooms: [{ room_id: board, pin: "4711" }]\n` });
    rig.answerEvent = () => ({ status: 410 });
    const before = await rig.request('POST', path, { ...order, event_url: rig.webhookUrl });
    expect([before.status, before.body['msg']]).toEqual([200, '']);
    await rig.pass(2000);
    const after = await rig.request('POST', path, { ...order, event_url: rig.webhookUrl });
    expect(after.status).toBe(200);
    expect(after.body['msg']).toMatch(/^events to event_url are disabled, because it answered 410/);
    const elsewhere = await rig.request('POST', path, { ...order, event_url: `${rig.webhookUrl}/other` });
    expect(elsewhere.body['msg']).toBe('');
  });
});
