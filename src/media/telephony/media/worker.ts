/**
 * Media thread: a timer wheel and messages around `LegMedia` and `Mix`. It has no other work, because any blocking is
 * audible. `media.ts` starts it, `worker-messages.ts` defines its messages, `leg-sockets.ts` owns the sockets.
 *
 * Invariants
 *  - the timer runs only while a leg or mix has work, or sockets are to be read: every 5 ms while audio is forwarded, as
 *    each turn delays it, else every 10 ms;
 *  - events are batched over one turn, because a message costs more than its content;
 *  - while sockets are read by the timer, commands are read by it as well; else a message wakes this thread for them.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../../base/core/clock.ts';
import { FRAME_MS } from '../audio.ts';
import { raiseAudioPriority } from './audio-priority.ts';
import { LegMedia } from './leg-media.ts';
import { LegSockets } from './leg-sockets.ts';
import { Mix } from './mix.ts';
import { MixSocket } from './mix-socket.ts';
import { openDatagrams } from './open-datagrams.ts';
import { REPORT_INTERVAL_MS } from './rtcp.ts';
import { CommandReader } from './thread-commands.ts';
import { ThreadEvents } from './thread-events.ts';
import { ThreadCounter } from './thread-figures.ts';
import { TimerWheel } from './timer-wheel.ts';
import type { PeerMessages, ThreadLegCommand, WorkerCommand, WorkerEvent, WorkerOptions } from './worker-messages.ts';

interface ThreadLeg {
  mediaId: string;
  sockets: LegSockets;
  media: LegMedia;
  mix: Mix | undefined;
  /** Period on the wheel; 0 if it is not on the wheel. */
  periodMs: number;
  reportAtMs: number;
  /** Its audio is forwarded to a mix or a stream. */
  isForwarded: boolean;
}

interface PeerThread {
  port: MessagePort;
  waiting: PeerMessages;
}

/** Interval at which legs are checked for a report that is due. */
const REPORT_CHECK_MS = 1_000;
/** Intervals at which sockets are read. */
const FORWARDING_READ_MS = 5;
const READ_MS = 10;

const port = parentPort!;
const events = new ThreadEvents(port);
const legs = new Map<string, ThreadLeg>();
const mixes = new Map<string, Mix>();
/** Mixes that are open to an outside party, by opening. */
const openings = new Map<string, { mix: Mix; socket: MixSocket }>();
const peers = new Map<number, PeerThread>();
const wheel = new TimerWheel<ThreadLeg | Mix>((member, nowMs) => {
  if (member instanceof Mix) {
    member.tick();
    return;
  }
  member.media.tick(nowMs);
  if (!member.media.active) rest(member);
});
const counter = new ThreadCounter();
const startMs = performance.now();
const epochMs = systemClock.now();
const nowMs = (): number => performance.now() - startMs;
/** Canonical name, the same for all legs of this thread; it identifies neither user nor host. */
const name = randomBytes(12).toString('base64url');
const { commands: channel, ...socketOptions } = workerData as WorkerOptions;
const datagrams = await openDatagrams({ ...socketOptions, nowMs });
const commands = new CommandReader(channel, receive);

let forwardedLegs = 0;
let isPolling = false;
let timer: NodeJS.Timeout | undefined;
/** Time at which the timer fires; infinite if it is not set, and in the past during a turn. */
let timerMs = Number.POSITIVE_INFINITY;
let reporting: NodeJS.Timeout | undefined;
let peersTold = false;

const emit = (event: WorkerEvent): void => events.emit(event);

function flushPeers(): void {
  peersTold = false;
  for (const peer of peers.values()) {
    if (peer.waiting.length === 0) continue;
    peer.port.postMessage(peer.waiting);
    peer.waiting = [];
  }
}

function addPeer(number: number, channel: MessagePort): void {
  peers.set(number, { port: channel, waiting: [] });
  channel.on('message', (messages: PeerMessages) => {
    for (const { mixId, message } of messages) mixes.get(mixId)?.receiveFromPeer(number, message);
  });
  channel.on('close', () => peers.delete(number));
}

function turn(): void {
  const now = nowMs();
  counter.timerFired(now - timerMs);
  commands.read();
  datagrams.turn();
  wheel.advance(now);
  timerMs = Number.POSITIVE_INFINITY;
  schedule();
  settlePolling();
}

/** The main thread has commands, and this thread does not look for them. */
function woken(): void {
  commands.read();
  settlePolling();
}

/** Commands that were written before the change took effect are read. */
function settlePolling(): void {
  const polls = datagrams.isPolled && datagrams.size > 0;
  if (polls === isPolling) return;
  isPolling = polls;
  commands.polls = polls;
  if (polls) return;
  commands.read();
  settlePolling();
}

