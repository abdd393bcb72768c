/** AI agents over loopback: a real WebSocket server as the agent, a real media thread, and RTP of a party. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import type { ConfiguredAgent } from '../../src/base/core/assistant.ts';
import type { JsonObject } from '../../src/base/core/json.ts';
import { silentLog } from '../../src/base/core/silent-log.ts';
import { lookupForUrl } from '../../src/base/http/ssrf-guard.ts';
import { encodeG711 } from '../../src/media/telephony/media/g711.ts';
import { createMedia } from '../../src/media/telephony/media/media.ts';
import type { MediaEvent, MediaPort } from '../../src/media/telephony/media/media-port.ts';
import { voice } from '../speech/recognition-sounds.ts';
import { pause } from './line-sounds.ts';
import { background, type Noise, sentences, speechAt, sum } from './noises.ts';
import { concat, packetOf, REMOTE, tone } from './rig.ts';

const HOST = '127.0.0.68';
const PEER_HOST = '127.0.0.69';

let server: Server;
let sockets: WebSocketServer;
let media: MediaPort;
let peer: Socket;
let agents: ConfiguredAgent[];
let events: MediaEvent[];
let url: string;
let address: { host: string; port: number };
let port = 23_200;
/** Arrival times of packets with audio, by the monotonic clock. */
let heardAt: number[];
const talking: NodeJS.Timeout[] = [];
let words: Int16Array;
let said: { bytes: Uint8Array; at: number } | undefined;
const SILENCE = encodeG711(new Int16Array(160), 'PCMU');

beforeAll(async () => {
  words = speechAt((await sentences())[3]!, -24);
}, 60_000);

beforeEach(async () => {
  server = createServer();
  sockets = new WebSocketServer({ server });
  server.listen(0, HOST);
  await once(server, 'listening');
  url = `ws://${HOST}:${(server.address() as AddressInfo).port}/calls`;
  agents = [{ name: 'bot', adapter: 'stream', url, headers: { authorization: 'Bearer hidden' } }];
  events = [];
  heardAt = [];
  port += 2;
  media = createMedia({
    host: HOST,
    portRange: [port, port + 1],
    threads: 1,
    audio: { load: () => Promise.reject(new Error('no sounds')), durationMs: () => 0 },
    log: silentLog,
    agents: () => agents,
    streamLookup: (target) => lookupForUrl(target, { privateTargets: 'refused' }),
  });
  await media.start();
  peer = createSocket('udp4', () => heardAt.push(performance.now()));
  peer.bind(0, PEER_HOST);
  await once(peer, 'listening');
  address = await media.open({ mediaId: 'm', onEvent: (event) => events.push(event) });
  media.send('m', { type: 'connect', remote: { ...REMOTE, host: PEER_HOST, port: peer.address().port } });
  said = undefined;
  phone();
});
afterEach(async () => {
  for (const timer of talking.splice(0)) clearInterval(timer);
  for (const socket of sockets.clients) socket.terminate();
  sockets.close();
  server.close();
  server.closeAllConnections();
  await media.stop();
  peer.close();
});

const TOOLS = [{ name: 'book', description: 'A day.', parameters: { type: 'object', properties: {} } }];

function begin(more: JsonObject = {}): void {
  media.send('m', {
    ...{ type: 'assistant', assistantId: 'a-1', agent: 'bot', step: 'talk', instructions: 'Be brief.' },
    ...{ language: 'en-US', tools: TOOLS, speaksFirst: 'agent', bargeIn: true },
    ...{ start: { voice_id: 'v', from: '+33612345678', to: '+33199001122' } },
    ...more,
  } as Parameters<MediaPort['send']>[1]);
}

/** Agent side: the messages that it received, without audio. */
async function agent() {
  const [socket, request] = (await once(sockets, 'connection')) as [WebSocket, IncomingMessage];
  const messages: JsonObject[] = [];
  let sound = 0;
  socket.on('message', (data) => {
    const message = JSON.parse(String(data)) as JsonObject;
    if (message['event'] === 'media' || message['type'] === 'input_audio_buffer.append') sound++;
    else messages.push(message);
  });
  return {
    ...{ socket, request, messages, sound: () => sound },
    send: (...sent: object[]) => {
      for (const message of sent) socket.send(JSON.stringify(message));
    },
  };
}

