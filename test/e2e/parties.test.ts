/**
 * Real phones of two families on one call: bridged, recorded in separate channels, held by REST and by phones,
 * transferred blind and attended by REST and by phones, rung in parallel. Skipped, with the reason, if a phone is not
 * installed.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as talkFor } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { program } from '../programs.ts';
import type { Softphone } from './baresip.ts';
import { castAt, heardBy, PHONE_ADDRESS, TONE_HZ } from './cast.ts';
import type { Linphone } from './linphone.ts';
import { type Service, startService } from './service.ts';
import { channelsOf, RATE_HZ, secondsOfTone, writeTone } from './sound.ts';
import { type Receiver, startReceiver } from './webhook-receiver.ts';

const ADDRESS = '127.0.0.72';
const WAV_HEADER_BYTES = 44;
const cast = castAt(15_100);

const connect = (name: string, to: string) => `
flow: ${name}
start: connect
defaults: { exits: { error: bye } }
steps:
  connect:
    bridge: { to: "${to}", ring_timeout: 10s, hold_music: music }
    exits: { completed: bye, failed: bye }
  bye: { hangup: normal }
`;

const BOTH = `
flow: to-both
start: connect
defaults: { exits: { error: bye } }
steps:
  connect:
    bridge: { to: [["${cast.uri('ben')}", "${cast.uri('cora')}"]], ring_timeout: 10s }
    exits: { completed: bye, failed: bye }
  bye: { hangup: normal }
`;

const AWAY = `
flow: away
start: transfer
defaults: { exits: { error: bye } }
steps:
  transfer:
    transfer: { to: "${cast.uri('ben')}", mode: refer }
    exits: { transferred: bye, returned: bye, failed: bye }
  bye: { hangup: normal }
`;

const phones = [program('baresip'), program('linphonec')];
const missing = phones.some((phone) => phone.missing);
const why = phones.map((phone) => phone.why).join('');

describe.skipIf(missing)(`two phones${why}`, () => {
  let service: Service;
  let receiver: Receiver;
  let anna: Linphone;
  let ben: Softphone;

  const events = () => receiver.events.map(({ body }) => body);
  const told = (what: string, times = 1) =>
    receiver.until(
      () => events().filter(({ state, playstate }) => (state ?? playstate) === what).length >= times,
      `${what} (${times})`,
    );
  const put = (voiceId: string, action: string, body: object) =>
    service.api('PUT', `/voice/v1/call/${voiceId}/${action}`, body);
  const ok = { status: 200 };

  beforeAll(async () => {
    const directory = mkdtempSync(join(tmpdir(), 'callweave-parties-'));
    const flows = mkdtempSync(join(tmpdir(), 'callweave-parties-flows-'));
    mkdirSync(join(flows, 'prompts'));
    writeTone(join(flows, 'prompts/music.wav'), TONE_HZ.music, 2);
    writeFileSync(join(flows, 'to-ben.flow.yaml'), connect('to-ben', cast.uri('ben')));
    writeFileSync(join(flows, 'to-dora.flow.yaml'), connect('to-dora', cast.uri('dora')));
    writeFileSync(join(flows, 'to-both.flow.yaml'), BOTH);
    writeFileSync(join(flows, 'away.flow.yaml'), AWAY);
    receiver = await startReceiver(ADDRESS, 9072);
    service = await startService({
      directory,
      address: ADDRESS,
      sip: { allow_sip_uris: [PHONE_ADDRESS] },
      numbers: [
        { number: '7000', flow: 'to-ben', webhook: receiver.url },
        { number: '7001', flow: 'to-dora', webhook: receiver.url },
        { number: '7002', flow: 'to-both', webhook: receiver.url },
        { number: '7003', flow: 'away', webhook: receiver.url },
      ],
      flows,
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
    [anna, ben] = await Promise.all([cast.linphone('anna'), cast.baresip('ben')]);
  });
  afterEach(() => cast.stop());

  /** Seconds for which a phone heard this tone. */
  const seconds = (phone: Linphone | Softphone, name: keyof typeof TONE_HZ) =>
    secondsOfTone(heardBy(phone), TONE_HZ[name]);

  const connected = async (): Promise<string> => {
    anna.type(`call sip:7000@${service.sip}`);
    await told('bridged');
    return String(events()[0]!['voice_id']);
  };

  it('are bridged, recorded each in its own channel, held with music, and taken back', {
    timeout: 60_000,
  }, async () => {
    const voiceId = await connected();
    const started = await put(voiceId, 'recording', { recording_name: 'both' });
    expect(started).toMatchObject({ status: 200, body: { state: 'success', msg: '' } });
    await told('started');
    await talkFor(1500);
    expect(await put(voiceId, 'recording', { pause: true })).toMatchObject(ok);
    await talkFor(1500);
    expect(await put(voiceId, 'recording', { pause: false })).toMatchObject(ok);
    await talkFor(1500);
    expect(await put(voiceId, 'recording', { stop: true })).toMatchObject(ok);
    await told('completed');
    expect(await put(voiceId, 'recording', { recording_name: 'both' })).toMatchObject({ status: 409 });

    const path = `/voice/v1/recording/${started.body['recording_id']}`;
    const recording = await service.download(path);
    expect(recording.status).toBe(200);
    const bytes = new Uint8Array(await recording.arrayBuffer());
    const [said, heard] = channelsOf(bytes);
    expect(secondsOfTone(said!, TONE_HZ.anna)).toBeGreaterThan(2);
    expect(secondsOfTone(heard!, TONE_HZ.ben)).toBeGreaterThan(2);
    expect(secondsOfTone(said!, TONE_HZ.ben)).toBe(0);
    expect(secondsOfTone(heard!, TONE_HZ.anna)).toBe(0);
    // The recording does not contain the audio of the pause.
    expect(said!.length / RATE_HZ).toBeLessThan(4);
    const part = await service.download(path, { range: `bytes=${WAV_HEADER_BYTES}-${WAV_HEADER_BYTES + 99}` });
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe(`bytes 44-143/${bytes.length}`);
    expect(new Uint8Array(await part.arrayBuffer())).toEqual(bytes.slice(WAV_HEADER_BYTES, WAV_HEADER_BYTES + 100));

    expect(await put(voiceId, 'hold', { hold: true })).toMatchObject(ok);
    await anna.shows(/paused|hold/i);
    await talkFor(1500);
    expect(await put(voiceId, 'hold', { hold: false })).toMatchObject(ok);
    await talkFor(1500);
    anna.type('terminate');
    await told('disconnected');
    await cast.stop();
    expect(seconds(anna, 'ben')).toBeGreaterThan(5);
    expect(seconds(ben, 'anna')).toBeGreaterThan(5);
    expect(seconds(ben, 'music')).toBe(0);
  });

  it('are recorded until the callee hangs up, which ends the call', { timeout: 60_000 }, async () => {
    const voiceId = await connected();
    const { body } = await put(voiceId, 'recording', { recording_name: 'until the end' });
    await told('started');
    await talkFor(1500);
    await ben.command('hangup');
    await told('disconnected');
    const states = events().map(({ state }) => state);
    expect(states.slice(-3)).toEqual(['bridge_disconnected', 'completed', 'disconnected']);
    const recording = await service.download(`/voice/v1/recording/${body['recording_id']}`);
    const [said, heard] = channelsOf(new Uint8Array(await recording.arrayBuffer()));
    expect(secondsOfTone(said!, TONE_HZ.anna)).toBeGreaterThan(1);
    expect(secondsOfTone(heard!, TONE_HZ.ben)).toBeGreaterThan(1);
  });

  it('are transferred by REST: attended to a busy party and to one that answers, and blind', {
    timeout: 60_000,
  }, async () => {
    const cora = await cast.baresip('cora', { answers: false });
    const voiceId = await connected();
    const toCora = { from: '7000', transfer_to: cast.uri('cora') };
    expect(await put(voiceId, 'transfer', toCora)).toMatchObject({ status: 200, body: { status: 'initiated' } });
    await cora.event('CALL_INCOMING');
    await talkFor(1000);
    await cora.command('hangup');
    await cora.event('CALL_CLOSED');
    await talkFor(1500);
    expect(await put(voiceId, 'transfer', toCora)).toMatchObject(ok);
    await cora.event('CALL_INCOMING', 10_000, 2);
    await cora.command('accept');
    await told('bridged', 2);
    await ben.event('CALL_CLOSED');
    await talkFor(1500);
    expect(await put(voiceId, 'forward', { from: '7000', to: cast.uri('ben') })).toMatchObject({
      status: 200,
      body: { status: 'success' },
    });
    await told('bridged', 3);
    await cora.event('CALL_CLOSED', 10_000, 2);
    await talkFor(1500);
    anna.type('terminate');
    await told('disconnected');
    await cast.stop();
    expect(seconds(anna, 'cora')).toBeGreaterThan(1);
    expect(seconds(anna, 'ben')).toBeGreaterThan(2);
    expect(seconds(anna, 'music')).toBeGreaterThan(0.5);
    expect(seconds(cora, 'anna')).toBeGreaterThan(1);
    expect(seconds(cora, 'ben')).toBe(0);
    expect(ben.heard()).toHaveLength(2);
    expect(seconds(ben, 'anna')).toBeGreaterThan(2);
  });

  it('press keys through the bridge, and put each other on hold', { timeout: 60_000 }, async () => {
    await connected();
    anna.type('42#');
    await ben.event('CALL_DTMF_END', 10_000, 3);
    await told('dtmfcollected', 3);
    expect(ben.keys()).toBe('42#');
    expect(
      events()
        .filter(({ state }) => state === 'dtmfcollected')
        .map(({ digit }) => digit),
    ).toEqual(['4', '2', '#']);
    anna.type('pause');
    await anna.shows(/paused/i);
    await talkFor(1200);
    anna.type('resume');
    await anna.shows(/resum|running/i);
    await talkFor(1200);
    await ben.command('hold');
    await talkFor(1200);
    await ben.command('resume');
    await talkFor(1200);
    anna.type('terminate');
    await told('disconnected');
    await cast.stop();
    expect(seconds(ben, 'music')).toBeGreaterThan(0.6);
    expect(seconds(anna, 'music')).toBeGreaterThan(0.6);
    expect(seconds(anna, 'ben')).toBeGreaterThan(1.5);
    expect(seconds(ben, 'anna')).toBeGreaterThan(1.5);
  });

  it('transfers by REFER: the callee transfers the caller to a third party', {
    timeout: 60_000,
  }, async () => {
    const cora = await cast.baresip('cora');
    await connected();
    await talkFor(1000);
    await ben.command('transfer', cast.uri('cora'));
    await cora.event('CALL_ESTABLISHED');
    await told('bridged', 2);
    await ben.event('CALL_CLOSED');
    await talkFor(1500);
    anna.type('terminate');
    await told('disconnected');
    await cast.stop();
    expect(seconds(anna, 'cora')).toBeGreaterThan(1);
    expect(seconds(cora, 'anna')).toBeGreaterThan(1);
    expect(seconds(cora, 'ben')).toBe(0);
  });

  it('transfers by REFER: the caller transfers the callee to a third party', {
    timeout: 60_000,
  }, async () => {
    const cora = await cast.baresip('cora');
    await connected();
    await talkFor(1000);
    anna.type(`transfer ${cast.uri('cora')}`);
    await cora.event('CALL_ESTABLISHED');
    await talkFor(1500);
    await told('disconnected');
    await cast.stop();
    expect(seconds(ben, 'cora')).toBeGreaterThan(1);
    expect(seconds(cora, 'ben')).toBeGreaterThan(1);
    expect(seconds(cora, 'anna')).toBe(0);
  });

  it('transfers by REFER: the callee consults a third party first, and connects the two', {
    timeout: 60_000,
  }, async () => {
    const dora = await cast.linphone('dora', { answers: true });
    anna.type(`call sip:7001@${service.sip}`);
    await told('bridged');
    await talkFor(1000);
    dora.type('pause');
    await dora.shows(/paused/i);
    dora.type(`call sip:7000@${service.sip}`);
    await told('bridged', 2);
    await talkFor(1500);
    dora.type('transfer 1 --to-call 2');
    await told('disconnected');
    await talkFor(1500);
    anna.type('terminate');
    await told('disconnected', 2);
    await cast.stop();
    expect(seconds(anna, 'dora')).toBeGreaterThan(0.5);
    expect(seconds(ben, 'dora')).toBeGreaterThan(0.5);
    expect(seconds(anna, 'ben')).toBeGreaterThan(1);
    expect(seconds(ben, 'anna')).toBeGreaterThan(1);
  });

  it('rings them together until one answers, and redirects by REFER', { timeout: 60_000 }, async () => {
    const cora = await cast.baresip('cora', { answers: false });
    await ben.stop();
    ben = await cast.baresip('ben', { answers: false });
    anna.type(`call sip:7002@${service.sip}`);
    await Promise.all([ben.event('CALL_INCOMING'), cora.event('CALL_INCOMING')]);
    await cora.command('accept');
    await ben.event('CALL_CLOSED');
    await told('bridged');
    await talkFor(1500);
    anna.type('terminate');
    await told('disconnected');
    await cora.event('CALL_CLOSED');
    // This call leaves the service, so that the audio of the phones does not pass through it.
    anna.type(`call sip:7003@${service.sip}`);
    await ben.event('CALL_INCOMING', 10_000, 2);
    await ben.command('accept');
    await told('disconnected', 2);
    await talkFor(1500);
    anna.type('terminate');
    await ben.event('CALL_CLOSED', 10_000, 2);
    await cast.stop();
    for (const name of ['ben', 'cora'] as const) expect(seconds(anna, name), name).toBeGreaterThan(0.5);
    for (const phone of [ben, cora]) expect(seconds(phone, 'anna')).toBeGreaterThan(0.5);
  });
});
