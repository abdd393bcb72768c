/**
 * Two real phones of two families on one call: bridged, put on hold and taken back, recorded with each in a channel of
 * its own, transferred blind and attended. Skipped, with the reason, where a phone is not installed.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as talkFor } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { program } from '../programs.ts';
import { type Softphone, startSoftphone } from './baresip.ts';
import { type Linphone, startLinphone } from './linphone.ts';
import { type Service, startService } from './service.ts';
import { channelsOf, readSamples, secondsOfTone, writeTone } from './sound.ts';
import { type Receiver, startReceiver } from './webhook-receiver.ts';

const ADDRESS = '127.0.0.72';
const PHONE_ADDRESS = '127.0.0.1';
const LINPHONE_HZ = 620;
const BARESIP_HZ = 440;
const MUSIC_HZ = 880;

const CONNECT = `
flow: connect
start: connect
defaults: { exits: { error: bye } }
steps:
  connect:
    bridge: { to: "sip:phone@${PHONE_ADDRESS}:15060", ring_timeout: 10s, hold_music: music }
    exits: { completed: bye, failed: bye }
  bye: { hangup: normal }
`;

const phones = [program('baresip'), program('linphonec')];
const missing = phones.some((phone) => phone.missing);
const why = phones.map((phone) => phone.why).join('');

describe.skipIf(missing)(`two phones${why}`, () => {
  let service: Service;
  let receiver: Receiver;
  let directory: string;
  let linphone: Linphone;
  let baresip: Softphone;

  const events = () => receiver.events.map(({ body }) => body);
  const told = (what: string) =>
    receiver.until(() => events().some(({ state, playstate }) => (state ?? playstate) === what), what);

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'callweave-parties-'));
    const flows = mkdtempSync(join(tmpdir(), 'callweave-parties-flows-'));
    mkdirSync(join(flows, 'prompts'));
    writeTone(join(flows, 'prompts/music.wav'), MUSIC_HZ, 2);
    writeFileSync(join(flows, 'connect.flow.yaml'), CONNECT);
    receiver = await startReceiver(ADDRESS, 9072);
    service = await startService({
      directory,
      address: ADDRESS,
      sip: { allow_sip_uris: [PHONE_ADDRESS] },
      numbers: [{ number: '7000', flow: 'connect', webhook: receiver.url }],
      flows,
    });
    writeTone(join(directory, 'linphone.wav'), LINPHONE_HZ, 30);
    writeTone(join(directory, 'baresip.wav'), BARESIP_HZ, 30);
  });
  afterAll(async () => {
    const code = await service?.stop();
    await receiver?.stop();
    expect(code).toBe(0);
  });

  const startPhones = async () => {
    receiver.events.length = 0;
    const scratch = () => mkdtempSync(join(tmpdir(), 'callweave-phone-'));
    baresip = await startSoftphone({
      directory: scratch(),
      address: PHONE_ADDRESS,
      says: join(directory, 'baresip.wav'),
    });
    linphone = await startLinphone({
      directory: scratch(),
      port: 15071,
      rtpPort: 17070,
      says: join(directory, 'linphone.wav'),
    });
  };
  afterEach(async () => {
    await linphone?.stop();
    await baresip?.stop();
  });
  const connected = async (): Promise<string> => {
    await startPhones();
    linphone.type(`call sip:7000@${service.sip}`);
    await told('bridged');
    return String(events()[0]!['voice_id']);
  };

  it('are bridged, recorded each in its own channel, held with music, and taken back', {
    timeout: 60_000,
  }, async () => {
    const voiceId = await connected();
    const started = await service.api('PUT', `/voice/v1/call/${voiceId}/recording`, { recording_name: 'both' });
    expect(started).toMatchObject({ status: 200, body: { state: 'success', msg: '' } });
    await told('started');
    await talkFor(3000);
    expect(await service.api('PUT', `/voice/v1/call/${voiceId}/recording`, { stop: true })).toMatchObject({
      status: 200,
    });
    await told('completed');
    const recording = await service.download(`/voice/v1/recording/${started.body['recording_id']}`);
    expect(recording.status).toBe(200);
    const [said, heard] = channelsOf(new Uint8Array(await recording.arrayBuffer()));
    expect(secondsOfTone(said!, LINPHONE_HZ)).toBeGreaterThan(2);
    expect(secondsOfTone(heard!, BARESIP_HZ)).toBeGreaterThan(2);
    expect(secondsOfTone(said!, BARESIP_HZ)).toBe(0);
    expect(secondsOfTone(heard!, LINPHONE_HZ)).toBe(0);

    expect(await service.api('PUT', `/voice/v1/call/${voiceId}/hold`, { hold: true })).toMatchObject({ status: 200 });
    await linphone.shows(/paused|hold/i);
    await talkFor(2000);
    expect(await service.api('PUT', `/voice/v1/call/${voiceId}/hold`, { hold: false })).toMatchObject({ status: 200 });
    await talkFor(2000);
    linphone.type('terminate');
    await told('disconnected');
    await linphone.stop();
    await baresip.stop();
    const atLinphone = readSamples(linphone.heard);
    expect(secondsOfTone(atLinphone, BARESIP_HZ)).toBeGreaterThan(4);
    const atBaresip = readSamples(baresip.heard()[0]!);
    expect(secondsOfTone(atBaresip, LINPHONE_HZ)).toBeGreaterThan(4);
    expect(secondsOfTone(atBaresip, MUSIC_HZ)).toBe(0);
  });
});
