/**
 * Features of the started service that softphones rarely use: A-law, digits by INFO, keys before the question, hold
 * during a prompt, reliable responses, a registered phone that REST dials.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { decodeTable, encodeSample, type G711Codec } from '../../src/media/toolbox/audio/g711.ts';
import { dialogOf, type Message, mediaOf, Phone, type PhoneAddress, SDP_TYPE } from '../engine/phone.ts';
import { type Service, SIP_PORT, startService } from './service.ts';
import { RATE_HZ, secondsOfTone } from './sound.ts';
import { type Receiver, startReceiver } from './webhook-receiver.ts';

const ADDRESS = '127.0.0.102';
const PHONE_ADDRESS = '127.0.0.103';
const RECEIVER_PORT = 9102;
const ENGINE: PhoneAddress = { host: ADDRESS, port: SIP_PORT };
const PASSWORD = 'of-the-phone';
const PROMPT_S = 3;
const FRAME_MS = 20;

const menu = (tone: number, exits: string): string => `
    menu:
      prompt: { tone: ${tone}, duration: ${PROMPT_S}s }
      choices: { one: { dtmf: "1" }, two: { dtmf: "2" } }
      attempts: 1
      start_timeout: 2s
      no_input: [{ silence: 100ms }]
      no_match: [{ silence: 100ms }]
    exits: { ${exits}, exhausted: bye }
`;

const FLOW = `
flow: menus
start: first
defaults: { exits: { error: bye } }
steps:
  first: ${menu(440, 'one: second, two: message')}
  second: ${menu(660, 'one: tell, two: tell')}
  tell:
    notify: { event: chosen, body: "\${ { 'first': steps.first.choice, 'second': steps.second.choice } }" }
    next: bye
  message:
    record: { beep: false, max_length: 1s, end_silence: 0s }
    exits: { recorded: told, silence: bye }
  told: { notify: { event: recorded, body: "\${ steps.message.duration_ms }" }, next: bye }
  bye: { hangup: normal }
`;

describe('a phone and the started service', () => {
  let service: Service;
  let receiver: Receiver;
  const phones: Phone[] = [];

  beforeAll(async () => {
    receiver = await startReceiver(ADDRESS, RECEIVER_PORT);
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'callweave-stories-')),
      address: ADDRESS,
      sip: { users: ['alice', 'bob'].map((name) => ({ name, password: PASSWORD })) },
      numbers: [
        { number: '1000', flow: 'menus', webhook: receiver.url },
        {
          number: '2000',
          webhook: receiver.url,
          greeting: { tone: 880, duration: '500ms' },
        },
      ],
      flows: { 'menus.flow.yaml': FLOW },
    });
  });

  afterAll(async () => {
    expect(await service?.stop()).toBe(0);
    await receiver?.stop();
  });

  afterEach(async () => {
    for (const phone of phones.splice(0)) phone.close();
    const calls = new Set(receiver.events.map(({ body }) => body['voice_id']));
    await receiver.until(
      (events) =>
        calls.size === events.filter(({ body }) => ['disconnected', 'failed'].includes(String(body['state']))).length,
      'the end of each call',
    );
    receiver.events.length = 0;
  });

  const newPhone = async (transport: 'udp' | 'tcp' = 'udp'): Promise<Phone> => {
    const phone = await Phone.open(PHONE_ADDRESS, ENGINE, transport);
    phones.push(phone);
    return phone;
  };

  const told = (what: string) =>
    receiver.until(
      (events) => events.some(({ body }) => [body['state'], body['playstate'], body['event']].includes(what)),
      what,
    );
  const bodyOf = (what: string) =>
    receiver.events.map(({ body }) => body).find((body) => [body['state'], body['event']].includes(what));
  const words = () => receiver.events.map(({ body }) => body['state'] ?? body['playstate'] ?? body['event']);

  const heardBy = (phone: Phone, codec: G711Codec = 'PCMU'): Float64Array => {
    const table = decodeTable(codec);
    const payloadType = codec === 'PCMU' ? 0 : 8;
    const bytes = phone.rtp.received.filter((packet) => packet.payloadType === payloadType).map((one) => one.bytes);
    return Float64Array.from(Buffer.concat(bytes), (byte) => table[byte]!);
  };

  const hangsUp = async (phone: Phone): Promise<void> => phone.answer(await phone.next('BYE'), 200);

  it('uses A-law with a phone that supports nothing else, and records its audio', async () => {
    const phone = await newPhone();
    const { media } = await phone.call({ to: '1000', body: phone.sdp({ payloadType: 8 }) });
    await phone.rtp.heard(40);
    expect(new Set(phone.rtp.received.map(({ payloadType }) => payloadType))).toEqual(new Set([8]));
    expect(secondsOfTone(heardBy(phone, 'PCMA'), 440)).toBeGreaterThan(0.5);
    phone.rtp.pressKey(media, 2);
    const says = Buffer.from(
      Array.from({ length: 160 }, (_, at) =>
        encodeSample(Math.round(8_000 * Math.sin((2 * Math.PI * 300 * at) / RATE_HZ)), 'PCMA'),
      ),
    );
    let stamp = 100_000;
    const talking = setInterval(() => {
      stamp += says.length;
      phone.rtp.send(media, says, 8, stamp);
    }, FRAME_MS);
    await hangsUp(phone);
    clearInterval(talking);
    await told('recorded');
    expect(bodyOf('recorded')!['body']).toBeGreaterThan(900);
  });

  it.each([
    ['was not offered', false],
    ['was negotiated', true],
  ])('takes digits by INFO where telephone-event %s', async (_, events) => {
    const phone = await newPhone();
    const { dialog } = await phone.call({ to: '1000', body: phone.sdp({ events }) });
    await phone.rtp.heard(10);
    for (const digit of ['1', '2']) {
      const headers = ['Content-Type: application/dtmf-relay'];
      phone.send(phone.inDialog('INFO', dialog, { headers, body: `Signal=${digit}\r\nDuration=160\r\n` }));
      await phone.next('200 INFO');
    }
    await hangsUp(phone);
    await told('chosen');
    expect(bodyOf('chosen')!['body']).toEqual({ first: 'one', second: 'two' });
  });

  it('stops the prompt as soon as a key is pressed', async () => {
    const phone = await newPhone();
    const { media } = await phone.call({ to: '1000' });
    await phone.rtp.heard(50);
    const before = phone.rtp.received.length;
    phone.rtp.pressKey(media, 1);
    await phone.rtp.heard(before + 50);
    phone.rtp.pressKey(media, 1);
    await hangsUp(phone);
    const heard = heardBy(phone);
    // One second of the first prompt, and only packets in flight after that.
    expect(secondsOfTone(heard, 440)).toBeGreaterThan(0.8);
    expect(secondsOfTone(heard, 440)).toBeLessThan((before * FRAME_MS) / 1000 + 0.15);
    expect(secondsOfTone(heard, 660)).toBeGreaterThan(0.6);
    expect(secondsOfTone(heard, 660)).toBeLessThan(PROMPT_S / 2);
  });

  it('lets keys that are typed ahead pass two menus without prompts', async () => {
    const phone = await newPhone('tcp');
    const { media } = await phone.call({ to: '1000' });
    phone.rtp.pressKey(media, 1);
    phone.rtp.pressKey(media, 2);
    await hangsUp(phone);
    await told('disconnected');
    expect(bodyOf('chosen')!['body']).toEqual({ first: 'one', second: 'two' });
    expect(secondsOfTone(heardBy(phone), 660)).toBeLessThan(0.2);
  });

  it('is silent on hold in the middle of a prompt, and continues the prompt afterwards', async () => {
    const phone = await newPhone();
    const { dialog } = await phone.call({ to: '1000' });
    const offer = async (direction: string, version: number): Promise<Message> => {
      const body = phone.sdp({ direction, version });
      phone.send(phone.inDialog('INVITE', dialog, { headers: [SDP_TYPE, `Contact: <sip:me@${phone.place}>`], body }));
      const accepted = await phone.next('200 INVITE');
      phone.acknowledge(accepted);
      return accepted;
    };
    await phone.rtp.heard(20);
    expect((await offer('sendonly', 2)).body).toContain('a=recvonly');
    const onHold = phone.rtp.received.length;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(phone.rtp.received.length - onHold).toBeLessThan(5);
    expect((await offer('sendrecv', 3)).body).toContain('a=sendrecv');
    await phone.rtp.heard(phone.rtp.received.length + 20);
    phone.send(phone.inDialog('BYE', dialog));
    await phone.next('200 BYE');
    await told('disconnected');
    expect(words()).toEqual(['incomingcall', 'connected', 'disconnected']);
  });

  it('greets with early media, reliably if requested, before REST accepts', async () => {
    const phone = await newPhone();
    const headers = [SDP_TYPE, 'Require: 100rel', 'Supported: 100rel'];
    phone.send(phone.request('INVITE', { to: '2000', headers, body: phone.sdp() }));
    const progress = await phone.next('183 INVITE');
    expect(progress.header('require')).toContain('100rel');
    const dialog = dialogOf(progress);
    const cseq = Number.parseInt(progress.header('cseq'), 10);
    phone.send(phone.inDialog('PRACK', dialog, { headers: [`RAck: ${progress.header('rseq')} ${cseq} INVITE`] }));
    await phone.next('200 PRACK');
    await told('incomingcall');
    expect(secondsOfTone(heardBy(phone), 880)).toBeGreaterThan(0.3);
    const voiceId = bodyOf('incomingcall')!['voice_id'];
    const accepted = await service.api('PUT', `/voice/v1/calls/${voiceId}/accept/`);
    expect(accepted).toMatchObject({ status: 200, body: { voice_id: voiceId, state: 'success', status: 'success' } });
    phone.acknowledge(await phone.next('200 INVITE'));
    await told('connected');
    expect(await service.api('DELETE', `/voice/v1/call/${voiceId}`)).toMatchObject({ status: 200 });
    await hangsUp(phone);
    await told('disconnected');
    expect(words()).toEqual(['incomingcall', 'connected', 'disconnected']);
  });

  describe('a registered phone', () => {
    const registered = async (): Promise<Phone> => {
      const phone = await newPhone();
      phone.send(phone.request('REGISTER', { from: 'alice' }));
      phone.send(phone.authorized('REGISTER', await phone.next('401 REGISTER'), { from: 'alice' }, PASSWORD));
      await phone.next('200 REGISTER');
      return phone;
    };

    it('is dialled by its name; REST that hangs up while it rings cancels', async () => {
      const phone = await registered();
      const order = { from: '1000', to: 'user:alice', event_url: receiver.url };
      const { body } = await service.api('POST', '/voice/v1/call', order);
      const invite = await phone.next('INVITE');
      phone.answer(invite, 180);
      await told('ringing');
      const path = `/voice/v1/call/${body['voice_id']}`;
      expect((await service.api('GET', path)).body).toMatchObject({ state: 'In progress', direction: 'Outbound' });
      expect(await service.api('DELETE', path)).toMatchObject({ status: 200, body: { state: 'success' } });
      phone.answer(await phone.next('CANCEL'), 200);
      phone.answer(invite, 487);
      await phone.next('ACK');
      await told('disconnected');
      expect(words()).toEqual(['ringing', 'disconnected']);
    });

    it('hears the prompts that REST ordered before the answer, one at a time', async () => {
      const phone = await registered();
      const order = { from: '1000', to: 'user:alice', event_url: receiver.url, owner_ref: 7 };
      const { body } = await service.api('POST', '/voice/v1/call', order);
      expect(body).toMatchObject({ owner_ref: '7', state: 'initiated', status: 'initiated' });
      const path = `/voice/v1/call/${body['voice_id']}`;
      const invite = await phone.next('INVITE');
      phone.answer(invite, 180);
      const play = { text: 'Hello.', voice: 'FEMALE', language: 'en-US', prompt_ref: 'greeting' };
      const first = await service.api('POST', `${path}/play`, { play });
      expect(first).toMatchObject({ status: 200, body: { playstate: 'initiated', from: '1000', to: 'user:alice' } });
      const second = await service.api('PUT', `${path}/play/`, play);
      expect(second).toMatchObject({ status: 408, body: { result: 6114, playstate: 'failed' } });
      phone.answer(invite, 200, { headers: [SDP_TYPE], body: phone.sdp() });
      await phone.next('ACK');
      await told('playfinished');
      await service.api('DELETE', path);
      await hangsUp(phone);
      await told('disconnected');
      expect(words()).toEqual(['ringing', 'connected', 'playfinished', 'disconnected']);
      const late = await service.api('PUT', `${path}/play`, play);
      expect(late).toMatchObject({
        status: 400,
        body: { result: 400, playstate: 'failed', msg: expect.stringContaining('ended') },
      });
      expect((await service.api('GET', path)).body).toMatchObject({ state: 'disconnected' });
    });

    it('calls in after it has authenticated', async () => {
      const phone = await registered();
      const call = { from: 'alice', to: '1000', headers: [SDP_TYPE], body: phone.sdp() };
      phone.send(phone.request('INVITE', call));
      const challenge = await phone.next('401 INVITE');
      phone.send(phone.authorized('INVITE', challenge, call, PASSWORD));
      const accepted = await phone.next('200 INVITE');
      phone.acknowledge(accepted);
      const media = mediaOf(accepted.body);
      await phone.rtp.heard(5);
      phone.rtp.pressKey(media, 1);
      phone.rtp.pressKey(media, 1);
      await hangsUp(phone);
      await told('chosen');
      expect(receiver.events[0]!.body).toMatchObject({ from: 'alice', to: '1000' });
    });

    it('is neither registered nor dialled with a wrong password', async () => {
      const phone = await newPhone();
      phone.send(phone.request('REGISTER', { from: 'bob' }));
      phone.send(phone.authorized('REGISTER', await phone.next('401 REGISTER'), { from: 'bob' }, 'guessed'));
      await phone.next('403 REGISTER');
      const order = { from: '1000', to: 'user:bob', event_url: receiver.url };
      await service.api('POST', '/voice/v1/call', order);
      await receiver.until((events) => events.length > 0, 'the end');
      expect(words()).toEqual(['disconnected']);
      expect(bodyOf('disconnected')).toMatchObject({ disconnect_reason: 'Subscriber Absent', call_duration: 0 });
    });
  });

  it('is not dialled from a number that the project does not have', async () => {
    const refused = await service.api('POST', '/voice/v1/call', { from: '3000', to: 'user:alice' });
    expect(refused).toMatchObject({
      status: 400,
      body: { result: 6118, state: 'failed', from: '3000', to: 'user:alice' },
    });
  });
});
