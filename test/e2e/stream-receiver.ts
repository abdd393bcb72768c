/** A web socket that streams are sent to: keeps every message, and talks back. */
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { fromMuLaw, toMuLaw } from './sound.ts';
import { watch } from './watch.ts';

type Track = 'inbound' | 'outbound';

interface Message {
  event: string;
  stream_id?: string;
  start?: Record<string, unknown>;
  media?: { seq: number; timestamp: number; track: Track; payload: string };
  dropped?: number;
}

export interface StreamReceiver {
  url: string;
  messages: Message[];
  /** Resolves once a message with this event has arrived. */
  until(event: string, withinMs?: number): Promise<void>;
  media(): NonNullable<Message['media']>[];
  samples(track: Track): Float64Array;
  say(samples: Int16Array): void;
  send(message: object): void;
  stop(): Promise<void>;
}

/** Below the largest message, in base64. */
const SAMPLES_PER_MESSAGE = 8_000;

export async function startStreamReceiver(address: string): Promise<StreamReceiver> {
  const messages: Message[] = [];
  const news = watch();
  const server = new WebSocketServer({ host: address, port: 0 });
  await new Promise((resolve, reject) => server.once('listening', resolve).once('error', reject));
  let socket: WebSocket | undefined;
  server.on('connection', (connected) => {
    socket = connected;
    connected.on('message', (data: Buffer) => {
      messages.push(JSON.parse(data.toString()) as Message);
      news.look();
    });
  });
  const send = (message: object): void => socket!.send(JSON.stringify(message));
  const media = () => messages.flatMap((message) => message.media ?? []);
  return {
    url: `ws://${address}:${(server.address() as AddressInfo).port}/sound`,
    messages,
    until: (event, withinMs = 10_000) =>
      news.until(
        () => messages.some((message) => message.event === event),
        () => `the stream sent no ${event} among ${messages.length} messages`,
        withinMs,
      ),
    media,
    samples(track) {
      const bytes = media().flatMap((frame) => (frame.track === track ? [Buffer.from(frame.payload, 'base64')] : []));
      return fromMuLaw(Buffer.concat(bytes));
    },
    send,
    say(samples) {
      for (let from = 0; from < samples.length; from += SAMPLES_PER_MESSAGE) {
        const bytes = toMuLaw(samples.subarray(from, from + SAMPLES_PER_MESSAGE));
        send({ event: 'media', media: { payload: Buffer.from(bytes).toString('base64') } });
      }
    },
    stop: () =>
      new Promise((resolve) => {
        for (const client of server.clients) client.terminate();
        server.close(() => resolve());
      }),
  };
}