/** On the slots of the wheel, so that one turn does both. */
function nextReadMs(): number {
  if (!datagrams.isPolled || datagrams.size === 0) return Number.POSITIVE_INFINITY;
  const intervalMs = forwardedLegs > 0 ? FORWARDING_READ_MS : READ_MS;
  return (Math.floor(nowMs() / intervalMs) + 1) * intervalMs;
}

function schedule(): void {
  const nextMs = Math.min(wheel.nextMs, nextReadMs());
  if (nextMs >= timerMs) return;
  clearTimeout(timer);
  timerMs = nextMs;
  timer = setTimeout(() => events.during(turn), Math.max(1, Math.ceil(nextMs - nowMs())));
}

/** Puts the leg on the wheel if it has work. */
function wake(leg: ThreadLeg): void {
  const periodMs = leg.media.ptimeMs;
  if (!leg.media.active || leg.periodMs === periodMs) return;
  wheel.add(leg, { periodMs, nowMs: nowMs() });
  leg.periodMs = periodMs;
  schedule();
}

/** Counts the leg if its audio is forwarded. */
function settleForwarding(leg: ThreadLeg): void {
  const isForwarded = leg.mix !== undefined || leg.media.taps.isStreamed;
  if (isForwarded === leg.isForwarded) return;
  leg.isForwarded = isForwarded;
  forwardedLegs += isForwarded ? 1 : -1;
  schedule();
}

function rest(leg: ThreadLeg): void {
  wheel.remove(leg);
  leg.periodMs = 0;
}

function mixOf(mixId: string): Mix {
  const known = mixes.get(mixId);
  if (known) return known;
  const mix = new Mix(mixId, (number, message) => {
    const peer = peers.get(number);
    if (!peer) return;
    if (!peersTold) setImmediate(flushPeers);
    peersTold = true;
    peer.waiting.push({ mixId, message });
  });
  mixes.set(mixId, mix);
  return mix;
}

/** To be called when the members of a mix have changed: the mix and its legs may have more or less work. */
function settle(mix: Mix): void {
  if (mix.isEmpty) mixes.delete(mix.mixId);
  if (!mix.isMixing) wheel.remove(mix);
  else if (!wheel.has(mix)) wheel.add(mix, { periodMs: FRAME_MS, nowMs: nowMs() });
  for (const leg of legs.values()) if (leg.mix === mix) wake(leg);
  schedule();
}

function join(leg: ThreadLeg, mixId: string, muted: boolean): void {
  leg.media.mute(muted);
  if (leg.mix?.mixId === mixId) return;
  leave(leg);
  leg.mix = mixOf(mixId);
  leg.mix.add(leg.media);
  settle(leg.mix);
}

function leave(leg: ThreadLeg): void {
  const { mix } = leg;
  if (!mix) return;
  leg.mix = undefined;
  mix.remove(leg.media);
  settle(mix);
}

function openMix({ mixId, openingId, key, far }: Extract<WorkerCommand, { type: 'open_mix' }>): void {
  const mix = mixOf(mixId);
  const socket = new MixSocket({
    ...{ key, nowMs, ...(far && { far }) },
    opened: (portNumber) => emit({ type: 'mix_opened', openingId, port: portNumber }),
    failed: (code) => emit({ type: 'mix_not_opened', openingId, code }),
  });
  openings.set(openingId, { mix, socket });
  mix.addOutside(socket);
  settle(mix);
}

function closeMix(openingId: string): void {
  const opening = openings.get(openingId);
  if (!opening) return;
  const { mix, socket } = opening;
  openings.delete(openingId);
  socket.close();
  mix.removeOutside(socket);
  settle(mix);
}

function open(mediaId: string, host: string, portNumber: number): void {
  const sockets = new LegSockets(
    datagrams,
    { host, port: portNumber },
    {
      bound: () => {
        legs.set(mediaId, leg);
        reporting ??= setInterval(report, REPORT_CHECK_MS);
        emit({ type: 'opened', mediaId });
      },
      refused: (code) => emit({ type: 'refused', mediaId, code }),
      packet: (bytes, fromHost, fromPort, atMs) => {
        media.receive(bytes, fromHost, fromPort, atMs);
        if (leg.periodMs === 0 && media.active) wake(leg);
      },
      control: (bytes, fromHost, atMs) => media.receiveControl(bytes, fromHost, atMs),
    },
  );
  const media = new LegMedia({
    ssrc: randomInt(2 ** 32),
    sequence: randomInt(2 ** 16),
    timestamp: randomInt(2 ** 32),
    name,
    epochMs,
    emit: (event) => emit({ type: 'leg', mediaId, event }),
    send: (packet, toHost, toPort) => sockets.send(packet, toHost, toPort),
    sendControl: (packet, toHost, toPort) => sockets.sendControl(packet, toHost, toPort),
    // A relayed digit wakes an idle leg.
    wake: () => wake(leg),
  });
  const reportAtMs = nextReportMs();
  const leg: ThreadLeg = { mediaId, sockets, media, mix: undefined, periodMs: 0, reportAtMs, isForwarded: false };
  sockets.bind();
  schedule();
}

