/**
 * More than two on a call: a conference of three real phones, where each hears the two others, and a WebSocket that
 * hears a bridged call and talks into it. Skipped, with the reason, if a phone is not installed.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as talkFor } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { program } from '../programs.ts';
import type { Softphone } from './baresip.ts';
import { castAt, heardBy, PHONE_ADDRESS, TONE_HZ } from './cast.ts';
import type { Linphone } from './linphone.ts';
import { type Service, startService } from './service.ts';
import { secondsOfTone, tone } from './sound.ts';
import { type StreamReceiver, startStreamReceiver } from './stream-receiver.ts';
import { type Receiver, startReceiver } from './webhook-receiver.ts';

const ADDRESS = '127.0.0.76';
const cast = castAt(15_300);
/** With two tones at once, each has about half of the energy. */
const ONE_OF_TWO = 0.3;
const TRACE = 0.05;

const BRIDGE = `
flow: to-ben
start: connect
defaults: { exits: { error: bye } }
steps:
  connect: { bridge: "${cast.uri('ben')}", exits: { completed: bye, failed: bye } }
  bye: { hangup: normal }
`;

const phones = [program('baresip'), program('linphonec')];
const missing = phones.some((phone) => phone.missing);
const why = phones.map((phone) => phone.why).join('');

