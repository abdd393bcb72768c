/** The engine while the service drains: callers with another server use it, and live calls continue. */
import { afterEach, expect, it } from 'vitest';
import { headerOf } from '../../src/media/telephony/sip/message.ts';
import { CallIn, type FarEnd, Rig } from './rig.ts';

let rig: Rig;
afterEach(() => rig.finish());

const options = async (far: FarEnd, branch: string): Promise<void> => {
  far.send([
    'OPTIONS sip:192.0.2.1 SIP/2.0',
    `Via: SIP/2.0/UDP ${far.place.host}:${far.place.port};branch=z9hG4bK-${branch}`,
    'From: <sip:probe@192.0.2.9>;tag=probe',
    'To: <sip:192.0.2.1>',
    `Call-ID: probe-${branch}`,
    'CSeq: 1 OPTIONS',
    'Max-Forwards: 70',
  ]);
  await rig.settle();
};

it('answers OPTIONS and new calls with 503 and Retry-After, and a live call as before', async () => {
  rig = await new Rig().start();
  const early = await rig.connected(rig.far());
  const far = rig.far(5080, '192.0.2.9');
  rig.engine.acceptCalls(false);
  await options(far, '1');
  expect(headerOf(far.response(503, 'OPTIONS'), 'retry-after')).toBe('60');
  const late = new CallIn(far);
  late.invite();
  await rig.settle();
  expect(headerOf(far.response(503, 'INVITE'), 'retry-after')).toBe('60');
  expect(rig.incoming).toHaveLength(1);
  early.request('BYE');
  await rig.settle();
  early.far.response(200, 'BYE');
  rig.engine.acceptCalls(true);
  await options(far, '2');
  far.response(200, 'OPTIONS');
});

it('takes its registrations back, and registers again when it takes calls', async () => {
  const route = { prefix: '', uri: 'sip:192.0.2.77', username: '4930', password: 'pw', register: true };
  rig = new Rig({ routes: [route] });
  const carrier = rig.far(5060, '192.0.2.77');
  await rig.start();
  const registered = async (expires: string): Promise<void> => {
    await rig.settle();
    const request = carrier.request('REGISTER');
    expect(headerOf(request, 'expires')).toBe(expires);
    carrier.reply(request, 200);
    await rig.settle();
  };
  await registered('3600');
  rig.engine.acceptCalls(false);
  await registered('0');
  await rig.advance(4_000_000);
  expect(headerOf(carrier.request('REGISTER'), 'expires')).toBe('0');
  rig.engine.acceptCalls(true);
  await registered('3600');
  expect(rig.engine.registrations()).toEqual({ wanted: 1, registered: 1 });
  const stopped = rig.engine.stop();
  await registered('0');
  await stopped;
});
