/**
 * SIP of other programs against the started service on real sockets: sipp plays the far ends, step by step, and fails
 * on any unexpected message. Events for the application are checked as well.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { decodeTable, encodeSample } from '../../src/media/toolbox/audio/g711.ts';
import { dialogOf, Phone, SDP_TYPE } from '../engine/phone.ts';
import { program } from '../programs.ts';
import {
  acknowledgesRefusal,
  called,
  calledBy,
  cancels,
  expects,
  hangsUp,
  invite,
  isHungUp,
  isToldTheEnd,
  playCallee,
  playCaller,
  receives,
  replies,
  request,
  responds,
  respondsTo,
  sdp,
  speaks,
  waits,
} from './scenario.ts';
import { type Service, SIP_PORT, startService } from './service.ts';
import type { SippRun } from './sipp.ts';
import { RATE_HZ, secondsOfTone } from './sound.ts';
import { type Receiver, startReceiver } from './webhook-receiver.ts';

const ADDRESS = '127.0.0.80';
const FAR = '127.0.0.81';
const FIRST_GATEWAY = '127.0.0.82';
const SECOND_GATEWAY = '127.0.0.83';
const CALLEE_PORT = 5070;
const OTHER_PORT = 5072;
const CALLER_PORT = 5066;
const RECEIVER_PORT = 9080;
const CALLEE = `sip:callee@${FAR}:${CALLEE_PORT}`;
const OTHER = `sip:other@${FAR}:${OTHER_PORT}`;
const PASSWORD = 'of-the-phone';
const CARRIER = { username: 'callweave', password: 'of-the-carrier' };

const CONNECT = `
flow: connect
start: connect
defaults: { exits: { error: bye } }
steps:
  connect:
    bridge: { to: "${CALLEE}", ring_timeout: 1s }
    exits: { completed: over, failed.busy: busy, failed.no_answer: silent, failed.declined: declined, failed: over }
  busy: { notify: { event: busy }, next: over }
  silent: { notify: { event: silent }, next: over }
  declined: { notify: { event: declined }, next: over }
  over: { notify: { event: over, body: "\${ steps.connect }" }, next: bye }
  bye: { hangup: busy }
`;

const WAIT = `
flow: wait
start: answer
steps:
  answer: { answer: {}, next: wait }
  wait: { wait_for: { events: [done], timeout: 20s, commands: true }, exits: { done: bye, timeout: bye } }
  bye: { hangup: normal }
`;

const sippProgram = program('sipp');

describe.skipIf(sippProgram.missing)(`the signalling of the started service${sippProgram.why}`, () => {
  let service: Service;
  let receiver: Receiver;
  let ends: SippRun[] = [];

  beforeAll(async () => {
    receiver = await startReceiver(ADDRESS, RECEIVER_PORT);
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'callweave-signalling-')),
      address: ADDRESS,
      sip: {
        users: [{ name: 'alice', password: PASSWORD }],
        allow_sip_uris: [FAR],
        routes: [
          {
            prefix: '+33',
            gateways: [`sip:${FIRST_GATEWAY}:${CALLEE_PORT}`, `sip:${SECOND_GATEWAY}:${CALLEE_PORT}`],
            ...CARRIER,
          },
        ],
      },
      numbers: [
        { number: '1000', flow: 'wait', webhook: receiver.url },
        { number: '2000', flow: 'connect', webhook: receiver.url },
      ],
      flows: { 'connect.flow.yaml': CONNECT, 'wait.flow.yaml': WAIT },
    });
  });

  afterAll(async () => {
    const code = await service?.stop();
    await receiver?.stop();
    expect(code).toBe(0);
  });

  afterEach(() => {
    receiver.events.length = 0;
    ends = [];
  });

  const far = async (end: Promise<SippRun>): Promise<void> => {
    ends.push(await end);
  };
  const callee = (...steps: Parameters<typeof playCallee>[0]) => far(playCallee(steps, { address: FAR }));
  const other = (...steps: Parameters<typeof playCallee>[0]) =>
    far(playCallee(steps, { address: FAR, port: OTHER_PORT, mediaPort: 16_200 }));
  const gateway = (address: string, ...steps: Parameters<typeof playCallee>[0]) => far(playCallee(steps, { address }));
  const caller = (number: string, ...steps: Parameters<typeof playCaller>[0]) =>
    far(playCaller(steps, { address: FAR, port: CALLER_PORT, mediaPort: 16_100, target: service.sip, number }));

  const asAlice = (number: string) => ({
    address: FAR,
    port: CALLER_PORT,
    mediaPort: 16_100,
    target: service.sip,
    number,
    from: 'alice',
    more: ['-auth_uri', `${number}@${service.sip}`],
  });
  const proof = `[authentication username=alice password=${PASSWORD}]`;

  /** Asserts that every end has completed its scenario. */
  const played = async (): Promise<void> => {
    for (const end of ends) {
      const result = await end.ended;
      expect(result, result.output).toMatchObject({ successful: 1, failed: 0 });
    }
  };

  const dials = async (to: string): Promise<string> => {
    const { body } = await service.api('POST', '/voice/v1/call', { from: '1000', to, event_url: receiver.url });
    return String(body['voice_id']);
  };
  const hangUp = async (voiceId: string) =>
    expect(await service.api('DELETE', `/voice/v1/call/${voiceId}`)).toMatchObject({ status: 200 });

  const word = (body: Record<string, unknown>) => body['state'] ?? body['playstate'] ?? body['event'];
  const words = () => receiver.events.map(({ body }) => word(body));
  const told = async (what: string): Promise<Record<string, unknown>> => {
    await receiver.until((events) => events.some(({ body }) => word(body) === what), what);
    return receiver.events.map(({ body }) => body).find((body) => word(body) === what)!;
  };

  describe('an outbound call', () => {
    it('continues with the first answer when it is forked, and acknowledges and hangs up the other', async () => {
      await callee(
        called(),
        responds(180, { tag: 'theirs' }),
        responds(180),
        responds(200, { body: sdp() }),
        expects('ACK', { header: 'To', like: 'tag=ours' }),
        responds(200, { tag: 'theirs', body: sdp() }),
        expects('ACK', { header: 'To', like: 'tag=theirs' }),
        expects('BYE', { header: 'To', like: 'tag=theirs' }),
        replies(200),
        expects('BYE', { header: 'To', like: 'tag=ours' }),
        replies(200),
      );
      const voiceId = await dials(CALLEE);
      await told('connected');
      await hangUp(voiceId);
      await told('disconnected');
      await played();
      expect(words()).toEqual(['ringing', 'connected', 'disconnected']);
    });

    it('is acknowledged and hung up if it is answered during its cancellation', async () => {
      await callee(
        called(),
        responds(180),
        expects('CANCEL'),
        // In the other direction the ACK may arrive before the second response.
        replies(200),
        responds(200, { body: sdp() }),
        expects('ACK'),
        isHungUp(),
      );
      const voiceId = await dials(CALLEE);
      await told('ringing');
      await hangUp(voiceId);
      await told('disconnected');
      await played();
      expect(words()).toEqual(['ringing', 'disconnected']);
    });

    it('follows a redirection to the new target, and leaves the redirecting server', async () => {
      await callee(called(), responds(302, { headers: [`Contact: <${OTHER}>`] }), expects('ACK'));
      await other(called(), responds(200, { body: sdp() }), expects('ACK'), isHungUp());
      const voiceId = await dials(CALLEE);
      await told('connected');
      await hangUp(voiceId);
      await told('disconnected');
      await played();
      expect(words()).toEqual(['connected', 'disconnected']);
    });

    it('is not redirected to a destination that may not be dialled', async () => {
      await callee(called(), responds(302, { headers: ['Contact: <sip:+33900000000@192.0.2.1>'] }), expects('ACK'));
      await dials(CALLEE);
      await told('disconnected');
      await played();
      expect(words()).toEqual(['disconnected']);
    });

    it('is refreshed by UPDATE if the far end asks us to refresh', async () => {
      await callee(
        called(),
        responds(200, { headers: ['Session-Expires: 3;refresher=uac', 'Require: timer'], body: sdp() }),
        expects('ACK'),
        expects('UPDATE', { header: 'Session-Expires', like: 'refresher=uac' }),
        replies(200, { headers: ['Session-Expires: 90;refresher=uac'] }),
        hangsUp(1),
      );
      await dials(CALLEE);
      await told('disconnected');
      await played();
    });

    it('ends if the far end does not refresh the session as it promised', async () => {
      await callee(
        called(),
        responds(200, { headers: ['Session-Expires: 3;refresher=uas', 'Require: timer'], body: sdp() }),
        expects('ACK'),
        isHungUp(),
      );
      await dials(CALLEE);
      expect(await told('disconnected')).toMatchObject({ disconnect_cause_code: 102 });
      await played();
    });

    it('sends a new offer when the far end asks for one', async () => {
      await callee(
        called(),
        responds(200, { body: sdp() }),
        expects('ACK'),
        request('INVITE', { cseq: 1 }),
        receives(200, { header: 'Content-Type', like: 'application/sdp' }),
        request('ACK', { body: sdp({ version: 2 }) }),
        hangsUp(),
      );
      await dials(CALLEE);
      await told('disconnected');
      await played();
    });

    describe('an INVITE from a carrier', () => {
      it('authenticates when it is challenged', async () => {
        const challenge = 'Proxy-Authenticate: Digest realm="carrier", nonce="abc", algorithm=MD5, qop="auth"';
        const like = 'username=.callweave.,.*uri=.sip:.33144550000@.*qop=auth, nc=00000001';
        const calledAgain = expects('INVITE', { keep: 'call', header: 'Proxy-Authorization', like });
        await gateway(
          FIRST_GATEWAY,
          called(),
          responds(407, { headers: [challenge] }),
          expects('ACK'),
          calledAgain,
          responds(200, { body: sdp() }),
          expects('ACK'),
          isHungUp(),
        );
        const voiceId = await dials('+33144550000');
        await told('connected');
        await hangUp(voiceId);
        await told('disconnected');
        await played();
      });

      it('does not authenticate a second time when the carrier refuses the credentials', async () => {
        const challenge = (nonce: string) =>
          `WWW-Authenticate: Digest realm="carrier", nonce="${nonce}", algorithm=MD5`;
        await gateway(
          FIRST_GATEWAY,
          called(),
          responds(401, { headers: [challenge('a')] }),
          expects('ACK'),
          calledBy(CARRIER),
          responds(401, { headers: [challenge('b')] }),
          expects('ACK'),
        );
        await dials('+33144550000');
        await told('disconnected');
        await played();
      });

      it('goes to the next gateway when the first is full', async () => {
        await gateway(FIRST_GATEWAY, called(), responds(503), expects('ACK'));
        await gateway(
          SECOND_GATEWAY,
          called(),
          responds(180),
          responds(200, { body: sdp() }),
          expects('ACK'),
          isHungUp(),
        );
        const voiceId = await dials('+33144550000');
        await told('connected');
        await hangUp(voiceId);
        await told('disconnected');
        await played();
        expect(words()).toEqual(['ringing', 'connected', 'disconnected']);
      });

      it('is not tried elsewhere when the callee is busy', async () => {
        await gateway(FIRST_GATEWAY, called(), responds(486), expects('ACK'));
        await dials('+33144550000');
        expect(await told('disconnected')).toMatchObject({ disconnect_cause_code: 17 });
        await played();
      });
    });
  });

  describe('an inbound call', () => {
    it('is answered and then hung up if it is cancelled during the answer', async () => {
      await caller(
        '1000',
        invite(),
        receives(200),
        cancels(),
        receives(200, { after: [], header: 'CSeq', like: 'CANCEL' }),
        request('ACK'),
        hangsUp(),
      );
      await told('disconnected');
      await played();
      expect(words()).toEqual(['incomingcall', 'connected', 'disconnected']);
    });

    it('authenticates when it claims to be one of our users', async () => {
      await far(
        playCaller(
          [
            invite(),
            receives(401, { auth: true }),
            acknowledgesRefusal(),
            invite({ cseq: 2, headers: [proof] }),
            receives(200),
            request('ACK', { cseq: 2 }),
            hangsUp(3),
          ],
          asAlice('1000'),
        ),
      );
      expect(await told('disconnected')).toMatchObject({ from: 'alice' });
      await played();
    });

    it('refuses both of two crossing holds, and retries its own', async () => {
      await caller(
        '1000',
        invite(),
        receives(200),
        request('ACK'),
        expects('INVITE', { keep: 'hold' }),
        request('INVITE', { cseq: 2, body: sdp({ version: 2 }) }),
        receives(491, { after: [] }),
        acknowledgesRefusal(2, '[next_url]'),
        respondsTo('hold', 491),
        expects('ACK'),
        expects('INVITE'),
        replies(200, { body: sdp({ version: 3, direction: 'recvonly' }) }),
        expects('ACK'),
        hangsUp(3),
      );
      const { voice_id } = await told('connected');
      expect(await service.api('PUT', `/voice/v1/call/${voice_id}/hold`, { hold: true })).toMatchObject({
        status: 200,
      });
      await told('disconnected');
      await played();
    });
  });

  describe('a call that is connected with', () => {
    it.each([
      ['somebody who is busy', 486, 'busy'],
      ['somebody who declines', 603, 'declined'],
    ])('%s goes the way of that', async (_, status, outcome) => {
      await callee(called(), responds(180), responds(status), expects('ACK'));
      await caller('2000', invite(), receives(486), acknowledgesRefusal());
      await told(outcome);
      await told('disconnected');
      await played();
    });

    it('follows the outcome of a party that does not answer, and stops ringing it', async () => {
      await callee(called(), responds(180), expects('CANCEL'), replies(200), responds(487), expects('ACK'));
      await caller('2000', invite(), receives(486), acknowledgesRefusal());
      await told('silent');
      await told('disconnected');
      await played();
    });

    it('cancels a ringing party when the caller gives up', async () => {
      await callee(called(), responds(180), expects('CANCEL'), replies(200), responds(487), expects('ACK'));
      const phone = await Phone.open(FAR, { host: ADDRESS, port: SIP_PORT });
      const call = phone.request('INVITE', { to: '2000', headers: [SDP_TYPE], body: phone.sdp() });
      phone.send(call);
      await told('bridging');
      phone.send(call.replace(/^INVITE/, 'CANCEL').replace(/^(CSeq: \d+) INVITE/m, '$1 CANCEL'));
      await phone.next('200 CANCEL');
      await phone.next('487 INVITE');
      phone.close();
      await told('disconnected');
      await played();
      expect(words()).not.toContain('silent');
    });

    it('continues with the target of a transfer by the party, which is hung up', async () => {
      await callee(
        called(),
        responds(200, { body: sdp() }),
        expects('ACK'),
        request('REFER', { headers: [`Refer-To: <${OTHER}>`] }),
        receives(202, { after: [] }),
        isToldTheEnd(),
        isHungUp(),
      );
      await other(called(), responds(180), responds(200, { body: sdp() }), expects('ACK'), hangsUp(1));
      await caller('2000', invite(), receives(200), request('ACK'), isHungUp());
      await told('disconnected');
      await played();
    });

    it('asks a party that the caller transfers to call the target', async () => {
      await callee(
        called(),
        responds(200, { body: sdp() }),
        expects('ACK'),
        expects('REFER', { header: 'Refer-To', like: 'sip:other@' }),
        replies(202),
        request('NOTIFY', {
          cseq: 1,
          headers: [
            'Event: refer',
            'Subscription-State: terminated;reason=noresource',
            'Content-Type: message/sipfrag',
          ],
          body: 'SIP/2.0 200 OK',
        }),
        receives(200, { after: [] }),
        isHungUp(),
      );
      await caller(
        '2000',
        invite(),
        receives(200),
        request('ACK'),
        request('REFER', { cseq: 2, headers: [`Refer-To: <${OTHER}>`] }),
        receives(202, { after: [] }),
        isToldTheEnd(),
        isHungUp(),
      );
      await told('disconnected');
      await played();
    });

    it('forwards early media of a party before the answer, and its audio after it', async () => {
      const speech = join(mkdtempSync(join(tmpdir(), 'callweave-early-')), 'speech.raw');
      writeFileSync(speech, tone(440, 1));
      await callee(
        called(),
        responds(183, { body: sdp({ streamed: true }) }),
        speaks(speech),
        waits(900),
        responds(200, { body: sdp({ streamed: true }) }),
        expects('ACK'),
        isHungUp(),
      );
      const phone = await Phone.open(FAR, { host: ADDRESS, port: SIP_PORT });
      phone.send(phone.request('INVITE', { to: '2000', headers: [SDP_TYPE], body: phone.sdp() }));
      await phone.next('183 INVITE');
      const accepted = await phone.next('200 INVITE');
      const early = phone.rtp.received.length;
      phone.acknowledge(accepted);
      await phone.rtp.heard(early + 40);
      phone.send(phone.inDialog('BYE', dialogOf(accepted)));
      await phone.next('200 BYE');
      phone.close();
      await told('disconnected');
      await played();
      const heard = phone.rtp.received.map(({ bytes }) => pcm(bytes));
      expect(secondsOfTone(Float64Array.from(heard.slice(0, early).flat()), 440)).toBeGreaterThan(0.4);
      expect(secondsOfTone(Float64Array.from(heard.slice(early).flat()), 440)).toBeGreaterThan(0.4);
    });

    it('continues with the phone that replaces the first one', async () => {
      await callee(called(), responds(200, { body: sdp() }), expects('ACK'), isHungUp());
      const phone = await Phone.open(FAR, { host: ADDRESS, port: SIP_PORT });
      const { dialog } = await phone.call({ to: '2000' });
      await told('bridged');
      const replaces = `Replaces: ${dialog.callId};to-tag=${dialog.remoteTag};from-tag=${dialog.localTag}`;
      await far(
        playCaller(
          [
            invite({ headers: [replaces] }),
            receives(401, { auth: true }),
            acknowledgesRefusal(),
            invite({ cseq: 2, headers: [replaces, proof] }),
            receives(200),
            request('ACK', { cseq: 2 }),
            waits(200),
            hangsUp(3),
          ],
          asAlice('2000'),
        ),
      );
      phone.answer(await phone.next('BYE'), 200);
      phone.close();
      await told('disconnected');
      await played();
      expect(words().filter((one) => one === 'disconnected')).toHaveLength(1);
    });
  });
});

const PCM = decodeTable('PCMU');
const pcm = (bytes: Buffer): number[] => Array.from(bytes, (byte) => PCM[byte]!);
const tone = (frequencyHz: number, seconds: number): Buffer =>
  Buffer.from(
    Array.from({ length: RATE_HZ * seconds }, (_, at) =>
      encodeSample(Math.round(8_000 * Math.sin((2 * Math.PI * frequencyHz * at) / RATE_HZ)), 'PCMU'),
    ),
  );
