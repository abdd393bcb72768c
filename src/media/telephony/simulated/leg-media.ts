/** Media of a simulated leg: handlers of its media commands, and the audio that the party sends and receives. */
import type { AudioItem, LegQuality, MediaCommand } from '../../../base/core/leg.ts';
import { FRAME_MS } from '../audio.ts';
import { type AgentPorts, SimulatedAgents } from './agent.ts';
import { SimulatedDetector } from './detector.ts';
import { DigitSender } from './digit-sender.ts';
import type { FarEnd, SinkPlan } from './far-end.ts';
import type { LegChannel, Utterance } from './leg-channel.ts';
import { PartyAudio } from './party-audio.ts';
import { SimulatedPlayer } from './player.ts';
import { SimulatedRecorder } from './recorder.ts';
import { SimulatedRecognizer } from './simulated-recognizer.ts';
import { SimulatedStreamer } from './streamer.ts';

export interface SimulatedMediaOptions {
  /** Returns the plan of a stream receiver. */
  sink(url: string): SinkPlan;
  /** Returns the script of an AI agent. */
  agent: AgentPorts['script'];
  hasEnded(): boolean;
  /** True while the party has put the service on hold. */
  holdsUs(): boolean;
}

/** Command of a single leg; mixes concern several. */
export type SimulatedMediaCommand = Exclude<MediaCommand, { type: 'join' | 'leave' | 'mute' }>;

/** Commands without a handler have no effect that the party notices. */
type Handlers = {
  [Type in SimulatedMediaCommand['type']]?: (
    media: SimulatedMedia<FarEnd>,
    command: Extract<SimulatedMediaCommand, { type: Type }>,
  ) => void;
};

const HANDLERS: Handlers = {
  play: ({ player }, command) => player.play(command),
  stop_play: ({ player }, { playId }) => player.stop(playId),
  record: ({ recorder }, command) => recorder.record(command),
  pause_record: ({ recorder }, { recordId, paused }) => recorder.pause(recordId, paused),
  stop_record: ({ recorder }, { recordId }) => recorder.end('stopped', recordId),
  send_digits: ({ digits }, command) => digits.send(command),
  hold: ({ partyAudio }, { music }) => partyAudio.hold(true, music),
  resume: ({ partyAudio }) => partyAudio.hold(false),
  stream: ({ streamer }, command) => streamer.stream(command),
  stop_stream: ({ streamer }, { streamId }) => streamer.stop(streamId),
  assistant: ({ agents }, command) => agents.start(command),
  answer_assistant: ({ agents }, command) => agents.answer(command),
  stop_assistant: ({ agents }) => agents.end('stopped'),
  listen: ({ recognizer }, command) => recognizer.listen(command),
  withhold: (media, { on }) => media.withhold(on),
  stop_listen: ({ recognizer }, { listenId }) => recognizer.stop(listenId),
  detect_machine: ({ detector }, command) => detector.detect(command),
  stop_detect: ({ detector }, { detectId }) => detector.stop(detectId),
};

/** Best score of G.711 (ITU-T G.107). */
const PERFECT_MOS = 4.4;

export class SimulatedMedia<Peer extends FarEnd> {
  readonly player: SimulatedPlayer;
  readonly partyAudio: PartyAudio<Peer>;
  readonly recorder: SimulatedRecorder;
  readonly digits: DigitSender;
  readonly recognizer: SimulatedRecognizer;
  readonly detector: SimulatedDetector;
  readonly streamer: SimulatedStreamer;
  readonly agents: SimulatedAgents;
  readonly #channel: LegChannel;
  #isWithheld = false;

  constructor(channel: LegChannel, { sink, agent, hasEnded, holdsUs }: SimulatedMediaOptions) {
    this.#channel = channel;
    this.recorder = new SimulatedRecorder(channel);
    this.digits = new DigitSender(channel);
    this.recognizer = new SimulatedRecognizer(channel);
    this.detector = new SimulatedDetector(channel);
    this.player = new SimulatedPlayer(channel, {
      changed: () => this.partyAudio.update(),
      itemStarted: (item, durationMs) => this.#recognizePrompt(item, durationMs),
    });
    this.partyAudio = new PartyAudio<Peer>(channel, {
      hasAudio: () => channel.hasAudio && !hasEnded(),
      isPromptPlaying: () => this.player.isPlaying,
      holdsUs,
    });
    this.streamer = new SimulatedStreamer(channel, {
      plan: sink,
      playToParty: (streamId, item) => this.partyAudio.playStreamed(streamId, item),
    });
    this.agents = new SimulatedAgents(channel, {
      script: agent,
      play: (id, item) => (item ? this.partyAudio.playStreamed(id, item) : this.partyAudio.stopStreamed()),
    });
  }

  send(command: SimulatedMediaCommand): void {
    const handle = HANDLERS[command.type] as ((media: object, command: SimulatedMediaCommand) => void) | undefined;
    handle?.(this, command);
  }

  /** Called when the leg starts to carry audio: starts the requests that waited for it. */
  open(): void {
    this.#channel.audioSinceMs = this.#channel.clock.monotonicMs();
    this.player.open();
    this.recorder.open();
    this.digits.open();
    this.recognizer.open();
    this.detector.open();
    this.streamer.open();
    this.agents.open();
  }

  /** The party speaks. */
  speak(utterance: Utterance): void {
    const durationMs = utterance.toMs - utterance.fromMs;
    this.detector.receiveSpeech(durationMs);
    if (this.#isWithheld) return;
    this.recorder.speak(durationMs);
    this.recognizer.receiveSpeech('inbound', utterance);
    this.agents.receiveSpeech(utterance);
  }

  withhold(on: boolean): void {
    this.#isWithheld = on;
  }

  close(): void {
    this.partyAudio.end();
    this.player.stop();
    this.recorder.end('hangup');
    this.digits.close();
    this.recognizer.stop();
    this.detector.stop();
    this.streamer.hangUp();
    this.agents.end('hangup');
  }

  get quality(): LegQuality | undefined {
    const { audioSinceMs, clock } = this.#channel;
    if (audioSinceMs === undefined) return undefined;
    const packets = Math.floor((clock.monotonicMs() - audioSinceMs) / FRAME_MS);
    const traffic = { packetsSent: packets, packetsReceived: packets, packetsLost: 0, jitterMs: 0 };
    return { codec: 'PCMU', ...traffic, mos: PERFECT_MOS };
  }

  #recognizePrompt(item: AudioItem, durationMs: number): void {
    if (item.type !== 'speech') return;
    const fromMs = this.#channel.clock.monotonicMs();
    this.recognizer.receiveSpeech('outbound', { fromMs, toMs: fromMs + durationMs, text: item.text, confidence: 1 });
  }
}
