/**
 * A media thread: sockets, the wheel's timer and messages around `LegMedia`. It does nothing else, because whatever
 * blocks it is heard. Neighbours: `media.ts` starts it, `worker-messages.ts` is what they say to each other.
 *
 * Invariants
 *  K1 `send` never waits for a name: addresses are literal and looked up synchronously, so buffers may be used again;
 *  K2 no packet and no socket error ends the thread;
 *  K3 the timer runs only while some leg has something to do.
 */
import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { isIP } from 'node:net';
import { parentPort } from 'node:worker_threads';
import { LegMedia } from './leg-media.ts';
import { Wheel } from './wheel.ts';
import type { WorkerCommand, WorkerEvent } from './worker-messages.ts';

interface Leg {
  mediaId: string;
  socket: Socket;
  media: LegMedia;
  /** The period it turns at; 0 when it is not on the wheel. */
  periodMs: number;
}

const port = parentPort!;
const legs = new Map<string, Leg>();
const wheel = new Wheel<Leg>((leg, nowMs) => {
  leg.media.tick(nowMs);
  if (!leg.media.active) rest(leg);
});
const startMs = performance.now();
const nowMs = (): number => performance.now() - startMs;

let timer: NodeJS.Timeout | undefined;
/** What the timer is set for; infinite when it is not set. */
let timerMs = Number.POSITIVE_INFINITY;
let events: WorkerEvent[] = [];
let transfers: ArrayBuffer[] = [];

function emit(event: WorkerEvent): void {
  if (events.length === 0) setImmediate(flush);
  events.push(event);
  if (event.type === 'leg' && event.event.type === 'record_chunk') transfers.push(event.event.pcm.buffer);
}

function flush(): void {
  port.postMessage(events, transfers);
  events = [];
  transfers = [];
}

function turn(): void {
  timerMs = Number.POSITIVE_INFINITY;
  wheel.advance(nowMs());
  schedule();
}

function schedule(): void {
  const nextMs = wheel.nextMs;
  if (nextMs >= timerMs) return;
  clearTimeout(timer);
  timerMs = nextMs;
  timer = setTimeout(turn, Math.max(1, Math.ceil(nextMs - nowMs())));
}

/** Puts the leg on the wheel when it has something to do. */
function wake(leg: Leg): void {
  const periodMs = leg.media.ptimeMs;
  if (!leg.media.active || leg.periodMs === periodMs) return;
  wheel.add(leg, { periodMs, nowMs: nowMs() });
  leg.periodMs = periodMs;
  schedule();
}

function rest(leg: Leg): void {
  wheel.remove(leg);
  leg.periodMs = 0;
}

function open(mediaId: string, host: string, portNumber: number): void {
  const socket = createSocket({
    type: isIP(host) === 6 ? 'udp6' : 'udp4',
    lookup: (address, _options, found) => found(null, address, isIP(address)),
  });
  const media = new LegMedia({
    ssrc: randomInt(2 ** 32),
    sequence: randomInt(2 ** 16),
    timestamp: randomInt(2 ** 32),
    emit: (event) => emit({ type: 'leg', mediaId, event }),
    send: (packet, toHost, toPort) => socket.send(packet, toPort, toHost),
  });
  const leg: Leg = { mediaId, socket, media, periodMs: 0 };
  const refuse = (error: NodeJS.ErrnoException) => {
    legs.delete(mediaId);
    socket.close();
    emit({ type: 'refused', mediaId, code: error.code ?? error.message });
  };
  socket.once('error', refuse);
  socket.on('message', (packet, from) => {
    media.receive(packet, from.address, from.port, nowMs());
    if (leg.periodMs === 0 && media.active) wake(leg);
  });
  socket.bind({ address: host, port: portNumber, exclusive: true }, () => {
    socket.off('error', refuse);
    // Unreachable peers and full queues: RTP is lossy, signalling decides about the call.
    socket.on('error', () => {});
    legs.set(mediaId, leg);
    emit({ type: 'opened', mediaId });
  });
}

function close(leg: Leg): void {
  legs.delete(leg.mediaId);
  leg.media.close(nowMs());
  rest(leg);
  leg.socket.close(() => emit({ type: 'closed', mediaId: leg.mediaId, counts: leg.media.counts }));
}

function perform(leg: Leg, command: WorkerCommand): void {
  const { media } = leg;
  switch (command.type) {
    case 'connect':
      media.connect(command.remote);
      break;
    case 'play':
      media.play(command);
      break;
    case 'stop_play':
      media.stopPlay(command.playId);
      break;
    case 'record':
      media.record(command.record, nowMs());
      break;
    case 'stop_record':
      media.stopRecord(command.recordId, nowMs());
      break;
    case 'send_digits':
      media.sendDigits(command.send);
      break;
    case 'close':
      close(leg);
      return;
  }
  wake(leg);
}

port.on('message', (command: WorkerCommand) => {
  if (command.type === 'open') {
    open(command.mediaId, command.host, command.port);
    return;
  }
  const leg = legs.get(command.mediaId);
  if (leg) perform(leg, command);
});

emit({ type: 'ready' });
