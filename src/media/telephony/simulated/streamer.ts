/** Simulated WebSockets for a leg's audio: they count frames, and may send audio back. */
import type { Timer } from '../../../base/core/clock.ts';
import { fault } from '../../../base/core/fault.ts';
import type { JsonObject } from '../../../base/core/json.ts';
import type { AudioItem, LegCommand, LegEvent, StreamTrack } from '../../../base/core/leg.ts';
import { FRAME_MS } from '../audio.ts';
import type { SinkPlan, StreamSink } from './far-end.ts';
import type { LegChannel } from './leg-channel.ts';

type StreamCommand = Extract<LegCommand, { type: 'stream' }>;
type StreamReason = Extract<LegEvent, { type: 'stream_ended' }>['reason'];

export interface StreamerPorts {
  plan(url: string): SinkPlan;
  /** Plays audio of a receiver. */
  playToParty(streamId: string, item: AudioItem): void;
}

export class SimulatedStreamer {
  readonly streams: Sink[] = [];
  readonly #channel: LegChannel;
  readonly #ports: StreamerPorts;

  constructor(channel: LegChannel, ports: StreamerPorts) {
    this.#channel = channel;
    this.#ports = ports;
  }

  stream(command: StreamCommand): void {
    this.stop(command.streamId);
    const sink = new Sink(this.#channel, this.#ports, command);
    this.streams.push(sink);
    if (this.#channel.hasAudio) sink.connect();
  }

  /** Called when the leg starts to carry audio. */
  open(): void {
    for (const sink of this.streams) sink.connect();
  }

  stop(streamId: string): void {
    for (const sink of this.streams) if (sink.streamId === streamId) sink.end('stopped');
  }

  hangUp(): void {
    for (const sink of this.streams) sink.end('hangup');
  }
}

class Sink implements StreamSink {
  readonly streamId: string;
  readonly url: string;
  readonly tracks: readonly StreamTrack[];
  readonly bidirectional: boolean;
  readonly start: JsonObject;
  state: 'connecting' | 'open' | 'closed' = 'connecting';
  readonly #channel: LegChannel;
  readonly #ports: StreamerPorts;
  readonly #timers: Timer[] = [];
  #span: { fromMs: number; toMs?: number } | undefined;

  constructor(channel: LegChannel, ports: StreamerPorts, command: StreamCommand) {
    this.#channel = channel;
    this.#ports = ports;
    this.streamId = command.streamId;
    this.url = command.url;
    this.tracks = command.tracks;
    this.bidirectional = command.bidirectional;
    this.start = command.start;
  }

  get frames(): number {
    if (!this.#span) return 0;
    const lastedMs = (this.#span.toMs ?? this.#channel.clock.monotonicMs()) - this.#span.fromMs;
    return Math.floor(lastedMs / FRAME_MS) * this.tracks.length;
  }

  connect(): void {
    if (this.state !== 'connecting') return;
    const plan = this.#ports.plan(this.url);
    this.#timers.push(
      this.#channel.clock.after(plan.afterMs ?? 0, () => {
        if (plan.does === 'refuse') return this.end('failed');
        this.state = 'open';
        this.#span = { fromMs: this.#channel.clock.monotonicMs() };
        this.#channel.emit({ type: 'stream_started', streamId: this.streamId });
        if (plan.closesAfterMs !== undefined) {
          this.#timers.push(this.#channel.clock.after(plan.closesAfterMs, () => this.close()));
        }
      }),
    );
  }

  send(item: AudioItem): void {
    if (this.state === 'open' && this.bidirectional) this.#ports.playToParty(this.streamId, item);
  }

  close(): void {
    if (this.state === 'open') this.end('far');
  }

  end(reason: StreamReason): void {
    if (this.state === 'closed') return;
    this.state = 'closed';
    for (const timer of this.#timers) timer.cancel();
    if (this.#span) this.#span.toMs = this.#channel.clock.monotonicMs();
    const failed = reason === 'failed' ? { fault: fault('stream_refused', 'the receiver refused the connection') } : {};
    this.#channel.emit({ type: 'stream_ended', streamId: this.streamId, reason, ...failed });
  }
}
