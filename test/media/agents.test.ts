/** AI agents over loopback: a real web socket server as the agent, a real media thread, and RTP of a party. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import type { ConfiguredAgent } from '../../src/core/assistant.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { silentLog } from '../../src/core/log.ts';
import { lookupForUrl } from '../../src/http/ssrf-guard.ts';
import { encodeG711 } from '../../src/telephony/media/g711.ts';
import { createMedia } from '../../src/telephony/media/media.ts';
import type { MediaEvent, MediaPort } from '../../src/telephony/media/media-port.ts';
import { packetOf, REMOTE, tone } from './rig.ts';

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
/** When packets with sound came, by the monotonic clock. */
let heardAt: number[];
const talking: NodeJS.Timeout[] = [];

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

/** The agent's side: what it was sent, but sound. */
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

const until = (holds: () => boolean): Promise<void> => expect.poll(holds, { timeout: 5_000, interval: 5 }).toBe(true);
const of = (type: string) => events.filter((event) => event.type === type);
const saidBy = (who: string) => of('assistant_turn').filter((event) => 'who' in event && event.who === who);

const mulaw = (ms: number): string => Buffer.from(encodeG711(tone(440, ms), 'PCMU')).toString('base64');

/** The party speaks: a tone of 20 ms in each packet. */
function talk(): void {
  const bytes = encodeG711(tone(700, 1000), 'PCMU');
  let sequence = 0;
  const timer = setInterval(() => {
    const at = (sequence % 50) * 160;
    const header = { payloadType: 0, sequence, timestamp: sequence * 160 };
    peer.send(packetOf(header, bytes.subarray(at, at + 160)), address.port, address.host);
    sequence++;
  }, 20);
  talking.push(timer);
}

const hush = (): void => {
  for (const timer of talking.splice(0)) clearInterval(timer);
};

describe('the messages of streams', () => {
  it('tell the agent what it is to do, and bring what it says and calls', async () => {
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

  it('cut the sound of the agent within 200 ms of the first word of the party', async () => {
    begin();
    const { messages, send } = await agent();
    await until(() => messages.length === 2);
    send({ event: 'media', media: { payload: mulaw(4_000) } });
    await until(() => heardAt.length > 25);
    const spokeAt = performance.now();
    talk();
    await until(() => messages.some(({ event }) => event === 'interrupted'));
    const heardUpTo = heardAt.at(-1)!;
    await until(() => performance.now() > spokeAt + 500);
    expect(heardAt.at(-1)! - spokeAt).toBeLessThan(200);
    expect(heardAt.at(-1)! - heardUpTo).toBeLessThan(60);
    expect(messages.find(({ event }) => event === 'interrupted')!['unheard_ms']).toBeGreaterThan(2_500);
    // Nor is what comes of it while the party speaks.
    const before = heardAt.length;
    send({ event: 'media', media: { payload: mulaw(1_000) } });
    await until(() => performance.now() > spokeAt + 800);
    expect(heardAt.length).toBe(before);
    hush();
    await until(() => messages.some(({ event }) => event === 'speech_stopped'));
    send({ event: 'media', media: { payload: mulaw(200) } });
    await until(() => heardAt.length > before + 5);
    expect(saidBy('caller')).toMatchObject([{ speaks: true }, { speaks: false }]);
  });

  it('leave the sound of the agent as it is where nobody may speak into it', async () => {
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

  it('is told how much was heard of what the party cut, and nothing more of it is heard', async () => {
    const { messages, send } = await openai();
    send({ type: 'session.updated' }, { type: 'response.created' });
    const delta = { type: 'response.output_audio.delta', item_id: 'i-1', delta: mulaw(3_000) };
    send(delta);
    await until(() => heardAt.length > 25);
    const spokeAt = performance.now();
    talk();
    await until(() => messages.some(({ type }) => type === 'conversation.item.truncate'));
    const truncated = messages.find(({ type }) => type === 'conversation.item.truncate')!;
    expect(truncated).toMatchObject({ item_id: 'i-1', content_index: 0 });
    expect(truncated['audio_end_ms']).toBeGreaterThan(450);
    expect(truncated['audio_end_ms']).toBeLessThan(1_500);
    expect(messages).toContainEqual({ type: 'response.cancel' });
    hush();
    await until(() => saidBy('caller').length === 2);
    expect(heardAt.at(-1)! - spokeAt).toBeLessThan(200);
    const before = heardAt.length;
    send({ ...delta, delta: mulaw(200) }, { ...delta, item_id: 'i-2', delta: mulaw(200) });
    await until(() => heardAt.length > before + 5);
    await until(() => saidBy('agent').length === 4);
    expect(heardAt.length - before).toBeLessThan(15);
  });

  it.each([
    ['an error before the session is there', { type: 'error', error: { type: 'invalid_request_error' } }],
    ['a close', undefined],
  ])('breaks off with %s', async (_, message) => {
    const { socket, send } = await openai();
    if (message) send(message);
    else socket.close(1000);
    await until(() => of('assistant_ended').length === 1);
    expect(of('assistant_ended')[0]).toMatchObject({ reason: 'failed', fault: { code: 'agent_failed' } });
  });
});

describe('the messages of Twilio Media Streams', () => {
  it('are those that its bots know; a bot that closes has done its work', async () => {
    agents = [{ name: 'bot', adapter: 'twilio', url, headers: {} }];
    begin({ tools: [] });
    const { socket, messages, send } = await agent();
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
    const heard = once(socket, 'message');
    talk();
    expect(JSON.parse(String((await heard)[0]))).toMatchObject({
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

describe('agents that nobody trusts', () => {
  it('stand in a flow only where streams may go', async () => {
    begin({ agent: { adapter: 'stream', url: url.replace(HOST, 'localhost'), headers: {} } });
    await until(() => of('assistant_ended').length === 1);
    expect(of('assistant_ended')[0]).toMatchObject({ reason: 'failed', fault: { cause: 'TARGET_REFUSED' } });
  });

  it('that are not in the configuration, or not there, end at once', async () => {
    begin({ agent: 'other' });
    await until(() => of('assistant_ended').length === 1);
    expect(of('assistant_ended')[0]).toMatchObject({ reason: 'failed', fault: { code: 'unknown_agent' } });
    agents = [{ name: 'bot', adapter: 'stream', url: `ws://${HOST}:9/`, headers: {} }];
    begin({ assistantId: 'a-2' });
    await until(() => of('assistant_ended').length === 2);
    expect(of('assistant_ended')[1]).toMatchObject({ assistantId: 'a-2', reason: 'failed' });
  });

  it('make few events of many messages, and none of nonsense', async () => {
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

  it('lose the connection by a message that is too large', async () => {
    begin();
    const { messages, send } = await agent();
    await until(() => messages.length === 2);
    send({ event: 'transcript', text: 'x'.repeat(300_000) });
    await until(() => of('assistant_ended').length === 1);
    expect(of('assistant_ended')[0]).toMatchObject({ reason: 'failed' });
  });

  it('hear that it is over when the step is left, or the call', async () => {
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