/** RFC 3550 §6.2: half to one and a half times the interval, so that reports of many legs spread out. */
function nextReportMs(): number {
  return nowMs() + REPORT_INTERVAL_MS / 2 + randomInt(REPORT_INTERVAL_MS);
}

function report(): void {
  const now = nowMs();
  for (const leg of legs.values()) {
    if (leg.reportAtMs > now) continue;
    leg.reportAtMs = nextReportMs();
    leg.media.report(now);
  }
}

function close(leg: ThreadLeg): void {
  const { mediaId, media } = leg;
  legs.delete(mediaId);
  leave(leg);
  media.close(nowMs());
  settleForwarding(leg);
  rest(leg);
  if (legs.size === 0) {
    clearInterval(reporting);
    reporting = undefined;
  }
  const { counts, quality } = media;
  counter.closed(counts);
  leg.sockets.close(() => emit({ type: 'closed', mediaId, counts, ...(quality ? { quality } : {}) }));
}

type Handlers = {
  [Type in ThreadLegCommand['type']]: (
    leg: ThreadLeg,
    command: Extract<ThreadLegCommand, { type: Type }>,
    nowMs: number,
  ) => void;
};

const HANDLERS: Handlers = {
  connect({ media, sockets }, { remote }, now) {
    media.connect(remote, now);
    if (remote.rtcpPort !== remote.port) sockets.openControl();
  },
  play: ({ media }, command) => media.output.play(command),
  play_more: ({ media }, command) => media.output.playMore(command),
  stop_play: ({ media }, { playId }) => media.output.stopPlay(playId),
  record: ({ media }, command, now) => media.record(command, now),
  pause_record: ({ media }, { recordId, paused }, now) => media.pauseRecord(recordId, paused, now),
  stop_record: ({ media }, { recordId }, now) => media.stopRecord(recordId, now),
  send_digits: ({ media }, command) => media.output.sendDigits(command),
  signalled_digit: ({ media }, { digit, durationMs }, now) => media.signalledDigit(digit, durationMs, now),
  hold: ({ media }, { items }) => media.output.hold(items),
  resume: ({ media }) => media.output.hold(undefined),
  join: (leg, { mixId, muted }) => join(leg, mixId, muted ?? false),
  leave: (leg) => leave(leg),
  mute: ({ media }, { muted }) => media.mute(muted),
  withhold: ({ media }, { on }, now) => media.withhold(on, now),
  stream: ({ media }, command) => media.taps.stream(command),
  stop_stream: ({ media }, { streamId }) => media.taps.stopStream(streamId),
  stream_audio: ({ media }, { streamId, bytes }) => media.taps.addAudio(streamId, bytes),
  clear_stream: ({ media }, { streamId }) => media.taps.clearAudio(streamId),
  pause_stream: ({ media }, { streamId, paused }) => media.taps.pauseAudio(streamId, paused),
  listen: ({ media }, { listenId, track }) => media.taps.listen(listenId, track),
  stop_listen: ({ media }, { listenId }) => media.taps.stopListen(listenId),
  detect_machine: ({ media }, command, now) => media.taps.detect(command, now),
  stop_detect: ({ media }, { detectId }, now) => media.taps.stopDetect(detectId, now),
  watch_talking: ({ media, mediaId }, { on }) =>
    media.watchTalking(on ? (isTalking) => emit({ type: 'talking', mediaId, on: isTalking }) : undefined),
  set_heard: ({ media }, { heard }) => media.setHeard(heard),
  close: (leg) => close(leg),
};

function perform(leg: ThreadLeg, command: ThreadLegCommand): void {
  const handle = HANDLERS[command.type] as (leg: ThreadLeg, command: ThreadLegCommand, nowMs: number) => void;
  handle(leg, command, nowMs());
  if (command.type === 'close') return;
  settleForwarding(leg);
  wake(leg);
}

function receive(command: WorkerCommand): void {
  switch (command.type) {
    case 'open':
      open(command.mediaId, command.host, command.port);
      break;
    case 'peer':
      addPeer(command.peer, command.port);
      break;
    case 'mix_peers': {
      const mix = mixes.get(command.mixId);
      if (!mix) return;
      mix.setPeers(command.peers);
      settle(mix);
      break;
    }
    case 'open_mix':
      openMix(command);
      break;
    case 'close_mix':
      closeMix(command.openingId);
      break;
    case 'read_figures':
      emit({ type: 'figures', figures: counter.read([...legs.values()].map(({ media }) => media.counts)) });
      break;
    case 'leg': {
      const leg = legs.get(command.mediaId);
      if (leg) perform(leg, command.command);
    }
  }
}

port.on('message', () => events.during(woken));

emit({ type: 'ready', hasPriority: raiseAudioPriority() });
