/** Unknown callers: one of them cannot occupy all slots, cannot flood third parties, and silent calls end. */
import { afterEach, describe, expect, it } from 'vitest';
import type { SipEngineOptions } from '../../src/media/telephony/sip/engine-options.ts';
import { headerOf } from '../../src/media/telephony/sip/message.ts';
import type { TransportName } from '../../src/media/telephony/sip/transport.ts';
import { items, rig as mediaRig, packetOf, REMOTE, tone } from '../media/rig.ts';
import { CallIn, type FarEnd, PHONE_HOST, Rig } from '../sip/rig.ts';

const ALICE = { name: 'alice', password: 'wonderland' };
const CARRIER_HOST = '192.0.2.77';
const OPTIONS: SipEngineOptions = {
  users: [ALICE],
  routes: [{ prefix: '+', uri: `sip:${CARRIER_HOST}` }],
  limits: { calls: 4, unansweredCalls: 2 },
};

let rig: Rig;
/** Bytes received from, and sent to, the addresses of far ends. */
let bytesIn: number;
let bytesOut: number;
afterEach(() => rig.finish());

const open = async (options: SipEngineOptions = OPTIONS): Promise<void> => {
  rig = await new Rig(options).start();
  [bytesIn, bytesOut] = [0, 0];
  rig.net.loses = (bytes, from) => {
    if (from.host === '192.0.2.1') bytesOut += bytes.length;
    else bytesIn += bytes.length;
    return false;
  };
  await rig.settle();
};

const finals = (far: FarEnd): string[] => far.log.filter((entry) => !entry.startsWith('1'));

const rings = async (far: FarEnd): Promise<CallIn> => {
  const call = new CallIn(far, { from: '<sip:+49301234@x>;tag=s' });
  call.invite();
  await rig.settle();
  return call;
};

const answers = async (call: CallIn): Promise<void> => {
  rig.engine.send(rig.incoming.at(-1)!.legId, { type: 'answer' });
  await rig.settle();
  call.ack();
  await rig.settle();
};

describe('one source with many calls', () => {
  it('has a limit of unanswered calls and of all calls; other sources are not affected', async () => {
    await open();
    const [loud, quiet, carrier] = [rig.far(), rig.far(5062, '192.0.2.51'), rig.far(5060, CARRIER_HOST)];
    const first = await rings(loud);
    await rings(loud);
    await rings(rig.far(5070));
    expect(rig.incoming).toHaveLength(2);
    expect(rig.far(5071).log).toEqual([]);
    rig.engine.send('leg-1', { type: 'answer' });
    await rig.settle();
    await rings(loud);
    expect(rig.incoming).toHaveLength(2);
    first.ack();
    await rig.settle();
    await rings(loud);
    expect(rig.incoming).toHaveLength(3);
    expect(loud.log.filter((entry) => entry === '503 INVITE')).toHaveLength(1);

    for (const far of [quiet, carrier, carrier, carrier]) await answers(await rings(far));
    expect(rig.incoming).toHaveLength(7);
    expect(rig.logged.filter(({ message }) => message === 'sip.source_full')).toHaveLength(1);
    await rig.advance(40_000);
  });

  it('is allowed to call again when its calls end', async () => {
    await open();
    const loud = rig.far();
    const calls: CallIn[] = [];
    for (let count = 0; count < 4; count++) {
      calls.push(await rings(loud));
      await answers(calls.at(-1)!);
    }
    await rings(loud);
    expect([rig.incoming.length, loud.log.at(-1)]).toEqual([4, '503 INVITE']);
    calls[0]!.request('BYE');
    await rig.settle();
    await rings(loud);
    expect(rig.incoming).toHaveLength(5);
  });

  it('keeps connections usable after datagrams, which may be forged, used up its limit', async () => {
    await open();
    const [datagrams, connection] = [rig.far(), rig.far(5062, PHONE_HOST, 'tcp')];
    for (let count = 0; count < 3; count++) await rings(datagrams);
    expect(datagrams.log.at(-1)).toBe('503 INVITE');
    await rings(connection);
    expect(rig.incoming).toHaveLength(3);
  });
});

