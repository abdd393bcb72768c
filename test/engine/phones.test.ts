/**
 * Telephones against an engine: codec laws, hold, moves, broken connections, and the ends of an engine as phones see
 * them.
 */
import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { dialogOf, Phone, RtpSocket, SDP_TYPE } from './phone.ts';
import { type Leg, makeEngine, play, Site, tone } from './site.ts';

const [ENGINE, PHONE] = ['127.0.36.1', '127.0.36.2'] as const;
const open: Phone[] = [];
let site: Site;
let thread: Worker;

beforeAll(async () => {
  const started = once(process, 'worker') as Promise<[Worker]>;
  site = await Site.open({ host: ENGINE, allowSipUris: [PHONE] });
  [thread] = await started;
});
afterEach(() => {
  for (const phone of open.splice(0)) phone.close();
});
afterAll(() => site.engine.stop());

const phoneOf = async (engine: Site, transport: 'udp' | 'tcp' = 'udp'): Promise<Phone> => {
  const phone = await Phone.open(PHONE, engine.engine.address(), transport);
  open.push(phone);
  return phone;
};

type Connected = Awaited<ReturnType<Phone['call']>> & { leg: Leg };

async function connected(phone: Phone, options: Parameters<Phone['call']>[0] = {}): Promise<Connected> {
  const calling = phone.call(options);
  const leg = await site.arrival();
  leg.send({ type: 'answer' });
  const call = await calling;
  await leg.until('answered');
  return { ...call, leg };
}

async function hangUp(phone: Phone, leg: Leg): Promise<void> {
  leg.send({ type: 'hangup', cause: 16 });
  phone.answer(await phone.next('BYE'), 200);
  await leg.until('ended');
}

/** Waits until the engine has handled all earlier packets. */
async function passBy(): Promise<void> {
  const other = await phoneOf(site, 'tcp');
  other.send(other.request('OPTIONS'));
  await other.next('200 OPTIONS');
}

/** Sends another description in the same call, which is accepted. */
async function renegotiate(phone: Phone, { dialog }: Connected, body: string): Promise<string> {
  const headers = [SDP_TYPE, `Contact: <sip:phone@${phone.place}>`];
  phone.send(phone.inDialog('INVITE', dialog, { headers, body }));
  const accepted = await phone.next('200 INVITE');
  phone.acknowledge(accepted);
  return accepted.body;
}

describe('audio after a negotiation', () => {
  it('uses the codec law that was offered', async () => {
    const phone = await phoneOf(site);
    const { leg } = await connected(phone, { body: phone.sdp({ payloadType: 8 }) });
    leg.send(play('p', [tone(440, 60)]));
    await leg.until('play_ended');
    await phone.rtp.heard(3);
    expect(phone.rtp.received.map(({ payloadType }) => payloadType)).toEqual([8, 8, 8]);
    await hangUp(phone, leg);
  });

  it('follows a new description to another port, and stops on hold', async () => {
    const phone = await phoneOf(site);
    const call = await connected(phone);
    const { leg } = call;
    leg.send(play('p', [tone(440, 60)], true));
    await phone.rtp.heard(2);

    const elsewhere = await RtpSocket.open(PHONE);
    await renegotiate(phone, call, phone.sdp({ port: elsewhere.port, version: 2 }));
    await elsewhere.heard(2);
    const before = phone.rtp.received.length;
    await elsewhere.heard(5);
    expect(phone.rtp.received).toHaveLength(before);

    const held = phone.sdp({ port: elsewhere.port, direction: 'sendonly', version: 3 });
    expect(await renegotiate(phone, call, held)).toContain('a=recvonly');
    const beforeHold = elsewhere.received.length;
    leg.send(play('q', [tone(440, 100)]));
    expect(await leg.until('play_ended', 2)).toMatchObject({ playId: 'q', reason: 'finished' });
    expect(elsewhere.received.length - beforeHold).toBeLessThanOrEqual(2);

    await renegotiate(phone, call, phone.sdp({ port: elsewhere.port, version: 4 }));
    leg.send(play('r', [tone(440, 60)]));
    await elsewhere.heard(beforeHold + 3);
    await hangUp(phone, leg);
    elsewhere.close();
  });
});

