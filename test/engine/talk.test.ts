/** Audio between two parties through whole engines: prompts, recordings and digits over real RTP. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeG711 } from '../../src/media/telephony/media/g711.ts';
import { readSamples, secondsOfTone } from '../e2e/sound.ts';
import { dialogOf, type Message, Phone, type PhoneAddress, RtpSocket } from './phone.ts';
import { type Leg, play, record, Site, sendDigits, silence, tone } from './site.ts';

const [ONE, OTHER, PHONE, STRANGER] = ['127.0.32.1', '127.0.32.2', '127.0.32.3', '127.0.32.4'] as const;
let one: Site;
let other: Site;
let directory: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'callweave-talk-'));
  [one, other] = await Promise.all([
    Site.open({ host: ONE, allowSipUris: [OTHER] }),
    Site.open({ host: OTHER, allowSipUris: [ONE] }),
  ]);
});
afterAll(async () => {
  await Promise.all([one.engine.stop(), other.engine.stop()]);
  rmSync(directory, { recursive: true });
});

const fileOf = (name: string): string => join(directory, `${name}.wav`);

async function hangUp(leg: Leg, phone: Phone): Promise<void> {
  await leg.hangUp();
  phone.answer(await phone.next('BYE'), 200);
  phone.close();
}

/** A tone in real time, packet by packet. */
async function speak(rtp: RtpSocket, to: PhoneAddress, frequencyHz: number, ms: number): Promise<void> {
  const pcm = Int16Array.from(
    { length: ms * 8 },
    (_, at) => 8_000 * Math.sin((2 * Math.PI * frequencyHz * at) / 8_000),
  );
  const bytes = encodeG711(pcm, 'PCMU');
  for (let at = 0; at < bytes.length; at += 160) {
    rtp.send(to, Buffer.from(bytes.subarray(at, at + 160)));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('audio of a call', () => {
  it('reaches the far side, both ways at once', async () => {
    const [near, far] = await one.call(other);
    near.send(record('r', fileOf('near'), { maxLengthMs: 700 }), play('p', [silence(60), tone(440, 300)]));
    far.send(record('r', fileOf('far'), { maxLengthMs: 700 }), play('p', [silence(60), tone(660, 300)]));
    const recorded = await Promise.all([near.until('record_ended'), far.until('record_ended')]);
    expect(recorded).toMatchObject([{ reason: 'max_length' }, { reason: 'max_length' }]);
    const [heardNear, heardFar] = [readSamples(fileOf('near')), readSamples(fileOf('far'))];
    expect(secondsOfTone(heardNear, 660)).toBeGreaterThanOrEqual(0.2);
    expect(secondsOfTone(heardFar, 440)).toBeGreaterThanOrEqual(0.2);
    expect(secondsOfTone(heardNear, 440) + secondsOfTone(heardFar, 660)).toBe(0);
    expect(heardNear).toHaveLength(5_600);
    await near.hangUp();
    await far.until('ended');
  });

  it('is early media before the answer, and continues after it', async () => {
    const near = one.dial(other.uri('+33199001122'));
    const far = await other.arrival();
    far.send({ type: 'progress' }, play('p', [tone(440, 2_000)]));
    await near.until('ringing');
    near.send(record('early', fileOf('early'), { maxLengthMs: 300 }));
    await near.until('record_ended');
    expect(secondsOfTone(readSamples(fileOf('early')), 440)).toBeGreaterThanOrEqual(0.1);
    expect(near.types).not.toContain('answered');
    far.send({ type: 'answer' });
    await Promise.all([near.until('answered'), far.until('answered')]);
    near.send(record('late', fileOf('late'), { maxLengthMs: 300 }));
    await near.until('record_ended', 2);
    expect(secondsOfTone(readSamples(fileOf('late')), 440)).toBeGreaterThanOrEqual(0.1);
    await far.hangUp();
    expect(far.all('play_ended')).toMatchObject([{ reason: 'stopped' }]);
    await near.until('ended');
  });

  it('is recorded completely when the caller hangs up', async () => {
    const [near, far] = await one.call(other);
    far.send(record('r', fileOf('kept')));
    near.send(play('p', [tone(440, 300), silence(100)]));
    await near.until('play_ended');
    await near.hangUp();
    await far.until('ended');
    expect(far.types.slice(-2)).toEqual(['record_ended', 'ended']);
    const [ended] = far.all('record_ended');
    expect(ended).toMatchObject({ reason: 'hangup' });
    const samples = readSamples(fileOf('kept'));
    expect(Math.round(samples.length / 8)).toBe(ended!.durationMs);
    expect(secondsOfTone(samples, 440)).toBeGreaterThanOrEqual(0.2);
  });

  it('reaches a caller who offers nothing and answers our offer in its ACK', async () => {
    const phone = await Phone.open(PHONE, one.engine.address());
    const invite = phone.request('INVITE');
    phone.send(invite);
    const leg = await one.arrival();
    leg.send({ type: 'answer' });
    const accepted = await phone.next('200 INVITE');
    expect(accepted.body).toContain('telephone-event/8000');
    const dialog = dialogOf(accepted);
    phone.acknowledge(accepted, phone.sdp());
    await leg.until('answered');
    leg.send(play('p', [tone(440, 100)]));
    await leg.until('play_ended');
    await phone.rtp.heard(5);
    expect(phone.rtp.received.map(({ payloadType }) => payloadType)).toEqual([0, 0, 0, 0, 0]);
    phone.send(phone.inDialog('BYE', dialog));
    await phone.next('200 BYE');
    expect(await leg.until('ended')).toMatchObject({ by: 'far', cause: { code: 16 } });
    phone.close();
  });

  it('is not recorded from foreign addresses, and their telephone events are not digits', async () => {
    const phone = await Phone.open(PHONE, one.engine.address());
    const strangers = await Promise.all([RtpSocket.open(STRANGER), RtpSocket.open(PHONE)]);
    const calling = phone.call();
    const leg = await one.arrival();
    leg.send({ type: 'answer' });
    const { media } = await calling;
    await leg.until('answered');
    phone.rtp.pressKey(media, 1);
    await leg.until('digit');
    leg.send(record('r', fileOf('stranger'), { maxLengthMs: 400, terminators: '9' }));
    for (const stranger of strangers) stranger.pressKey(media, 9);
    await Promise.all([
      speak(phone.rtp, media, 440, 300),
      ...strangers.map((stranger) => speak(stranger, media, 1_000, 300)),
    ]);
    expect(await leg.until('record_ended')).toMatchObject({ reason: 'max_length' });
    expect(leg.digits).toBe('1');
    const samples = readSamples(fileOf('stranger'));
    expect(secondsOfTone(samples, 440)).toBeGreaterThanOrEqual(0.1);
    expect(secondsOfTone(samples, 1_000)).toBe(0);
    await hangUp(leg, phone);
    for (const stranger of strangers) stranger.close();
  });
});

describe('digits of a call', () => {
  it('transmits digits both ways at once, each once, repeated digits twice', async () => {
    const [near, far] = await one.call(other);
    near.send(sendDigits('s', '1122*'));
    far.send(play('p', [tone(440, 2_000)]), sendDigits('s', '#0D'), sendDigits('t', '9'));
    await Promise.all([near.until('digit', 4), far.until('digit', 5)]);
    await Promise.all([near.until('digits_sent'), far.until('digits_sent', 2)]);
    expect([near.digits, far.digits]).toEqual(['#0D9', '1122*']);
    expect(far.all('digits_sent').map(({ sendId }) => sendId)).toEqual(['s', 't']);
    for (const { durationMs } of far.all('digit')) expect(Math.abs(durationMs - 60)).toBeLessThanOrEqual(20);
    await far.hangUp();
    await near.until('ended');
  });

  it('transmits digits before the answer, both ways', async () => {
    const near = one.dial(other.uri('+33199001122'));
    const far = await other.arrival();
    far.send({ type: 'progress' });
    await near.until('ringing');
    near.send(sendDigits('s', '12'));
    far.send(sendDigits('s', '34'));
    await Promise.all([near.until('digit', 2), far.until('digit', 2)]);
    far.send({ type: 'answer' });
    await Promise.all([near.until('answered'), far.until('answered')]);
    near.send(sendDigits('t', '5'));
    await far.until('digit', 3);
    expect([near.digits, far.digits]).toEqual(['34', '125']);
    await near.hangUp();
    await far.until('ended');
  });

  it('uses INFO where telephone-event was not offered', async () => {
    const phone = await Phone.open(PHONE, one.engine.address());
    const calling = phone.call({ body: phone.sdp({ events: false }) });
    const leg = await one.arrival();
    leg.send({ type: 'answer' });
    const { dialog } = await calling;
    await leg.until('answered');
    leg.send(sendDigits('s', '7w#'));
    const seen: Message[] = [];
    for (let n = 0; n < 2; n++) {
      const info = await phone.next('INFO');
      seen.push(info);
      phone.answer(info, 200);
    }
    expect(seen.map(({ body }) => /^Signal=(.)/.exec(body)?.[1])).toEqual(['7', '#']);
    await leg.until('digits_sent');
    for (const signal of ['5', '5', '*']) {
      const body = `Signal=${signal}\r\nDuration=120\r\n`;
      phone.send(phone.inDialog('INFO', dialog, { headers: ['Content-Type: application/dtmf-relay'], body }));
      await phone.next('200 INFO');
    }
    await leg.until('digit', 3);
    expect(leg.all('digit').map(({ digit, durationMs }) => `${digit} ${durationMs}`)).toEqual([
      '5 120',
      '5 120',
      '* 120',
    ]);
    await hangUp(leg, phone);
  });

  it('are counted by INFO even if telephone-event was negotiated, and once if a phone sends both', async () => {
    const phone = await Phone.open(PHONE, one.engine.address());
    const calling = phone.call();
    const leg = await one.arrival();
    leg.send({ type: 'answer' });
    const { dialog, media } = await calling;
    await leg.until('answered');
    const tell = async (type: string, body: string) => {
      phone.send(phone.inDialog('INFO', dialog, { headers: [`Content-Type: application/${type}`], body }));
      await phone.next('200 INFO');
    };
    phone.rtp.pressKey(media, 5);
    await leg.until('digit');
    await tell('dtmf-relay', 'Signal=5\r\nDuration=100\r\n');
    await tell('dtmf-relay', 'Signal=6\r\nDuration=100\r\n');
    await leg.until('digit', 2);
    phone.rtp.pressKey(media, 6);
    await tell('dtmf', '*');
    await leg.until('digit', 3);
    phone.rtp.pressKey(media, 7);
    await leg.until('digit', 4);
    await hangUp(leg, phone);
    expect(leg.digits).toBe('56*7');
  });
});
