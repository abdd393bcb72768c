/**
 * Dials a number over REST and follows the call by its webhook events: the whole of an application, in one file.
 * Needs a running service; see README.md beside this file.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

export interface DialOut {
  /** Where the service listens: `http://127.0.0.1:8080`. */
  service: string;
  appId: string;
  appKey: string;
  /** `whsec_…`: proves that events come from the service. */
  webhookSecret: string;
  from: string;
  to: string;
  print(line: string): void;
}

interface CallEvent {
  voice_id: string;
  state?: string;
  playstate?: string;
  digits?: string;
  disconnect_reason?: string;
}

/** Resolves with the keys that the callee pressed, or undefined when there were none. */
export async function dialOut(options: DialOut): Promise<string | undefined> {
  const { service, appId, appKey, print } = options;
  const webhook = new Webhook(options.webhookSecret);
  const authorization = `Basic ${Buffer.from(`${appId}:${appKey}`).toString('base64')}`;
  const handled = new Set<string>();
  let digits: string | undefined;
  let over!: () => void;
  const end = new Promise<void>((resolve) => {
    over = resolve;
  });

  const receiver = createServer(async (request, response) => {
    const body = await textOf(request);
    let event: CallEvent;
    try {
      event = webhook.verify(body, request.headers as Record<string, string>) as CallEvent;
    } catch {
      response.writeHead(401).end(); // not from the service
      return;
    }
    response.writeHead(204).end(); // answer first: the next event waits for it
    const id = String(request.headers['webhook-id']);
    if (handled.has(id)) return; // delivery is at least once
    handled.add(id);
    print(event.state ?? `${event.playstate} ${event.digits ?? ''}`.trim());
    if (event.state === 'disconnected' || event.state === 'failed') over();
    // The question is answered, or nobody answers it: there is nothing more to say.
    if (event.playstate !== undefined) {
      digits = event.digits;
      await fetch(`${service}/voice/v1/call/${event.voice_id}`, { method: 'DELETE', headers: { authorization } });
    }
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');

  try {
    const answer = await fetch(`${service}/voice/v1/call`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({
        from: options.from,
        to: options.to,
        event_url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/events`,
        action_on_connect: {
          play: {
            text: 'Hello. Your parcel has arrived. Press 1 if we may bring it today.',
            voice: 'female',
            language: 'en-US',
            dtmf: true,
            start_timeout: 6,
          },
        },
      }),
    });
    const call = (await answer.json()) as { voice_id?: string; state?: string; msg?: string };
    if (!answer.ok) throw new Error(`the service refused: ${answer.status} ${call.msg ?? ''}`);
    print(`${call.state} ${call.voice_id}`);
    await end;
    return digits;
  } finally {
    receiver.close();
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
}

if (import.meta.main) {
  const { APP_ID, APP_KEY, WEBHOOK_SECRET, SERVICE = 'http://127.0.0.1:8080', FROM = '1000' } = process.env;
  const to = process.argv[2];
  if (!APP_ID || !APP_KEY || !WEBHOOK_SECRET || !to) {
    console.error('usage: APP_ID=… APP_KEY=… WEBHOOK_SECRET=… node dial-out.ts NUMBER-OR-SIP-ADDRESS');
    process.exit(2);
  }
  const digits = await dialOut({
    service: SERVICE,
    appId: APP_ID,
    appKey: APP_KEY,
    webhookSecret: WEBHOOK_SECRET,
    from: FROM,
    to,
    print: console.log,
  });
  console.log(digits === undefined ? 'no key was pressed' : `pressed ${digits}`);
}
