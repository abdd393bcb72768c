/** SIP headers by REST, by answers to events and in events: read, set, masked, never injected. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import type { SeenHeaders } from '../../src/media/telephony/simulated/far-end.ts';
import { BROADCAST } from './broadcast-rig.ts';
import type { ApiRig } from './rig.ts';
import { bridged, connected, NUMBERS, openRig } from './rigs.ts';

const SET = { 'X-Customer': '17', 'X-Paid': true, 'X-Sum': 12, 'X-None': null };
const SEEN = { 'x-customer': '17', 'x-paid': 'true', 'x-sum': '12' };

const seenBy = (rig: ApiRig, to: string): readonly SeenHeaders[] => rig.farEnd(to).headers;

describe('SIP headers of requests', () => {
  it('are sent in the INVITE of a placed call; headers of its answer are in the event', async () => {
    const rig = await openRig({ callee: { does: 'answer', headers: { 'X-Agent': 'Ann' } } });
    await rig.dial({ sip_headers: SET });
    await rig.pass(2000);
    expect(seenBy(rig, '2000')).toEqual([{ in: 'invite', headers: SEEN }]);
    expect(rig.events()).toMatchObject([
      { state: 'ringing' },
      { state: 'connected', sip_headers: { 'x-agent': 'Ann' } },
    ]);
  });

  it('are sent in the INVITE to a party that is connected when the call is answered', async () => {
    const rig = await openRig();
    await rig.dial({ action_on_connect: { connect: { to: '4000', sip_headers: SET } } });
    await rig.pass(2000);
    expect(seenBy(rig, '4000')).toEqual([{ in: 'invite', headers: SEEN }]);
  });

  it('are sent in the INVITE to a party of a later connect or transfer', async () => {
    const { rig, call } = await connected();
    await rig.request('PUT', `/voice/v1/call/${call}/connect`, { from: '1000', to: '4000', sip_headers: SET });
    await rig.pass(2000);
    await rig.request('PUT', `/voice/v1/call/${call}/transfer`, { transfer_to: '4100', sip_headers: SET });
    await rig.pass(2000);
    await rig.request('PUT', `/voice/v1/call/${call}/forward`, { from: '1000', to: '4200', sip_headers: SET });
    await rig.pass(2000);
    for (const to of ['4000', '4100', '4200']) expect(seenBy(rig, to)).toEqual([{ in: 'invite', headers: SEEN }]);
  });

  it('are sent in the BYE of the call', async () => {
    const { rig, call } = await connected();
    await rig.request('DELETE', `/voice/v1/call/${call}`, { sip_headers: SET });
    await rig.pass(1000);
    expect(seenBy(rig, '2000')).toEqual([{ in: 'hangup', headers: SEEN }]);
  });

  it('are sent in every INVITE of a broadcast', async () => {
    const rig = await openRig({ config: NUMBERS });
    const { status } = await rig.request('POST', BROADCAST, {
      ...{ from: '1000', action_on_connect: { play: { text: 'Hello there', language: 'en-US' } }, sip_headers: SET },
      broadcast_numbers_array: ['2000', '2001'],
    });
    expect(status).toBe(200);
    await rig.pass(5000);
    for (const to of ['2000', '2001']) expect(seenBy(rig, to)).toEqual([{ in: 'invite', headers: SEEN }]);
  });
});

describe('SIP headers of answers to events', () => {
  const answering = async (answer: JsonObject) => {
    const rig = await openRig({ config: NUMBERS });
    rig.answerEvent = ({ body }) => ({
      status: 200,
      body: body['state'] === 'connected' ? JSON.stringify(answer) : '',
    });
    const call = await rig.dial();
    await rig.pass(3000);
    return { rig, call };
  };

  it('are sent in the INVITE and in the BYE', async () => {
    const { rig } = await answering({ connect: { to: '4000', sip_headers: SET } });
    expect(seenBy(rig, '4000')).toEqual([{ in: 'invite', headers: SEEN }]);
    const ended = await answering({ hangup: { sip_headers: SET } });
    expect(seenBy(ended.rig, '2000')).toEqual([{ in: 'hangup', headers: SEEN }]);
  });

  it.each([
    [
      'connect',
      { connect: { to: '4000', sip_headers: { 'X-A': '1\r\nX-B: 2' } } },
      'connect.sip_headers: the value of X-A',
    ],
    ['hangup', { hangup: { sip_headers: { Contact: 'x' } } }, 'hangup.sip_headers: Contact is written by'],
  ])('are reported as a diagnostic if forbidden, and %s is not executed', async (_what, answer, why) => {
    const { rig, call } = await answering(answer);
    const found = (await rig.store.calls.journal(call)).filter((entry) => entry.kind === 'diagnostic');
    expect(found).toMatchObject([{ code: 'answer_ignored', message: expect.stringContaining(why) }]);
    expect([rig.farEnd('2000').state, rig.farEnd('2000').headers]).toEqual(['connected', []]);
  });
});

describe('forbidden headers', () => {
  const WRONG: [what: string, headers: JsonObject, message: string][] = [
    ['a line break', { 'X-A': '1\r\nX-B: 2' }, 'the value of X-A has a line break'],
    ['a bare line feed', { 'X-A': '1\nX-B: 2' }, 'the value of X-A has a line break'],
    ['a bare return', { 'X-A': '1\rX-B: 2' }, 'the value of X-A has a line break'],
    ['a NUL', { 'X-A': '1\u0000' }, 'the value of X-A has a line break'],
    ['a line break in a name', { 'X-A: 1\r\nX-B': '2' }, 'this is not the name'],
    ['a space in a name', { 'X A': '2' }, 'this is not the name'],
    ['an empty name', { '': '2' }, 'this is not the name'],
    ['a header of the stack', { Contact: '<sip:x@y>' }, 'Contact is written by the SIP stack itself'],
    ['one of them in other letters', { 'cALL-iD': 'x' }, 'cALL-iD is written by the SIP stack itself'],
    ['the identity of the caller', { 'P-Asserted-Identity': '<sip:1@x>' }, 'P-Asserted-Identity is written by'],
    ['the short form of one', { v: 'x' }, 'v is a short form of another header'],
    ['a list', { 'X-A': ['1'] }, 'sip_headers'],
    ['too much', { 'X-A': 'x'.repeat(513) }, 'has more than 512 bytes'],
    [
      'too much together',
      { 'X-A': 'x'.repeat(500), 'X-B': 'x'.repeat(500), 'X-C': 'x'.repeat(100) },
      'these are more than',
    ],
  ];

  it('are refused by every route with a reason, and nothing is dialled', async () => {
    const { rig, call } = await bridged();
    const before = rig.farEnds.length;
    const routes: [method: string, path: string, body: (headers: JsonObject) => JsonObject][] = [
      ['POST', '/voice/v1/call', (sip_headers) => ({ from: '1000', to: '5000', sip_headers })],
      [
        'POST',
        '/voice/v1/call',
        (sip_headers) => ({ from: '1000', to: '5000', action_on_connect: { connect: { to: '5001', sip_headers } } }),
      ],
      ['PUT', `/voice/v1/call/${call}/connect`, (sip_headers) => ({ from: '1000', to: '5000', sip_headers })],
      ['PUT', `/voice/v1/call/${call}/transfer`, (sip_headers) => ({ transfer_to: '5000', sip_headers })],
      ['PUT', `/voice/v1/call/${call}/forward`, (sip_headers) => ({ from: '1000', to: '5000', sip_headers })],
      ['DELETE', `/voice/v1/call/${call}`, (sip_headers) => ({ sip_headers })],
      ['POST', BROADCAST, (sip_headers) => ({ from: '1000', broadcast_numbers_array: ['5000'], sip_headers })],
    ];
    for (const [method, path, bodyOf] of routes) {
      for (const [what, headers, message] of WRONG) {
        const { status, text } = await rig.request(method, path, bodyOf(headers));
        expect([method, path, what, status]).toEqual([method, path, what, 400]);
        expect(text).toContain(message);
        expect(text).not.toContain('X-B: 2');
      }
    }
    await rig.pass(1000);
    expect([rig.farEnds.length, rig.farEnd('2000').state]).toEqual([before, 'connected']);
  });

  it('are refused in a flow of a request, with their position', async () => {
    const rig = await openRig();
    const bye = { hangup: { headers: { Via: 'x' } } };
    const flow = { flow: 'inline', start: 'bye', steps: { bye } };
    const { status, text } = await rig.request('POST', '/voice/v1/call', { from: '1000', to: '2000', flow });
    expect(status).toBe(422);
    expect(text).toContain('sip-header');
    expect(text).toContain('/steps/bye/hangup/headers/Via');
  });
});

describe('SIP headers of an incoming call', () => {
  it('are in the event, with sensitive ones masked', async () => {
    const config = `${NUMBERS}sip: { headers: { sensitive: [X-Token] } }\n`;
    const rig = await openRig({ config });
    rig.call('1000', '5551234', undefined, { 'X-Customer': '17', 'X-Token': 'tip-top' });
    await rig.pass(100);
    expect(rig.events()).toMatchObject([
      { state: 'incomingcall', sip_headers: { 'x-customer': '17', 'x-token': '•••' } },
    ]);
    expect(JSON.stringify([rig.received, rig.logLines])).not.toContain('tip-top');
  });

  it('are absent if the INVITE has none', async () => {
    const rig = await openRig();
    rig.call('1000');
    await rig.pass(100);
    expect(rig.events()[0]).not.toHaveProperty('sip_headers');
  });
});