const until = (holds: () => boolean): Promise<void> => expect.poll(holds, { timeout: 15_000, interval: 5 }).toBe(true);
const of = (type: string) => events.filter((event) => event.type === type);
const saidBy = (who: string) => of('assistant_turn').filter((event) => 'who' in event && event.who === who);

const mulaw = (ms: number): string => Buffer.from(encodeG711(tone(440, ms), 'PCMU')).toString('base64');

/** The party's phone sends silence, or this audio repeatedly. */
function phone(): void {
  let sequence = 0;
  const startMs = performance.now();
  const timer = setInterval(() => {
    for (; sequence <= (performance.now() - startMs) / 20; sequence++) {
      const header = { payloadType: 0, sequence, timestamp: sequence * 160 };
      const at = said ? (said.at++ * 160) % said.bytes.length : 0;
      const payload = said ? said.bytes.subarray(at, at + 160) : SILENCE;
      peer.send(packetOf(header, payload), address.port, address.host);
    }
  }, 5);
  talking.push(timer);
}

function talk(pcm = words): void {
  said = { bytes: encodeG711(pcm, 'PCMU').subarray(0, pcm.length - (pcm.length % 160)), at: 0 };
}

const hush = (): void => {
  said = undefined;
};

describe('stream messages of an agent', () => {
  it('sends the agent its task, and delivers its speech and tool calls', async () => {
    begin();
    const { request, messages, send } = await agent();
    expect(request.headers.authorization).toBe('Bearer hidden');
    await until(() => messages.length === 2);
    expect(messages[1]).toMatchObject({
      event: 'start_media',
      start: {
        ...{ voice_id: 'v', from: '+33612345678', tracks: ['inbound'] },
        assistant: { instructions: 'Be brief.', language: 'en-US', speaks_first: 'agent', tools: TOOLS },
      },
    });
    send(
      { event: 'media', media: { payload: mulaw(300) } },
      { event: 'mark', name: 'greeted' },
      { event: 'transcript', speaker: 'agent', text: 'Hello.' },
      { event: 'tool_call', call_id: 'c-1', name: 'book', arguments: { date: '2026-12-02' } },
    );
    await until(() => of('assistant_called').length === 1);
    expect(of('assistant_called')[0]).toEqual({
      ...{
        type: 'assistant_called',
        assistantId: 'a-1',
        callId: 'c-1',
        tool: 'book',
        arguments: { date: '2026-12-02' },
      },
    });
    media.send('m', {
      ...{ type: 'answer_assistant', assistantId: 'a-1', callId: 'c-1', answer: { error: 'no' }, isError: true },
    });
    media.send('m', { type: 'key_assistant', assistantId: 'a-1', digit: '5' });
    await until(() => messages.length === 5 && saidBy('agent').length === 2);
    expect(messages.slice(2)).toEqual(
      expect.arrayContaining([
        { event: 'tool_result', call_id: 'c-1', is_error: true, result: { error: 'no' } },
        { event: 'key', digit: '5' },
        { event: 'mark', name: 'greeted' },
      ]),
    );
    expect(of('assistant_said')).toMatchObject([{ who: 'agent', text: 'Hello.' }]);
    expect(heardAt.length).toBeGreaterThan(10);
    send({ event: 'stop_media' });
    await until(() => of('assistant_ended').length === 1);
    expect(of('assistant_ended')[0]).toMatchObject({ reason: 'far' });
    expect(JSON.stringify(events)).not.toContain('hidden');
  });

  it('cuts the audio of the agent when the party speaks, and reports the unheard part', async () => {
    begin();
    const { messages, send, sound } = await agent();
    await until(() => messages.length === 2);
    send({ event: 'media', media: { payload: mulaw(4_000) } });
    await until(() => heardAt.length > 25);
    talk();
    await until(() => messages.some(({ event }) => event === 'interrupted'));
    const unheard = async (ms: number): Promise<void> => {
      send({ event: 'media', media: { payload: mulaw(ms) } });
      const soFar = sound();
      await until(() => sound() > soFar + 5);
    };
    // Packets that were sent before the cut may arrive after its message.
    await unheard(200);
    const before = heardAt.length;
    const unheardMs = Number(messages.find(({ event }) => event === 'interrupted')!['unheard_ms']);
    // Heard and unheard audio add up, except for messages in flight between threads on a busy machine.
    expect(Math.abs(before * 20 + unheardMs - 4_000)).toBeLessThanOrEqual(1_000);
    // Audio that arrives while the party speaks is not played. It arrives before the end of the sentence, which is
    // short.
    await unheard(800);
    expect(heardAt.length).toBe(before);
    hush();
    await until(() => messages.some(({ event }) => event === 'speech_stopped'));
    send({ event: 'media', media: { payload: mulaw(200) } });
    await until(() => heardAt.length > before + 5);
    expect(saidBy('caller')).toMatchObject([{ speaks: true }, { speaks: false }]);
  });

  it('leaves the audio of the agent unchanged without barge-in', async () => {
    begin({ bargeIn: false });
    const { messages, send } = await agent();
    await until(() => messages.length === 2);
    send({ event: 'media', media: { payload: mulaw(1_500) } });
    await until(() => heardAt.length > 10);
    talk();
    await until(() => heardAt.length > 70);
    expect(messages.some(({ event }) => event === 'interrupted')).toBe(false);
  });
});