describe('a phone on TCP', () => {
  it('is reached through its Contact when its connection broke', async () => {
    const phone = await phoneOf(site, 'tcp');
    const { leg } = await connected(phone);
    expect(leg.arrival?.remote).toMatch(/^tcp:127\.0\.36\.2:/);
    phone.line.cut();
    await passBy();
    await hangUp(phone, leg);
    await vi.waitFor(() => expect(site.engine.counts()).toMatchObject({ legs: 0, sessions: 0 }), 10_000);
  });

  it('is reached on a new connection that it opened', async () => {
    const phone = await phoneOf(site, 'tcp');
    const { dialog, leg } = await connected(phone);
    phone.line.deafen();
    phone.line.cut();
    phone.send(phone.inDialog('OPTIONS', dialog));
    await phone.next('200 OPTIONS');
    await hangUp(phone, leg);
  });

  it('does not keep its call alive after it vanished', async () => {
    const phone = await phoneOf(site, 'tcp');
    const { leg } = await connected(phone);
    phone.close();
    open.pop();
    await passBy();
    expect(await leg.hangUp()).toMatchObject({ by: 'near' });
    await vi.waitFor(() => expect(site.engine.counts()).toMatchObject({ legs: 0, sessions: 0 }), 10_000);
  });

  it('is out of order when it refuses the connection', async () => {
    const phone = await phoneOf(site, 'tcp');
    const to = `sip:bob@${phone.place};transport=tcp`;
    phone.close();
    open.pop();
    expect(await site.dial(to).until('ended')).toMatchObject({ by: 'network', cause: { code: 38 } });
  });
});

describe('media thread that dies', () => {
  it('ends its calls, informs the far side, and is replaced for the next calls', async () => {
    const phone = await phoneOf(site);
    const { leg } = await connected(phone);
    leg.send(play('p', [tone(440, 60)], true));
    await phone.rtp.heard(1);
    const replaced = once(process, 'worker') as Promise<[Worker]>;
    await thread.terminate();
    phone.answer(await phone.next('BYE'), 200);
    expect(await leg.until('ended')).toMatchObject({ by: 'network', cause: { code: 41 } });
    expect(leg.all('play_ended')).toMatchObject([{ reason: 'failed', fault: { retryable: true } }]);
    [thread] = await replaced;
    await once(thread, 'message');
    await hangUp(phone, (await connected(phone)).leg);
  });
});

describe('an engine', () => {
  it('reports a port that is taken, and leaves no thread behind', async () => {
    const started = once(process, 'worker') as Promise<[Worker]>;
    const second = makeEngine({ host: ENGINE, port: site.engine.address().port });
    await expect(second.start(site)).rejects.toThrow(/EADDRINUSE/);
    const [orphan] = await started;
    // Id of a thread after its end.
    expect(orphan.threadId).toBe(-1);
    await second.stop();
  });

  it('hangs up at its stop on a phone whose ACK is still to come', async () => {
    const stopping = await Site.open({ host: ENGINE });
    const phone = await phoneOf(stopping);
    phone.send(phone.request('INVITE', { headers: [SDP_TYPE], body: phone.sdp() }));
    const leg = await stopping.arrival();
    leg.send({ type: 'answer' });
    const accepted = await phone.next('200 INVITE');
    const stopped = stopping.engine.stop();
    await leg.until('ended');
    phone.acknowledge(accepted);
    const bye = await phone.next('BYE');
    expect(bye.header('call-id')).toBe(dialogOf(accepted).callId);
    phone.answer(bye, 200);
    await stopped;
  });

  it('cancels unanswered calls at its stop', async () => {
    const stopping = await Site.open({ host: ENGINE, allowSipUris: [PHONE] });
    const phone = await phoneOf(stopping);
    const leg = stopping.dial(`sip:bob@${phone.place}`);
    const invite = await phone.next('INVITE');
    const stopped = stopping.engine.stop();
    await leg.until('ended');
    phone.answer(invite, 180);
    phone.answer(await phone.next('CANCEL'), 200);
    phone.answer(invite, 487);
    await phone.next('ACK');
    await stopped;
  });
});