describe('a refusal to an unknown caller', () => {
  const refuses = (sipStatus: number) => {
    rig.onIncoming = ({ legId }) => rig.engine.send(legId, { type: 'reject', sipStatus });
  };

  it.each<[string, SipEngineOptions]>([
    ['where there are users', OPTIONS],
    ['where there are none', { routes: [] }],
  ])('%s is sent once, stored nowhere, and the same for a repeated request', async (_where, options) => {
    await open(options);
    refuses(404);
    const far = rig.far();
    const call = await rings(far);
    const [answer] = finals(far);
    expect(rig.engine.counts()).toMatchObject({ legs: 0, sessions: 0, transactions: 0 });
    await rig.advance(40_000);
    expect(finals(far)).toEqual([answer]);
    const status = Number(answer!.slice(0, 3));
    const tag = () => headerOf(far.response(status), 'to');
    const before = tag();
    call.request('INVITE', { cseq: call.inviteCseq, branch: call.inviteBranch });
    await rig.settle();
    expect([finals(far), tag()]).toEqual([[answer, answer], before]);
    expect(before).toMatch(/;tag=[\w-]{12}$/);
    call.ackRefusal(status);
    await rig.advance(40_000);
    expect(finals(far)).toHaveLength(2);
  });

  it('is sent once for a reported call, and a repeated request makes no second call', async () => {
    await open();
    const far = rig.far();
    const call = await rings(far);
    rig.engine.send('leg-1', { type: 'reject', sipStatus: 603 });
    await rig.advance(5_000);
    call.request('INVITE', { cseq: call.inviteCseq, branch: call.inviteBranch });
    await rig.advance(40_000);
    expect([finals(far), rig.incoming.length]).toEqual([['603 INVITE', '603 INVITE'], 1]);
  });

  it('is sent once after ringing, and again on request', async () => {
    await open();
    const far = rig.far();
    const call = await rings(far);
    rig.engine.send('leg-1', { type: 'ring' });
    await rig.settle();
    rig.engine.send('leg-1', { type: 'reject', sipStatus: 486 });
    await rig.advance(10_000);
    expect(finals(far)).toEqual(['486 INVITE']);
    call.request('INVITE', { cseq: call.inviteCseq, branch: call.inviteBranch });
    await rig.settle();
    expect(finals(far)).toEqual(['486 INVITE', '486 INVITE']);
    expect(rig.incoming).toHaveLength(1);
    call.ackRefusal(486);
    await rig.settle();
  });

  it.each<[string, TransportName, string, number]>([
    ['a carrier hears again until it acknowledges', 'udp', CARRIER_HOST, 11],
    ['who has a connection hears once, as ever', 'tcp', PHONE_HOST, 1],
  ])('is sent as often as needed: %s', async (_what, transport, host, times) => {
    await open();
    refuses(486);
    const far = rig.far(5060, host, transport);
    await rings(far);
    await rig.advance(40_000);
    expect(finals(far)).toEqual(Array(times).fill('486 INVITE'));
  });

  it('is no longer than the request, so that a forged address gains nothing', async () => {
    await open();
    refuses(404);
    const far = rig.far();
    for (let count = 0; count < 20; count++) await rings(far);
    const words = { headers: ['User-Agent: somebody', 'Event: presence'] };
    for (const method of ['REGISTER', 'REFER', 'SUBSCRIBE', 'MESSAGE', 'BYE', 'CANCEL', 'NOTIFY']) {
      for (let count = 0; count < 20; count++) new CallIn(far).request(method, words);
    }
    await rig.advance(60_000);
    expect(finals(far)).toHaveLength(160);
    expect(bytesOut / bytesIn).toBeLessThan(1.1);
    expect(rig.engine.counts()).toMatchObject({ transactions: 0 });
  });

  it('is little longer than the shortest possible request', async () => {
    await open();
    const far = rig.far();
    new CallIn(far, { from: '<sip:a@b>;tag=1', callId: 'a' }).invite({ body: '' });
    await rig.settle();
    rig.engine.send('leg-1', { type: 'reject', sipStatus: 404 });
    await rig.advance(40_000);
    expect(finals(far)).toHaveLength(1);
    expect(bytesOut / bytesIn).toBeLessThan(1.5);
  });

  it('is repeated after loss if a password was wrong: the source is verified', async () => {
    await open();
    const far = rig.far();
    new CallIn(far, { from: '<sip:alice@x>;tag=a' }).invite();
    await rig.settle();
    const nonce = /nonce="([^"]+)"/.exec(headerOf(far.response(401), 'www-authenticate')!)![1];
    const wrong = `Authorization: Digest username="alice", realm="callweave", nonce="${nonce}", uri="sip:100@192.0.2.1", response="0", qop=auth, nc=00000001, cnonce="c"`;
    new CallIn(far, { from: '<sip:alice@x>;tag=a' }).invite({ headers: [wrong] });
    await rig.advance(1_000);
    expect(finals(far)).toEqual(['401 INVITE', '403 INVITE', '403 INVITE']);
    await rig.advance(40_000);
  });
});

