/** Journal of the signalling of a leg: destination or source, final status, reason and ring time. */
import { afterEach, describe, expect, it } from 'vitest';
import { gatewayNameOf } from '../../src/media/telephony/sip/carriers.ts';
import { parseUri } from '../../src/media/telephony/sip/uri.ts';
import { CallIn, type FarEnd, Rig, SDP } from './rig.ts';

const GATEWAYS = ['192.0.2.71', '192.0.2.72'] as const;
const ROUTE = { name: 'carrier-1', prefix: '', gateways: GATEWAYS.map((host) => `sip:${host}`) };

let rig: Rig;
let gateways: [FarEnd, FarEnd];
const open = async () => {
  rig = new Rig({ routes: [ROUTE] });
  gateways = [rig.far(5060, GATEWAYS[0]), rig.far(5060, GATEWAYS[1])];
  await rig.start();
  await rig.settle();
};
afterEach(() => rig.finish());

const dial = async () => {
  rig.engine.dial({ legId: 'leg-1', from: '+33199001122', to: '+49301234', ringTimeoutMs: 30_000 });
  await rig.settle();
};
const reply = async (far: FarEnd, status: number, words: Parameters<FarEnd['reply']>[2] = {}) => {
  far.reply(far.request('INVITE'), status, words);
  await rig.settle();
};
const ended = () => rig.event('ended').sip;

describe('an outgoing call', () => {
  it('keeps the gateway that refused it, its status and its Reason, and the gateway that was tried before', async () => {
    await open();
    await dial();
    await reply(gateways[0], 503, { headers: ['Server: Old Switch'] });
    const headers = ['Reason: SIP;cause=486', 'Reason: Q.850;cause=17;text="Busy"', 'Server: New Switch 2'];
    await rig.advance(700);
    await reply(gateways[1], 486, { headers });
    expect(rig.event('ended')).toMatchObject({ by: 'far', sipStatus: 486 });
    expect(ended()).toEqual({
      callId: gateways[1].request('INVITE').callId,
      remote: 'udp:192.0.2.72:5060',
      route: 'carrier-1',
      gateway: 'sip:192.0.2.72',
      userAgent: 'New Switch 2',
      status: 486,
      reason: 'SIP;cause=486, Q.850;cause=17;text="Busy"',
      postDialMs: 700,
      attempts: [
        {
          callId: gateways[0].request('INVITE').callId,
          remote: 'udp:192.0.2.71:5060',
          route: 'carrier-1',
          gateway: 'sip:192.0.2.71',
          userAgent: 'Old Switch',
          status: 503,
        },
      ],
    });
  });

  it('keeps post-dial delay and ringing time, and the Reason of the BYE', async () => {
    await open();
    await dial();
    await rig.advance(250);
    await reply(gateways[0], 180);
    await rig.advance(4_000);
    await reply(gateways[0], 200, { body: SDP });
    const { callId, from, to, cseq } = gateways[0].request('INVITE');
    expect(rig.event('answered').sip).toEqual({
      callId,
      remote: 'udp:192.0.2.71:5060',
      route: 'carrier-1',
      gateway: 'sip:192.0.2.71',
      status: 200,
      postDialMs: 250,
      ringMs: 4_000,
    });
    await rig.advance(60_000);
    gateways[0].send([
      'BYE sip:callweave@192.0.2.1 SIP/2.0',
      'Via: SIP/2.0/UDP 192.0.2.71;branch=z9hG4bK-bye',
      `From: <${to.uri.text}>;tag=far`,
      `To: <${from.uri.text}>;tag=${from.params['tag']}`,
      `Call-ID: ${callId}`,
      `CSeq: ${cseq.number + 100} BYE`,
      'Reason: Q.850;cause=31',
    ]);
    await rig.settle();
    expect(rig.event('ended')).toMatchObject({ by: 'far', cause: { code: 31 } });
    expect(ended()).toMatchObject({ status: 200, reason: 'Q.850;cause=31', postDialMs: 250, ringMs: 4_000 });
  });

  it('has a status where no far end sent one only for silence, and nothing where nothing was sent', async () => {
    await open();
    rig.engine.dial({ legId: 'leg-1', from: '1', to: 'user:nobody', ringTimeoutMs: 30_000 });
    await rig.settle();
    expect(ended()).toBeUndefined();
    rig.net.loses = () => true;
    rig.engine.dial({ legId: 'leg-2', from: '1', to: '+49301234', ringTimeoutMs: 60_000 });
    await rig.advance(50_000);
    expect(rig.event('ended', 'leg-2').sip).toMatchObject({ gateway: 'sip:192.0.2.72', status: 408 });
    expect(rig.event('ended', 'leg-2').sip!.remote).toBeUndefined();
  });

  it('keeps the words of far ends short and without controls', async () => {
    await open();
    await dial();
    await reply(gateways[0], 486, {
      headers: [`Server: a\x07b${'x'.repeat(500)}`, `Reason: Q.850;text="${'y'.repeat(500)}"`],
    });
    const { userAgent, reason } = ended()!;
    expect(userAgent).toMatch(/^abx{126}$/);
    expect(reason).toHaveLength(128);
  });
});

describe('an incoming call', () => {
  it('names the gateway from the first moment, and keeps the Reason of a CANCEL', async () => {
    await open();
    const call = new CallIn(gateways[1]);
    call.invite({ headers: ['User-Agent: Switch'] });
    await rig.settle();
    const peer = {
      callId: call.callId,
      remote: 'udp:192.0.2.72:5060',
      route: 'carrier-1',
      gateway: 'sip:192.0.2.72',
      userAgent: 'Switch',
    };
    expect(rig.incoming[0]!.sip).toEqual(peer);
    rig.engine.send('leg-1', { type: 'ring' });
    await rig.advance(2_000);
    call.cancel(['Reason: SIP;cause=200;text="Call completed elsewhere"']);
    await rig.settle();
    const reason = 'SIP;cause=200;text="Call completed elsewhere"';
    expect(ended()).toEqual({ ...peer, status: 487, reason, ringMs: 2_000 });
  });

  it('has the status that we refused it with', async () => {
    await open();
    new CallIn(rig.far()).invite();
    await rig.settle();
    rig.engine.send('leg-1', { type: 'reject', sipStatus: 480 });
    await rig.settle();
    expect(ended()).toMatchObject({ remote: 'udp:192.0.2.50:5062', status: 480, ringMs: 0 });
    expect(ended()!.gateway).toBeUndefined();
  });
});

it('names a gateway of a route without a name', () => {
  const route = { prefix: '' };
  expect(gatewayNameOf({ route, uri: parseUri('sip:a.example')! })).toEqual({
    gateway: 'sip:a.example',
  });
});
