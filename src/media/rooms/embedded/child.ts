/**
 * Entry point of the media process. Media run in a process of their own because the WebRTC library aborts its process
 * on severe errors. The process also ends when the service ends.
 */
import { createSocket } from 'node:dgram';
import { systemClock } from '../../../base/core/clock.ts';
import { reasonOf } from '../../../base/core/reason-of.ts';
import type { TransportOptions } from '../media-transport.ts';
import type { EngineOrder, FromChild, ToChild } from './child-messages.ts';
import { EngineProcess } from './engine-process.ts';

/** Time to send the last messages before the process exits. */
const LAST_WORDS_MS = 100;
/** Time to complete recordings before the process exits. */
const FINISH_MS = 1500;

let engine: EngineProcess | undefined;
/** Messages that arrived while the library was loading. */
const early: EngineOrder[] = [];

const report = (message: FromChild): void => {
  if (process.connected) process.send?.(message);
};

async function begin({ options, towardsEngine = options }: Extract<ToChild, { type: 'begin' }>): Promise<void> {
  try {
    await checkPort(options);
    const { WebRtcTransport } = await import('./transport.ts');
    engine = new EngineProcess({
      open: (name, events, isOfEngine = false) =>
        new WebRtcTransport({ name, options: isOfEngine ? towardsEngine : options, clock: systemClock, events }),
      report,
    });
    for (const message of early.splice(0)) engine.onMessage(message);
    report({ type: 'ready' });
  } catch (error) {
    report({ type: 'unusable', why: reasonOf(error) });
    systemClock.after(LAST_WORDS_MS, () => process.exit(0));
  }
}

/** Rejects if the port is in use: the library would only report that it has no address. */
function checkPort({ host, port }: TransportOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = createSocket({ type: host?.includes(':') ? 'udp6' : 'udp4' });
    socket.once('error', reject);
    socket.bind(port, host, () => socket.close(() => resolve()));
  });
}

process.on('message', (message: ToChild) => {
  if (message.type === 'begin') void begin(message);
  else if (message.type === 'ping') report({ type: 'pong' });
  else if (message.type === 'finish') void finish();
  else if (engine) engine.onMessage(message);
  else early.push(message);
});
process.once('disconnect', () => void finish());

/** Sends pending reports before the process exits. */
async function finish(): Promise<void> {
  systemClock.after(FINISH_MS, () => process.exit(0));
  await engine?.close().catch(() => undefined);
  if (process.connected) process.send?.({ type: 'finished' } satisfies FromChild, () => process.exit(0));
  else process.exit(0);
}

// Ignored: the service receives the signal too, and stops this process when its calls have ended.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);