describe('a call without any packet from its caller', () => {
  const silence = async (far: FarEnd): Promise<string[]> => {
    await answers(await rings(far));
    const { legId } = rig.incoming.at(-1)!;
    await rig.advance(61_000);
    rig.media.tell(legId, { type: 'silent', forMs: 61_000 });
    await rig.settle();
    return rig.types(legId);
  };

  it('ends after a minute for an unknown caller', async () => {
    await open();
    const far = rig.far();
    expect(await silence(far)).toEqual(['answered', 'ended']);
    expect(rig.media.remote('leg-1')).toMatchObject({ reportSilenceMs: 60_000 });
    expect(headerOf(far.request('BYE'), 'reason')).toBe('Q.850;cause=102');
    expect(rig.event('ended')).toMatchObject({ by: 'network', cause: { code: 102 } });
    expect(rig.logged).toContainEqual(
      expect.objectContaining({
        message: 'sip.silent_stranger',
        fields: { legId: 'leg-1', source: 'udp:192.0.2.50:5062', silentMs: 61_000 },
      }),
    );
  });

  it('continues for a call of a carrier', async () => {
    await open();
    expect(await silence(rig.far(5060, CARRIER_HOST))).toEqual(['answered']);
    expect(rig.media.remote('leg-1')).not.toHaveProperty('tellSilenceMs');
  });

  it('continues without a limit if the configuration says so', async () => {
    await open({ limits: { silenceMs: 0 } });
    await answers(await rings(rig.far()));
    expect(rig.media.remote('leg-1')).not.toHaveProperty('tellSilenceMs');
  });

  it('is not counted before the answer', async () => {
    await open();
    await rings(rig.far());
    rig.engine.send('leg-1', { type: 'progress' });
    await rig.settle();
    rig.media.tell('leg-1', { type: 'silent', forMs: 61_000 });
    await rig.settle();
    expect(rig.types()).toEqual([]);
  });

  it('is timed from the answer on, however long its caller listened before that', async () => {
    await open();
    const call = await rings(rig.far());
    rig.engine.send('leg-1', { type: 'progress' });
    await rig.advance(90_000);
    await answers(call);
    rig.media.tell('leg-1', { type: 'silent', forMs: 90_000 });
    await rig.settle();
    await rig.advance(59_000);
    rig.media.tell('leg-1', { type: 'silent', forMs: 149_000 });
    await rig.settle();
    expect(rig.types()).toEqual(['answered']);
    await rig.advance(1_000);
    rig.media.tell('leg-1', { type: 'silent', forMs: 150_000 });
    await rig.settle();
    expect(rig.types()).toEqual(['answered', 'ended']);
  });
});

describe('audio from an unknown caller', () => {
  /** Times of reports of silence; they are due every second in this test. */
  const told = (run: (leg: ReturnType<typeof mediaRig>, second: number) => void, seconds: number): number[] => {
    const made = mediaRig({ remote: { reportSilenceMs: 60_000, otherHost: OTHER_HOST } });
    made.leg.output.play({ playId: 'p', items: items([tone(440, 1000)]), repeat: true });
    const heard: number[] = [];
    for (let second = 1; second <= seconds; second++) {
      made.run(1000);
      run(made, second);
      made.leg.report(made.nowMs);
      if (made.events.some(({ type }) => type === 'silent')) heard.push(second);
      made.events.length = 0;
    }
    return heard;
  };
  const OTHER_HOST = '192.0.2.67';
  const REPORT = Uint8Array.from([0x80, 201, 0, 1, 0, 0, 0, 99]);
  const SOUND = packetOf({}, new Uint8Array(160));

  it('counts as missing after a minute', () => {
    expect(told(() => {}, 62)).toEqual([60, 61, 62]);
  });

  it.each<[string, (made: ReturnType<typeof mediaRig>) => void]>([
    ['a packet of it', ({ receive }) => receive(SOUND)],
    ['a report', ({ leg, nowMs }) => leg.receiveControl(REPORT, REMOTE.host, nowMs)],
    ['a report from where its messages come from', ({ leg, nowMs }) => leg.receiveControl(REPORT, OTHER_HOST, nowMs)],
    [
      'comfort noise, which is not understood',
      ({ receive }) => receive(packetOf({ payloadType: 13 }, new Uint8Array(1))),
    ],
  ])('does not count as missing for a minute after %s', (_what, comes) => {
    expect(told((made, second) => second === 30 && comes(made), 92)).toEqual([90, 91, 92]);
  });

  it.each<[string, (made: ReturnType<typeof mediaRig>) => void]>([
    ['of others', ({ receive }) => receive(SOUND, { host: '192.0.2.66' })],
    ['that is none', ({ receive }) => receive(Uint8Array.from([1, 2, 3]))],
  ])('counts as missing for all packets %s', (_what, comes) => {
    expect(told((made, second) => second === 30 && comes(made), 61)).toEqual([60, 61]);
  });

  it('does not count as missing on hold, and for a minute after that', () => {
    const holds = (made: ReturnType<typeof mediaRig>, second: number) => {
      if (second === 10) made.leg.output.hold([]);
      if (second === 100) made.leg.output.hold(undefined);
    };
    expect(told(holds, 160)).toEqual([159, 160]);
  });
});