describe('an agent on the line of a caller in noise', () => {
  it.each<[Noise, number]>([
    ['white', -38],
    ['car', -35],
  ])(
    'is heard completely over %s noise at %i dBov, and the voice stops it',
    async (noise, level) => {
      begin();
      const { messages, send } = await agent();
      await until(() => messages.length === 2);
      const line = background(noise, 4, level);
      talk(line);
      const hums = heardAt.length;
      send({ event: 'media', media: { payload: mulaw(2_000) } });
      await until(() => saidBy('agent').length === 2);
      expect(heardAt.length - hums).toBe(100);
      expect(saidBy('caller')).toEqual([]);
      send({ event: 'media', media: { payload: mulaw(5_000) } });
      talk(sum(line, concat([pause(1_000), words])));
      await until(() => messages.some(({ event }) => event === 'interrupted'));
      expect(saidBy('caller')).toMatchObject([{ speaks: true }]);
    },
    20_000,
  );

  it('resumes after a sound too short for a word', async () => {
    begin();
    const { messages, send } = await agent();
    await until(() => messages.length === 2);
    send({ event: 'media', media: { payload: mulaw(2_000) } }, { event: 'mark', name: 'end' });
    await until(() => heardAt.length > 25);
    talk(concat([voice(0.14, 150, 6_000), pause(10_000)]));
    await until(() => messages.some(({ event }) => event === 'mark'));
    // The complete audio is played, delayed by the pause.
    await until(() => heardAt.length >= 100);
    const gaps = heardAt.slice(1).map((atMs, index) => atMs - heardAt[index]!);
    expect(heardAt.length).toBe(100);
    expect(gaps.filter((gap) => gap > 200)).toHaveLength(1);
    expect(messages.some(({ event }) => event === 'interrupted')).toBe(false);
    expect(saidBy('caller')).toEqual([]);
  });
});