describe.skipIf(missing)(`phones that meet${why}`, () => {
  let service: Service;
  let receiver: Receiver;
  let anna: Linphone;
  let ben: Softphone;

  const events = () => receiver.events.map(({ body }) => body);
  const told = (what: string, times = 1) =>
    receiver.until(() => events().filter(({ state }) => state === what).length >= times, `${what} (${times})`);
  const ok = { status: 200 };
  const seconds = (phone: Linphone | Softphone, name: keyof typeof TONE_HZ, share?: number) =>
    secondsOfTone(heardBy(phone), TONE_HZ[name], share);

  beforeAll(async () => {
    receiver = await startReceiver(ADDRESS, 9076);
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'callweave-meeting-')),
      address: ADDRESS,
      sip: { allow_sip_uris: [PHONE_ADDRESS] },
      numbers: [
        { number: '7000', flow: 'to-ben', webhook: receiver.url },
        { number: '7100', webhook: receiver.url },
      ],
      flows: { 'to-ben.flow.yaml': BRIDGE },
    });
  });
  afterAll(async () => {
    const code = await service?.stop();
    await receiver?.stop();
    expect(code, service?.log()).toBe(0);
  });
  beforeEach(async ({ onTestFailed }) => {
    onTestFailed(() => console.error(service.log()));
    receiver.events.length = 0;
    [anna, ben] = await Promise.all([cast.linphone('anna', { answers: true }), cast.baresip('ben')]);
  });
  afterEach(() => cast.stop());

  it('exchanges their audio without an echo, and mutes, holds, releases and ends them', {
    timeout: 60_000,
  }, async () => {
    const cora = await cast.baresip('cora');
    const from = '7100';
    const convened = await service.api('POST', '/voice/v1/conference', {
      name: 'weekly',
      from,
      to: cast.uri('anna'),
      event_url: receiver.url,
    });
    expect(convened).toMatchObject({ status: 200, body: { name: 'weekly', state: 'initiated' } });
    const { conference_id: conferenceId, voice_id: annaId } = convened.body;
    const path = `/voice/v1/conference/${conferenceId}`;
    await told('conference_joined');
    const joined = await service.api('PUT', path, { from, transfer_to: cast.uri('ben') });
    expect(joined).toMatchObject(ok);
    await told('conference_joined', 2);
    await cora.command('dial', `sip:7100@${service.sip}`);
    await told('incomingcall');
    const coraId = events().find(({ state }) => state === 'incomingcall')!['voice_id'];
    const accepted = await service.api('PUT', `/voice/v1/conference/${coraId}/${conferenceId}`);
    expect(accepted).toMatchObject({ status: 200, body: { conference_id: conferenceId, voice_id: coraId } });
    await told('conference_joined', 3);
    await talkFor(2000);
    expect(await service.api('PUT', `${path}/participant/${annaId}`, { muted: true })).toMatchObject(ok);
    await told('conference_muted');
    await talkFor(1500);
    expect(await service.api('GET', path)).toMatchObject({
      status: 200,
      body: {
        state: 'active',
        participants: [
          { voice_id: annaId, state: 'joined', muted: true },
          { voice_id: joined.body['voice_id'], state: 'joined', muted: false },
          { voice_id: coraId, state: 'joined', muted: false },
        ],
      },
    });
    const benPath = `${path}/participant/${joined.body['voice_id']}`;
    expect(await service.api('PUT', benPath, { hold: true })).toMatchObject(ok);
    await told('conference_held');
    await talkFor(1500);
    expect(await service.api('PUT', benPath, { hold: false })).toMatchObject(ok);
    await told('conference_held', 2);
    await cora.command('hangup');
    await told('disconnected');
    await talkFor(1500);
    expect(await service.api('DELETE', path)).toMatchObject(ok);
    await told('disconnected', 3);
    await ben.event('CALL_CLOSED');
    expect(await service.api('GET', path)).toMatchObject({ body: { state: 'ended' } });
    await cast.stop();

    for (const [phone, name, others] of [
      [anna, 'anna', ['ben', 'cora']],
      [ben, 'ben', ['anna', 'cora']],
      [cora, 'cora', ['anna', 'ben']],
    ] as const) {
      expect(seconds(phone, name, TRACE), `${name} hears itself`).toBe(0);
      for (const other of others)
        expect(seconds(phone, other, ONE_OF_TWO), `${name} hears ${other}`).toBeGreaterThan(1);
    }
    // The muted, the held and the departed phone are not audible.
    expect(seconds(ben, 'cora')).toBeGreaterThan(1);
    expect(seconds(cora, 'ben')).toBeGreaterThan(1);
    expect(seconds(anna, 'cora')).toBeGreaterThan(1);
    expect(seconds(anna, 'ben')).toBeGreaterThan(1);
    expect(seconds(ben, 'anna', TRACE)).toBeLessThan(3);
  });

  it('are streamed to a web socket, each in its track and without gaps, and hear what it sends', {
    timeout: 60_000,
  }, async () => {
    const socket: StreamReceiver = await startStreamReceiver(ADDRESS);
    try {
      anna.type(`call sip:7000@${service.sip}`);
      await told('bridged');
      const voiceId = events()[0]!['voice_id'];
      const order = { stream_dest: socket.url, tracks: 'both', bidirectional: true };
      const started = await service.api('PUT', `/voice/v1/call/${voiceId}/stream`, order);
      expect(started).toMatchObject({ status: 201, body: { state: 'initiated' } });
      await told('stream_started');
      await talkFor(2000);
      socket.say(tone(TONE_HZ.bot, 2));
      await talkFor(2500);
      socket.say(tone(TONE_HZ.bot, 10));
      socket.send({ event: 'clear_media' });
      await talkFor(1000);
      expect(await service.api('DELETE', `/voice/v1/call/${voiceId}/stream`)).toMatchObject({ status: 201 });
      await told('stream_stopped');
      await socket.until('stop_media');
      anna.type('terminate');
      await told('disconnected');
    } finally {
      await cast.stop();
      await socket.stop();
    }
    const [hello, start] = socket.messages;
    expect(hello).toEqual({ event: 'connected' });
    expect(start).toMatchObject({
      event: 'start_media',
      start: { from: 'anna', to: '7000', format: { encoding: 'ulaw', sample_rate: 8000, channels: 1 } },
    });
    expect(socket.messages.at(-1)).toMatchObject({ event: 'stop_media', dropped: 0 });
    const frames = socket.media();
    expect(frames.map(({ seq }) => seq)).toEqual(frames.map((_, at) => at + 1));
    for (const track of ['inbound', 'outbound'] as const) {
      const times = frames.filter((frame) => frame.track === track).map(({ timestamp }) => timestamp);
      expect(times).toEqual(times.map((_, at) => at * 20));
    }
    const said = socket.samples('inbound');
    expect(secondsOfTone(said, TONE_HZ.anna)).toBeGreaterThan(4);
    for (const name of ['ben', 'bot'] as const) expect(secondsOfTone(said, TONE_HZ[name], TRACE)).toBe(0);
    const heard = socket.samples('outbound');
    expect(secondsOfTone(heard, TONE_HZ.ben)).toBeGreaterThan(2);
    // Two seconds are sent; less may arrive on a machine with little processor time.
    expect(secondsOfTone(heard, TONE_HZ.bot)).toBeGreaterThan(1);
    expect(seconds(anna, 'bot')).toBeGreaterThan(1);
    expect(seconds(anna, 'bot')).toBeLessThan(3);
    expect(seconds(anna, 'ben')).toBeGreaterThan(2);
    expect(seconds(ben, 'bot')).toBe(0);
    expect(seconds(ben, 'anna')).toBeGreaterThan(4);
  });
});
