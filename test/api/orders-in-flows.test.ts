/** REST orders that meet the own prompt of a call's flow: the flow is left for the order, as by an interrupt. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { broadcastInTalk } from './broadcast-rig.ts';
import type { ApiRig } from './rig.ts';
import { openRig } from './rigs.ts';

const FLOWS = {
  talks: `
flow: talks
start: answer
defaults: { exits: { error: bye, exhausted: bye, failed: bye } }
steps:
  answer: { answer: {}, next: inner }
  inner: { subflow: asks, exits: { done: bye } }
  bye: { hangup: normal }
flows:
  asks:
    start: ask
    defaults: { exits: { error: $end, exhausted: $end } }
    steps:
      ask: { collect: { prompt: "A question that takes quite a while to be asked in full", digits: { length: 2 } }, exits: { collected: $end } }
`,
  meets: `
flow: meets
start: meet
defaults: { exits: { error: bye, full: bye } }
steps:
  meet: { conference: { name: daily }, exits: { left: bye, ended: bye } }
  bye: { hangup: normal }
`,
  refuses: `
flow: refuses
api: { connect: false }
start: answer
defaults: { exits: { error: bye } }
steps:
  answer: { answer: {}, next: say }
  say: { play: "A text that takes quite a while to be read", next: bye }
  bye: { hangup: normal }
`,
  thinks: `
flow: thinks
start: answer
defaults: { exits: { error: bye } }
steps:
  answer: { answer: {}, next: wait }
  wait: { pause: 60s, next: bye }
  bye: { hangup: normal }
`,
};
const CONFIG = `numbers:
  - { number: "1000", webhook: HOOK, flow: talks }
  - { number: "1001", webhook: HOOK, flow: meets }
  - { number: "1002", webhook: HOOK, flow: refuses }
  - { number: "1003", webhook: HOOK, flow: thinks }
rooms: [{ room_id: lobby }]
`;
const PLAY = { text: 'Hello there' };
const CONNECT = { from: '1000', to: '4000' };

const open = (): Promise<ApiRig> => openRig({ config: CONFIG, flows: FLOWS });

/** A call in, two seconds into the flow of the number that it called. */
async function inFlow(number = '1000'): Promise<{ rig: ApiRig; call: string; path: string }> {
  const rig = await open();
  rig.call(number);
  await rig.pass(2000);
  const call = String(rig.received[0]?.body['voice_id']);
  rig.received.length = 0;
  return { rig, call, path: `/voice/v1/call/${call}` };
}

const order = async (rig: ApiRig, method: string, path: string, body?: JsonObject) => {
  const { status, body: answer } = await rig.request(method, path, body);
  await rig.pass(3000);
  return { status, answer };
};

describe('an order that meets a flow’s own prompt', () => {
  it('connects the call, and reports the end of the prompt', async () => {
    const { rig, path } = await inFlow();
    const { status } = await order(rig, 'PUT', `${path}/connect`, CONNECT);
    expect(status).toBe(200);
    expect(rig.eventNames()).toEqual(['failed', 'bridging', 'bridged']);
    expect(rig.events()[0]).toMatchObject({ playstate: 'failed', description: 'ended by connect' });
    expect(rig.farEnd('4000').company.map(({ to }) => to)).toEqual(['1000']);
  });

  it('takes the call into a conference or a room', async () => {
    for (const [method, path, joined] of [
      ['POST', '/voice/v1/conference/CALL', 'conference_joined'],
      ['PUT', '/voice/v1/room/lobby/call/CALL/join', 'joined'],
    ] as const) {
      const { rig, call } = await inFlow();
      expect((await order(rig, method, path.replace('CALL', call), {})).status).toBe(200);
      expect(rig.eventNames()).toEqual(['failed', joined]);
    }
  });

  it('leaves the flow for good: the call is under control for 30 seconds, then hung up', async () => {
    const { rig, path } = await inFlow();
    await order(rig, 'PUT', `${path}/connect`, CONNECT);
    rig.farEnd('4000').hangUp();
    await rig.pass(25_000);
    expect(rig.eventNames().at(-1)).toBe('bridge_disconnected');
    expect((await order(rig, 'PUT', `${path}/play`, PLAY)).status).toBe(200);
    await rig.pass(20_000);
    expect(rig.eventNames().at(-1)).toBe('playfinished');
    await rig.pass(20_000);
    expect(rig.eventNames().at(-1)).toBe('disconnected');
  });

  it('refuses a second play with 408 and 6114', async () => {
    const { rig, path } = await inFlow();
    const { status, answer } = await order(rig, 'PUT', `${path}/play`, PLAY);
    expect([status, answer['result']]).toEqual([408, 6114]);
  });

  it('takes a call out of the flow’s own conference', async () => {
    const { rig, path } = await inFlow('1001');
    expect((await order(rig, 'PUT', `${path}/connect`, CONNECT)).status).toBe(200);
    expect(rig.eventNames()).toEqual(['conference_left', 'bridging', 'bridged']);
  });

  it.each([
    ['whose api allows no connect', '1002'],
    ['that waits for something else', '1003'],
  ])('is refused with 409 by a flow %s', async (_, number) => {
    const { rig, path } = await inFlow(number);
    expect((await order(rig, 'PUT', `${path}/connect`, CONNECT)).status).toBe(409);
    expect(rig.eventNames()).not.toContain('bridging');
  });

  it('holds for calls that were placed with a flow', async () => {
    const rig = await open();
    const call = await rig.dial({ flow: 'talks' });
    await rig.pass(2000);
    expect((await order(rig, 'PUT', `/voice/v1/call/${call}/connect`, CONNECT)).status).toBe(200);
    expect(rig.eventNames().slice(-2)).toEqual(['bridging', 'bridged']);
  });

  it.each([
    ['', {}],
    ['with machine detection', { answering_machine_detection: true }],
  ])('holds for calls of broadcasts %s', async (_, more) => {
    const rig = await open();
    const { id, call } = await broadcastInTalk(rig, { flow: 'talks', ...more });
    await rig.pass(2000);
    const path = `/voice/v1/broadcast/${id}/call/${call}/connect`;
    expect((await rig.request('PUT', path, CONNECT)).status).toBe(202);
    await rig.pass(1500);
    expect(rig.eventNames().filter((name) => name.startsWith('brid'))).toContain('bridged');
  });

  it('holds for the answer to an event', async () => {
    const rig = await open();
    rig.answerEvent = ({ body }) =>
      body['state'] === 'connected' ? { status: 200, body: JSON.stringify({ connect: CONNECT }) } : { status: 204 };
    rig.call('1000');
    await rig.pass(5000);
    expect(rig.eventNames()).toEqual(['incomingcall', 'connected', 'failed', 'bridging', 'bridged']);
  });
});
