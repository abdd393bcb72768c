/**
 * The main case with real parts: the service as a process, real softphones and sipp on loopback, a real webhook
 * receiver. Skipped, with the reason, if sipp or baresip is not installed.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { program } from '../programs.ts';
import { startSoftphone } from './baresip.ts';
import { type Service, startService, WEBHOOK_SECRET } from './service.ts';
import { sipp } from './sipp.ts';
import { RATE_HZ, readSamples, secondsOfTone, toneShare, writeTone } from './sound.ts';
import { type Receiver, startReceiver } from './webhook-receiver.ts';

const ADDRESS = '127.0.0.70';
const SIPP_ADDRESS = '127.0.0.71';
// baresip sends its audio from 127.0.0.1 whatever address it binds; audio from another address than the SDP is dropped
// as foreign.
const PHONE_ADDRESS = '127.0.0.1';
const RECEIVER_PORT = 9070;

const MENU = `
flow: menu
start: ask
defaults: { exits: { error: bye } }
steps:
  ask:
    menu:
      prompt: question
      choices: { one: { dtmf: "1" }, two: { dtmf: "2" } }
      attempts: 1
      start_timeout: 5s
      no_input: [question]
      no_match: [question]
    exits: { one: one, two: two, exhausted: bye }
  one: { play: first, next: bye }
  two: { play: second, next: message }
  message:
    record: { beep: false, max_length: 2s, end_silence: 0s }
    exits: { recorded: bye, silence: bye }
  bye: { hangup: normal }
`;

const sippProgram = program('sipp');
const baresip = program('baresip');
const CLI = join(import.meta.dirname, '../../src/cli/main.ts');
const scenario = join(import.meta.dirname, '../../bench/scenarios/ivr.xml');

describe('a started service', () => {
  let service: Service;
  let receiver: Receiver;
  let directory: string;

  const callweave = (...words: string[]) =>
    spawnSync(process.execPath, [CLI, ...words, '--config', join(directory, 'callweave.yaml')], { encoding: 'utf8' });

  const stateOf = (voiceId: unknown) =>
    receiver.events
      .filter(({ body }) => body['voice_id'] === voiceId)
      .map(({ body }) => body['state'] ?? body['playstate']);

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'callweave-phone-'));
    const flows = join(directory, 'given');
    const sounds = join(flows, 'prompts');
    mkdirSync(sounds, { recursive: true });
    writeTone(join(sounds, 'question.wav'), 440, 2);
    writeTone(join(sounds, 'first.wav'), 660, 1);
    writeTone(join(sounds, 'second.wav'), 880, 1);
    writeFileSync(join(flows, 'menu.flow.yaml'), MENU);
    receiver = await startReceiver(ADDRESS, RECEIVER_PORT);
    service = await startService({
      directory,
      address: ADDRESS,
      sip: { allow_sip_uris: [PHONE_ADDRESS, SIPP_ADDRESS] },
      numbers: [{ number: '1000', flow: 'menu', webhook: receiver.url }],
      flows,
    });
  });

  afterAll(async () => {
    const code = await service?.stop();
    await receiver?.stop();
    expect(code).toBe(0);
  });

  it.skipIf(sippProgram.missing)(
    `carries 200 calls of sipp at 20 per second, none failed, the digit choosing the branch${sippProgram.why}`,
    async () => {
      receiver.events.length = 0;
      const result = await sipp({
        scenario,
        target: service.sip,
        address: SIPP_ADDRESS,
        number: '1000',
        calls: 200,
        rate: 20,
      });
      expect(result, result.output.slice(-2000)).toMatchObject({ successful: 200, failed: 0 });
      await receiver.until(
        (events) => events.filter(({ body }) => body['state'] === 'disconnected').length === 200,
        '200 ends',
      );
      const calls = new Set(receiver.events.map(({ body }) => body['voice_id']));
      expect(calls.size).toBe(200);
      for (const voiceId of calls) {
        expect(stateOf(voiceId)).toEqual([
          'incomingcall',
          'connected',
          'digitcollected',
          'playfinished',
          'disconnected',
        ]);
      }
      for (const { body } of receiver.events)
        if (body['playstate'] === 'digitcollected') expect(body['digits']).toBe('1');
    },
  );

  it.skipIf(sippProgram.missing)(`signs every event as Standard Webhooks says${sippProgram.why}`, () => {
    const webhook = new Webhook(WEBHOOK_SECRET);
    expect(receiver.events.length).toBeGreaterThan(0);
    for (const { text, headers } of receiver.events) expect(() => webhook.verify(text, headers)).not.toThrow();
  });

  it.skipIf(sippProgram.missing)(
    `replays recorded calls without divergence, and names the first step that a changed menu changes${sippProgram.why}`,
    () => {
      const calls = [...new Set(receiver.events.map(({ body }) => String(body['voice_id'])))].slice(0, 20);
      expect(calls).toHaveLength(20);
      const same = callweave('replay', ...calls);
      expect(same.stdout, same.stderr).toContain('20');
      expect(same.status, same.stdout).toBe(0);

      const changed = join(directory, 'changed');
      cpSync(join(directory, 'given'), changed, { recursive: true });
      writeFileSync(join(changed, 'menu.flow.yaml'), MENU.replace('one: { play: first', 'one: { play: second'));
      const differs = callweave('replay', calls[0]!, '--flows', changed);
      expect(differs.status).toBe(1);
      expect(differs.stdout).toMatch(/\bone\b/);
      expect(differs.stdout).toContain('menu.flow.yaml');
    },
  );

  it.skipIf(sippProgram.missing)(`tells a call as a story${sippProgram.why}`, () => {
    const { status, stdout } = callweave('trace', String(receiver.events[0]!.body['voice_id']));
    expect(status).toBe(0);
    expect(stdout).toMatch(/ask: menu[\s\S]*presses 1[\s\S]*one: play[\s\S]*hang/);
  });

  it.skipIf(baresip.missing)(
    `is heard by a softphone and hears it: prompt, branch and recording${baresip.why}`,
    async () => {
      receiver.events.length = 0;
      const says = join(directory, 'caller.wav');
      writeTone(says, 300, 20);
      const phone = await startSoftphone({ directory: join(directory, 'phone'), address: PHONE_ADDRESS, says });
      try {
        await phone.command('dial', `sip:1000@${service.sip}`);
        await phone.event('CALL_ESTABLISHED');
        await receiver.until((events) => events.some(({ body }) => body['state'] === 'connected'), 'connected');
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        await phone.command('sndcode', '2');
        await phone.event('CALL_CLOSED', 20_000);
        await receiver.until((events) => events.some(({ body }) => body['state'] === 'disconnected'), 'disconnected');
      } finally {
        await phone.stop();
      }
      expect(receiver.events.map(({ body }) => body['digits']).filter(Boolean)).toEqual(['2']);
      const heard = readSamples(phone.heard()[0]!);
      expect(secondsOfTone(heard, 440)).toBeGreaterThan(0.5);
      expect(secondsOfTone(heard, 440)).toBeLessThan(1.9);
      expect(secondsOfTone(heard, 880)).toBeCloseTo(1, 0);
      expect(secondsOfTone(heard, 660)).toBe(0);
      const recordings = readdirSync(join(directory, 'data'), { recursive: true, encoding: 'utf8' }).filter((file) =>
        file.endsWith('.wav'),
      );
      const recorded = readSamples(join(directory, 'data', recordings.find((file) => file.includes('recording'))!));
      expect(toneShare(recorded, 300)).toBeGreaterThan(0.9);
      // A phone that is short of processor time leaves gaps, which are silence in the recording.
      expect(secondsOfTone(recorded, 300)).toBeGreaterThan(1);
      expect(recorded.length / RATE_HZ).toBeCloseTo(2, 0);
    },
  );

  it.skipIf(baresip.missing)(
    `dials a softphone over REST and tells the application what happened${baresip.why}`,
    async () => {
      receiver.events.length = 0;
      const says = join(directory, 'callee.wav');
      writeTone(says, 300, 5);
      const phone = await startSoftphone({ directory: join(directory, 'callee'), address: PHONE_ADDRESS, says });
      try {
        const { status, body } = await service.api('POST', '/voice/v1/call', {
          from: '1000',
          to: `sip:phone@${PHONE_ADDRESS}:15060`,
          owner_ref: 'order-7',
          event_url: receiver.url,
          action_on_connect: {
            play: { text: 'Your parcel has arrived.', voice: 'female', language: 'en-US', prompt_ref: 'parcel' },
          },
        });
        expect(status).toBe(200);
        expect(body).toMatchObject({ state: 'initiated', status: 'initiated', from: '1000', owner_ref: 'order-7' });
        const voiceId = body['voice_id'];
        await receiver.until(
          (events) => events.some(({ body: told }) => told['playstate'] === 'playfinished'),
          'playfinished',
        );
        expect(await service.api('GET', `/voice/v1/call/${voiceId}`)).toMatchObject({
          status: 200,
          body: { state: 'connected', direction: 'Outbound' },
        });
        const ended = await service.api('DELETE', `/voice/v1/call/${voiceId}`);
        expect(ended).toMatchObject({ status: 200, body: { state: 'success', voice_id: voiceId } });
        await receiver.until(
          (events) => events.some(({ body: told }) => told['state'] === 'disconnected'),
          'disconnected',
        );
        const states = stateOf(voiceId).filter((state) => state !== 'ringing');
        expect(states).toEqual(['connected', 'playfinished', 'disconnected']);
        expect(receiver.events.find(({ body: told }) => told['playstate'])?.body).toMatchObject({
          prompt_ref: 'parcel',
        });
        await phone.event('CALL_CLOSED');
      } finally {
        await phone.stop();
      }
      const heard = readSamples(phone.heard()[0]!);
      const energy = heard.reduce((sum, sample) => sum + sample * sample, 0) / heard.length;
      expect(energy).toBeGreaterThan(10_000);
    },
  );

  it('fails a dial-out that no route leads to', async () => {
    receiver.events.length = 0;
    const { body } = await service.api('POST', '/voice/v1/call', {
      from: '1000',
      to: '+33144550000',
      event_url: receiver.url,
    });
    expect(body['voice_id']).toBeTruthy();
    await receiver.until((events) => events.length > 0, 'the final event');
    expect(receiver.events.map(({ body: told }) => told['state'])).toEqual(['failed']);
  });
});
