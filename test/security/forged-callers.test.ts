/** Calls from an address that may be forged: answers are repeated until the ACK, which must not flood the owner. */
import { afterEach, describe, expect, it } from 'vitest';
import type { SipEngineOptions } from '../../src/media/telephony/sip/engine-options.ts';
import { headerOf } from '../../src/media/telephony/sip/message.ts';
import { CallIn, type FarEnd, PHONE_HOST, Rig } from '../sip/rig.ts';

const CARRIER_HOST = '192.0.2.77';
const EDGE_HOST = '192.0.2.88';
const OPTIONS: SipEngineOptions = {
  routes: [{ prefix: '+', uri: `sip:${CARRIER_HOST}` }],
  edges: [EDGE_HOST],
};
/** More than the limit of unanswered calls of unknown callers. */
const MANY_CALLS = 60;
const CALLS = 30;

let rig: Rig;
afterEach(() => rig.finish());

/** An engine whose host answers each call at once. */
const open = async (): Promise<void> => {
  rig = await new Rig(OPTIONS).start();
  rig.onIncoming = ({ legId }) => rig.engine.send(legId, { type: 'answer' });
  await rig.settle();
};

const calls = async (far: FarEnd, count = CALLS): Promise<CallIn[]> => {
  const made = Array.from({ length: count }, () => {
    const call = new CallIn(far, { from: '<sip:+49301234@x>;tag=s' });
    call.invite();
    return call;
  });
  await rig.settle();
  return made;
};

const count = (far: FarEnd, entry: string): number => far.log.filter((each) => each === entry).length;

/** Returns how many of the calls were answered. */
const acknowledge = (far: FarEnd, made: readonly CallIn[]): number => {
  const answered = made.filter((call) => {
    const found = far.inbox.find(({ response }) => response?.status === 200 && response.callId === call.callId);
    if (found) call.learn(found.response!);
    return found !== undefined;
  });
  for (const call of answered) call.request('ACK', { cseq: call.inviteCseq });
  return answered.length;
};

describe('a source over UDP that has acknowledged no answer', () => {
  it('gets ten answers at once, and 503 with Retry-After for further calls after four seconds', async () => {
    await open();
    const far = rig.far();
    await calls(far);
    expect([count(far, '200 INVITE'), count(far, '503 INVITE')]).toEqual([10, 0]);
    await rig.advance(4_000);
    expect(count(far, '503 INVITE')).toBe(CALLS - 10);
    expect(headerOf(far.response(503), 'retry-after')).toBe('5');
    await rig.advance(36_000);
    await calls(far, 1);
    await rig.advance(100_000);
  });

  it('gets ten answers and their BYE repeatedly, however many calls it makes', async () => {
    await open();
    const far = rig.far();
    await calls(far, 50);
    await rig.advance(100_000);
    expect([count(far, '200 INVITE'), count(far, 'BYE'), count(far, '503 INVITE')]).toEqual([110, 110, 40]);
  });

  it('gets no further answers while those of calls that were hung up are still repeated', async () => {
    await open();
    const far = rig.far();
    await calls(far, 10);
    for (const { legId } of rig.incoming) rig.engine.send(legId, { type: 'hangup', cause: 16 });
    await rig.settle();
    const before = count(far, '200 INVITE');
    await calls(far, 10);
    expect(count(far, '200 INVITE')).toBe(before);
    await rig.advance(100_000);
  });

  it('calls again when the answers are no longer repeated', async () => {
    await open();
    const far = rig.far();
    await calls(far, 10);
    await rig.advance(100_000);
    const before = count(far, '200 INVITE');
    await calls(far, 1);
    expect(count(far, '200 INVITE')).toBe(before + 1);
    await rig.advance(100_000);
  });
});

describe('a source that receives its answers', () => {
  it('gets an answer to each call of a burst as soon as it acknowledges the first', async () => {
    await open();
    const far = rig.far();
    const made = await calls(far);
    expect(acknowledge(far, made.slice(0, 1))).toBe(1);
    await rig.settle();
    expect([count(far, '200 INVITE'), count(far, '503 INVITE')]).toEqual([CALLS, 0]);
    expect(acknowledge(far, made)).toBe(CALLS);
    await rig.advance(40_000);
    expect(count(far, '200 INVITE')).toBe(CALLS);
  });

  it.each([
    ['as a carrier', CARRIER_HOST, 'udp'],
    ['over a connection', PHONE_HOST, 'tcp'],
    ['as a proxy of ours', EDGE_HOST, 'udp'],
  ] as const)('is not limited %s', async (_what, host, transport) => {
    await open();
    const far = rig.far(5062, host, transport);
    const many = transport === 'udp' ? MANY_CALLS : CALLS;
    await calls(far, many);
    expect(count(far, '200 INVITE')).toBe(many);
    await rig.advance(100_000);
  });
});