describe('the Realtime API', () => {
  const openai = async () => {
    agents = [{ name: 'bot', adapter: 'openai', url, model: 'gpt-realtime', voice: 'marin', headers: {} }];
    begin();
    const far = await agent();
    await until(() => far.messages.length === 1);
    return far;
  };

  it('gets a session with mu-law and tools, is asked to speak, and calls', async () => {
    const { request, messages, send, sound } = await openai();
    expect(request.url).toBe('/calls?model=gpt-realtime');
    expect(messages[0]).toMatchObject({
      type: 'session.update',
      session: {
        ...{ type: 'realtime', instructions: 'Be brief.', output_modalities: ['audio'] },
        audio: {
          input: { format: { type: 'audio/pcmu' }, turn_detection: { type: 'server_vad' } },
          output: { format: { type: 'audio/pcmu' }, voice: 'marin' },
        },
        tools: [{ type: 'function', name: 'book', description: 'A day.', parameters: { type: 'object' } }],
      },
    });
    expect(of('assistant_started')).toEqual([]);
    send({ type: 'session.created', session: {} }, { type: 'session.updated', session: {} });
    await until(() => messages.length === 2);
    expect(messages[1]).toEqual({ type: 'response.create' });
    talk();
    await until(() => sound() > 3);
    hush();
    send(
      { type: 'response.created' },
      { type: 'response.output_audio_transcript.done', transcript: 'Which day?' },
      { type: 'conversation.item.input_audio_transcription.completed', transcript: ' Monday\n' },
      {
        type: 'response.output_item.done',
        item: { type: 'function_call', call_id: 'c-1', name: 'book', arguments: '{"date":"2026-12-02"}' },
      },
    );
    await until(() => of('assistant_called').length === 1);
    expect(of('assistant_called')[0]).toMatchObject({ callId: 'c-1', tool: 'book', arguments: { date: '2026-12-02' } });
    expect(of('assistant_said')).toMatchObject([
      { who: 'agent', text: 'Which day?' },
      { who: 'caller', text: 'Monday' },
    ]);
    media.send('m', { type: 'answer_assistant', assistantId: 'a-1', callId: 'c-1', answer: [1], isError: false });
    await until(() => messages.length === 3);
    // Another response is asked for once this one is over.
    expect(messages[2]).toMatchObject({ item: { type: 'function_call_output', call_id: 'c-1', output: '[1]' } });
    send({ type: 'response.done' });
    await until(() => messages.length === 4);
    expect(messages[3]).toEqual({ type: 'response.create' });
  });

  it('learns how much the party heard before its cut, and the rest is never played', async () => {
    const { messages, send } = await openai();
    send({ type: 'session.updated' }, { type: 'response.created' });
    const delta = { type: 'response.output_audio.delta', item_id: 'i-1', delta: mulaw(3_000) };
    send(delta);
    await until(() => heardAt.length > 25);
    talk();
    await until(() => messages.some(({ type }) => type === 'conversation.item.truncate'));
    const before = heardAt.length;
    const truncated = messages.find(({ type }) => type === 'conversation.item.truncate')!;
    expect(truncated).toMatchObject({ item_id: 'i-1', content_index: 0 });
    expect(Math.abs(Number(truncated['audio_end_ms']) - before * 20)).toBeLessThanOrEqual(1_000);
    expect(messages).toContainEqual({ type: 'response.cancel' });
    hush();
    await until(() => saidBy('caller').length === 2);
    expect(heardAt.length).toBe(before);
    send({ ...delta, delta: mulaw(200) }, { ...delta, item_id: 'i-2', delta: mulaw(200) });
    await until(() => heardAt.length > before + 5);
    await until(() => saidBy('agent').length === 4);
    expect(heardAt.length - before).toBeLessThan(15);
  });

  it.each([
    ['an error before the session is there', { type: 'error', error: { type: 'invalid_request_error' } }],
    ['a close', undefined],
  ])('breaks off the session with %s', async (_, message) => {
    const { socket, send } = await openai();
    if (message) send(message);
    else socket.close(1000);
    await until(() => of('assistant_ended').length === 1);
    expect(of('assistant_ended')[0]).toMatchObject({ reason: 'failed', fault: { code: 'agent_failed' } });
  });
});

describe('the agent format of Twilio Media Streams', () => {
  it('uses the messages that its bots know; a bot that closes has completed its work', async () => {
    agents = [{ name: 'bot', adapter: 'twilio', url, headers: {} }];
    begin({ tools: [] });
    const { socket, messages, send } = await agent();
    const heard = new Promise<object>((resolve) => {
      socket.on('message', (data) => {
        const message = JSON.parse(String(data)) as JsonObject;
        if (message['event'] === 'media') resolve(message);
      });
    });
    await until(() => messages.length === 2);
    expect(messages).toMatchObject([
      { event: 'connected', protocol: 'Call', version: '1.0.0' },
      {
        ...{ event: 'start', sequenceNumber: '1', streamSid: 'MZa-1' },
        start: {
          ...{ streamSid: 'MZa-1', callSid: 'v', tracks: ['inbound'] },
          customParameters: { from: '+33612345678', to: '+33199001122' },
          mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
        },
      },
    ]);
    talk();
    expect(await heard).toMatchObject({
      ...{ event: 'media', sequenceNumber: '2', streamSid: 'MZa-1' },
      media: { track: 'inbound', chunk: '1', timestamp: '0', payload: expect.any(String) },
    });
    hush();
    await until(() => saidBy('caller').length !== 1);
    media.send('m', { type: 'key_assistant', assistantId: 'a-1', digit: '7' });
    send(
      { event: 'media', streamSid: 'MZa-1', media: { payload: mulaw(20_000) } },
      { event: 'mark', streamSid: 'MZa-1', mark: { name: 'end' } },
    );
    await until(() => heardAt.length > 5);
    expect(messages.at(-1)).toMatchObject({ event: 'dtmf', dtmf: { digit: '7' } });
    send({ event: 'clear', streamSid: 'MZa-1' });
    await until(() => messages.at(-1)!['event'] === 'mark');
    expect(messages.at(-1)).toMatchObject({ streamSid: 'MZa-1', mark: { name: 'end' } });
    socket.close();
    await until(() => of('assistant_ended').length === 1);
    expect(of('assistant_ended')[0]).toMatchObject({ reason: 'far' });
  });
});

