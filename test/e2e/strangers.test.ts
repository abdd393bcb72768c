/**
 * A started service and unknown callers on real sockets: forged guesses, many calls from one address, refusals without
 * ACK, and calls without audio; each next to an honest caller who must not be affected.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Phone, SDP_TYPE } from '../engine/phone.ts';
import { type Service, SIP_PORT, startService } from './service.ts';

const ADDRESS = '127.0.0.90';
const ATTACKER = '127.0.0.91';
const HONEST = '127.0.0.92';
const CARRIER = '127.0.0.93';
const MAX_CALLS = 3;
const FRAME = Buffer.alloc(160, 0xff);

const WAIT = `
flow: wait
start: answer
steps:
  answer: { answer: {}, next: wait }
  wait: { wait_for: { events: [done], timeout: 60s }, exits: { done: bye, timeout: bye } }
  bye: { hangup: normal }
`;

describe('unknown callers at a started service', () => {
  let service: Service;
  const phones: Phone[] = [];
  const timers: NodeJS.Timeout[] = [];

  beforeAll(async () => {
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'callweave-strangers-')),
      address: ADDRESS,
      sip: {
        users: [{ name: 'alice', password: 'of-the-phone' }],
        routes: [{ uri: `sip:${CARRIER}:5078` }],
        limits: { calls: MAX_CALLS, silence: '3s' },
      },
      numbers: [{ number: '1000', flow: 'wait' }],
      flows: { 'wait.flow.yaml': WAIT },
    });
  });
  afterAll(async () => {
    expect(await service?.stop()).toBe(0);
  });
  afterEach(() => {
    for (const timer of timers.splice(0)) clearInterval(timer);
    for (const phone of phones.splice(0)) phone.close();
  });

  const phoneAt = async (host: string): Promise<Phone> => {
    const phone = await Phone.open(host, { host: ADDRESS, port: SIP_PORT });
    phones.push(phone);
    return phone;
  };
  const invite = (phone: Phone, to: string) =>
    phone.send(phone.request('INVITE', { to, headers: [SDP_TYPE], body: phone.sdp() }));
  const answered = async (phone: Phone) => phone.call({ to: '1000', headers: [SDP_TYPE], body: phone.sdp() });

  it('cannot block the calls of a carrier by forging password attempts from its address', async () => {
    const [attacker, forger, carrier] = [await phoneAt(ATTACKER), await phoneAt(CARRIER), await phoneAt(CARRIER)];
    attacker.send(attacker.request('REGISTER', { from: 'alice' }));
    const challenge = await attacker.next('401 REGISTER');
    for (let times = 0; times < 60; times++) {
      forger.send(forger.authorized('REGISTER', challenge, { from: `user${times % 6}` }, 'guessed'));
    }
    for (let times = 0; times < 60; times++) await forger.next('401 REGISTER');
    invite(carrier, '2000');
    await carrier.next('404 INVITE');
  });

  it('are limited in calls per address, without an effect on others', async () => {
    const lines: Phone[] = [];
    for (let calls = 0; calls < MAX_CALLS; calls++) lines.push(await phoneAt(ATTACKER));
    const calls = await Promise.all(lines.map(answered));
    const another = await phoneAt(ATTACKER);
    invite(another, '1000');
    await another.next('503 INVITE');
    for (const host of [HONEST, CARRIER]) {
      const phone = await phoneAt(host);
      const { dialog } = await answered(phone);
      phone.send(phone.inDialog('BYE', dialog));
      await phone.next('200 BYE');
    }
    lines[0]!.send(lines[0]!.inDialog('BYE', calls[0]!.dialog));
    await lines[0]!.next('200 BYE');
    const { dialog } = await answered(another);
    another.send(another.inDialog('BYE', dialog));
    await another.next('200 BYE');
  });

  it('are hung up if they send no audio; those that do, and carriers, continue', async () => {
    const [silent, honest, carrier] = [await phoneAt(ATTACKER), await phoneAt(HONEST), await phoneAt(CARRIER)];
    const [, theirs, ours] = [await answered(silent), await answered(honest), await answered(carrier)];
    timers.push(setInterval(() => honest.rtp.send(theirs.media, FRAME), 20));
    const bye = await silent.next('BYE', 25_000);
    expect(bye.header('reason')).toBe('Q.850;cause=102');
    silent.answer(bye, 200);
    await expect.poll(() => service.log()).toContain('sip.silent_stranger');
    for (const [phone, { dialog }] of [
      [honest, theirs],
      [carrier, ours],
    ] as const) {
      phone.send(phone.inDialog('BYE', dialog));
      await phone.next('200 BYE');
    }
  });

  it('are sent a refusal once if they do not acknowledge it', async () => {
    const [attacker, honest] = [await phoneAt(ATTACKER), await phoneAt(HONEST)];
    invite(attacker, '2000');
    await attacker.next('401 INVITE');
    await expect(attacker.next('401 INVITE', 3_000)).rejects.toThrow('waited in vain');
    const { dialog } = await answered(honest);
    honest.send(honest.inDialog('BYE', dialog));
    await honest.next('200 BYE');
  });
});
