/** An application's webhook: keeps every event in the order of arrival. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { watch } from './watch.ts';

export interface ReceivedEvent {
  id: string;
  headers: Record<string, string>;
  text: string;
  body: Record<string, unknown>;
}

export interface Receiver {
  url: string;
  events: ReceivedEvent[];
  /** Resolves when the events received so far satisfy the condition. */
  until(condition: (events: ReceivedEvent[]) => boolean, what: string, withinMs?: number): Promise<void>;
  stop(): Promise<void>;
}

export async function startReceiver(address: string, port = 0): Promise<Receiver> {
  const events: ReceivedEvent[] = [];
  const news = watch();
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const headers = request.headers as Record<string, string>;
      events.push({ id: headers['webhook-id']!, headers, text, body: JSON.parse(text) as Record<string, unknown> });
      response.writeHead(204).end();
      news.look();
    });
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, address, resolve));
  return {
    url: `http://${address}:${(server.address() as AddressInfo).port}/events`,
    events,
    until: (condition, what, withinMs = 20_000) =>
      news.until(
        () => condition(events),
        () => `never received: ${what}; received ${events.map(({ text }) => text).join('\n')}`,
        withinMs,
      ),
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