describe('untrusted agents', () => {
  it('are limited to the addresses allowed for streams', async () => {
    begin({ agent: { adapter: 'stream', url: url.replace(HOST, 'localhost'), headers: {} } });
    await until(() => of('assistant_ended').length === 1);
    expect(of('assistant_ended')[0]).toMatchObject({ reason: 'failed', fault: { cause: 'TARGET_REFUSED' } });
  });

  it('ends at once if it is unknown or unreachable', async () => {
    begin({ agent: 'other' });
    await until(() => of('assistant_ended').length === 1);
    expect(of('assistant_ended')[0]).toMatchObject({ reason: 'failed', fault: { code: 'unknown_agent' } });
    agents = [{ name: 'bot', adapter: 'stream', url: `ws://${HOST}:9/`, headers: {} }];
    begin({ assistantId: 'a-2' });
    await until(() => of('assistant_ended').length === 2);
    expect(of('assistant_ended')[1]).toMatchObject({ assistantId: 'a-2', reason: 'failed' });
  });

  it('are limited to few events for many messages, and none for malformed ones', async () => {
    begin();
    const { messages, send, socket } = await agent();
    await until(() => messages.length === 2);
    socket.send('no JSON');
    socket.send(Buffer.from([1, 2, 3]));
    send([], { event: 5 }, { event: 'media' }, { event: 'media', media: { payload: 7 } }, { event: 'transcript' });
    send({ event: 'tool_call', name: 'book', arguments: 'text' });
    let deep: JsonObject = {};
    for (let level = 0; level < 100; level++) deep = { deep };
    send({ event: 'tool_call', name: 'book', arguments: deep });
    send({ event: 'tool_call', name: 'book', arguments: { text: 'x'.repeat(20_000) } });
    for (let index = 0; index < 500; index++) send({ event: 'transcript', text: 'y'.repeat(3_000) });
    send({ event: 'stop_media' });
    await until(() => of('assistant_ended').length === 1);
    expect(of('assistant_called').map((event) => 'arguments' in event && event.arguments)).toEqual([null, null, null]);
    expect(of('assistant_said').length).toBeLessThan(100);
    expect(JSON.stringify(of('assistant_said')[0]).length).toBeLessThan(2_200);
  });

  it('are disconnected after a message that is too large', async () => {
    begin();
    const { messages, send } = await agent();
    await until(() => messages.length === 2);
    send({ event: 'transcript', text: 'x'.repeat(300_000) });
    await until(() => of('assistant_ended').length === 1);
    expect(of('assistant_ended')[0]).toMatchObject({ reason: 'failed' });
  });

  it('are notified of the end when the step is left, or the call ends', async () => {
    begin();
    const first = await agent();
    await until(() => first.messages.length === 2);
    media.send('m', { type: 'stop_assistant', assistantId: 'a-1' });
    await until(() => first.messages.at(-1)!['event'] === 'stop_media');
    begin({ assistantId: 'a-2' });
    const second = await agent();
    await until(() => second.messages.length === 2);
    media.send('m', { type: 'close' });
    await until(() => events.at(-1)!.type === 'closed');
    expect(of('assistant_ended')).toMatchObject([{ reason: 'stopped' }, { reason: 'hangup' }]);
  });
});
