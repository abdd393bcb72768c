/**
 * Leg: the line of one party, with its commands, its events and its audio. Plain data, because the journal stores
 * commands and events and a replay compares them.
 */
import type { AssistantOptions } from './assistant.ts';
import type { Cause } from './causes.ts';
import type { Fault } from './fault.ts';
import type { Json, JsonObject } from './json.ts';
import type { SipHeaders } from './sip-headers.ts';

/** One piece of a prompt, after resolution of key and locale. `name` is the prompt key, for traces and tests. */
export type AudioItem =
  | { type: 'file'; file: string; name?: string }
  /** `otherwise` is played if the audio cannot be fetched. */
  | { type: 'remote'; url: string; name?: string; otherwise?: AudioItem }
  | {
      type: 'speech';
      text: string;
      language: string;
      voice: Voice;
      /** Engine-specific voice names, tried before `voice`. */
      voices?: string[];
      rate?: number;
      pitch?: number;
      name?: string;
      /** True if it contains sensitive words: its audio is not cached. */
      private?: true;
    }
  /** A whole `<speak>` document (SSML 1.1). */
  | { type: 'ssml'; ssml: string; language: string; voice: Voice; voices?: string[]; name?: string; private?: true }
  | { type: 'silence'; durationMs: number; name?: string }
  | { type: 'tone'; frequencyHz: number; durationMs: number; name?: string };

export type Voice = 'female' | 'male';

/**
 * Commands for the signalling of a leg. `headers` are sent with the SIP message that the command causes; legs without
 * SIP ignore them.
 */
export type SignalingCommand =
  /** Inbound, not answered: 180 Ringing. */
  | { type: 'ring' }
  /** Inbound, not answered: 183 Session Progress with SDP, so that prompts are heard as early media. */
  | { type: 'progress' }
  | { type: 'answer'; headers?: SipHeaders }
  /** Outbound, after `created`: calls the party. */
  | { type: 'dial' }
  /** Inbound, not answered: a final SIP status 300–699 refuses the call. */
  | { type: 'reject'; sipStatus: number; headers?: SipHeaders }
  /** Ends the leg in whatever state it is: BYE, CANCEL or a final response. The answer is `ended`. */
  | { type: 'hangup'; cause: number; headers?: SipHeaders }
  /**
   * Asks the far end to call `to` (REFER, RFC 3515); with `replacesLegId`, to replace that leg of this service (RFC
   * 3891). Answer: one `refer_ended`. The leg continues until it is hung up.
   */
  | { type: 'refer'; referId: string; to: string; replacesLegId?: string; headers?: SipHeaders }
  /**
   * Reports progress of a transfer that the far end requested in `referred` (NOTIFY with a sipfrag); a status of 200 or
   * more ends it.
   */
  | { type: 'refer_progress'; referId: string; sipStatus: number };

/**
 * Commands for the audio of a leg. A command passes unchanged from the step that issues it to the media thread:
 * CONTRIBUTING, "Adding a media command".
 */
export type MediaCommand =
  /** Plays the items in order; with `repeat`, restarts until stopped. The answer is one `play_ended`. */
  | { type: 'play'; playId: string; audio: AudioItem[]; repeat?: boolean }
  | { type: 'stop_play'; playId: string }
  /**
   * Records the voice of the party to a WAV file (8 kHz, 16 bit), until the limit, `endSilenceMs` of silence after
   * speech began (0: never), a digit of `terminators`, a stop, or the end of the leg. The answer is one `record_ended`.
   * With `dual` the file has two channels: left the audio from the party, right the audio to it. At most one recording
   * of each kind is active: one in the foreground (a voicemail), and one in the `background` (of the call).
   */
  | {
      type: 'record';
      recordId: string;
      /** A name below the engine's recording directory, or a path. */
      file: string;
      maxLengthMs: number;
      endSilenceMs: number;
      terminators: string;
      dual?: boolean;
      background?: boolean;
    }
  /** While the recording is paused, neither audio nor silence is written. */
  | { type: 'pause_record'; recordId: string; paused: boolean }
  | { type: 'stop_record'; recordId: string }
  /** Sends `digits` (`0-9*#A-D`, `w` pauses half a second) as RFC 4733 events or SIP INFO. Answer: `digits_sent`. */
  | { type: 'send_digits'; sendId: string; digits: string; toneMs: number; gapMs: number }
  /**
   * Puts the party on hold: re-INVITE with `sendonly` (RFC 3264 §8.4), and `music` in a loop until `resume`. A play
   * replaces the music. A party on hold is not heard in its mix. Not answered: if the far end refuses the re-INVITE,
   * the hold is local.
   */
  | { type: 'hold'; music: AudioItem[] }
  | { type: 'resume' }
  /**
   * Joins a mix, whose legs hear each other. A mix exists while it has legs. A leg is in at most one mix: joining
   * another leaves the first. A play is heard by this party only, and replaces the mix.
   */
  | { type: 'join'; mixId: string; muted?: boolean }
  | { type: 'leave' }
  /** A muted party hears the mix but is not heard in it. */
  | { type: 'mute'; muted: boolean }
  /**
   * Replaces the party's voice and digits by silence of the same length in recordings, streams, recognition and its mix
   * while it is on, because card data are being entered. Digits are still reported.
   */
  | { type: 'withhold'; on: boolean }
  /**
   * Forks the audio of the leg to a WebSocket: G.711 mu-law, 8 kHz, 20 ms frames, in the messages of `docs/streams.md`.
   * `inbound` is the audio from the party, `outbound` the audio to it. With `bidirectional` the receiver may send
   * audio, which plays like a prompt. `start` is sent in `start_media`. Answers: `stream_started`, then one
   * `stream_ended`.
   */
  | {
      type: 'stream';
      streamId: string;
      url: string;
      tracks: readonly StreamTrack[];
      bidirectional: boolean;
      start: JsonObject;
    }
  | { type: 'stop_stream'; streamId: string }
  /**
   * Connects the party with an AI agent, whose audio plays like that of a stream. Answers: `assistant_started`, then
   * turns, texts and tool calls, then one `assistant_ended`. At most one is active.
   */
  | ({ type: 'assistant'; assistantId: string } & AssistantOptions)
  /** The result of an `assistant_called`. */
  | { type: 'answer_assistant'; assistantId: string; callId: string; answer: Json; isError: boolean }
  /** Passes a key that the party pressed to the agent. */
  | { type: 'key_assistant'; assistantId: string; digit: string }
  | { type: 'stop_assistant'; assistantId: string }
  /** Recognises the party's speech, also during a play. Answers: see `listen_ended`. At most one per kind is active. */
  | ({ type: 'listen'; listenId: string } & ListenOptions)
  | { type: 'stop_listen'; listenId: string }
  /**
   * Detects from the cadence of the greeting whether a human or a machine answered. With `awaitBeepMs`, a machine is
   * reported after its beep (`beep`), or as `machine` if no beep came in that time. Answer: one `machine_detected`.
   */
  | { type: 'detect_machine'; detectId: string; timeoutMs: number; awaitBeepMs: number }
  | { type: 'stop_detect'; detectId: string };

export type LegCommand = SignalingCommand | MediaCommand;

export type StreamTrack = 'inbound' | 'outbound';

export type Talker = 'agent' | 'caller';

export interface ListenOptions {
  /** Language tag. */
  language: string;
  /** Expected words: phrases of the author (`hints`), or a built-in grammar. Without both: free speech. */
  hints: readonly string[];
  grammar?: 'digits' | 'yes_no' | 'date' | 'time' | 'amount' | 'code';
  /** Results with a lower confidence (0 to 1) are `no_match`. */
  minConfidence: number;
  /** Silence that ends the speech (`recognizer_timeout` in the API), in ms. */
  endSilenceMs: number;
  /** Longest time to listen, in ms; afterwards, the text so far is the result. */
  maxLengthMs: number;
  /** True if it continues after each utterance until stopped, for a transcript. It may run beside another listen. */
  continuous?: boolean;
  /** `outbound` recognises the audio to the party. Default: `inbound`. */
  track?: StreamTrack;
}

/** Events of a leg. `headers`: the headers of the underlying SIP message that may be exposed. */
export type LegEvent =
  /**
   * Outbound: the leg exists, and the command `dial` will call the party. Only sent if another node can adopt the leg.
   */
  | { type: 'created' }
  /** Outbound: the far end rings (180, or 183 with early media). At most once. */
  | { type: 'ringing'; headers?: SipHeaders }
  /** Inbound: the answer was acknowledged (ACK). Outbound: the far end answered. At most once. */
  | { type: 'answered'; sip?: LegSip; headers?: SipHeaders }
  /** Outbound, before the answer: the far end sends audio (an announcement, or ringing). At most once. */
  | { type: 'early_media' }
  /** The last event of every leg, exactly once. `quality` is present if the leg had audio, `sip` for telephones. */
  | {
      type: 'ended';
      cause: Cause;
      by: 'far' | 'near' | 'network';
      sipStatus?: number;
      quality?: LegQuality;
      sip?: LegSip;
      headers?: SipHeaders;
    }
  | { type: 'digit'; digit: string; durationMs: number }
  | { type: 'play_ended'; playId: string; reason: 'finished' | 'stopped' | 'failed'; playedMs: number; fault?: Fault }
  | {
      type: 'record_ended';
      recordId: string;
      reason: 'max_length' | 'end_silence' | 'terminator' | 'stopped' | 'hangup' | 'failed';
      file: string;
      durationMs: number;
      /** Time in which the party was louder than the silence threshold, in ms. */
      speechMs: number;
      fault?: Fault;
    }
  | { type: 'digits_sent'; sendId: string }
  | { type: 'stream_started'; streamId: string }
  | { type: 'stream_ended'; streamId: string; reason: 'stopped' | 'far' | 'failed' | 'hangup'; fault?: Fault }
  | { type: 'assistant_started'; assistantId: string }
  /**
   * The agent or the caller begins or stops speaking. The agent's audio is played to its end, unless it is interrupted.
   */
  | { type: 'assistant_turn'; assistantId: string; who: Talker; speaks: boolean }
  /** Transcript of a statement, if the agent provides it; `atMs` counts from the start of the conversation. */
  | { type: 'assistant_said'; assistantId: string; who: Talker; text: string; atMs: number }
  /** The agent calls a tool, with unvalidated arguments. Each call is answered. */
  | { type: 'assistant_called'; assistantId: string; callId: string; tool: string; arguments: Json }
  /** `far`: the agent ended the conversation. */
  | { type: 'assistant_ended'; assistantId: string; reason: 'stopped' | 'far' | 'failed' | 'hangup'; fault?: Fault }
  /** Speech began, not just noise: the prompt can be stopped. Once per utterance. */
  | { type: 'speech_started'; listenId: string }
  /**
   * Result of continuous recognition, any number of times. `confidence`: 0 to 1; `fromMs` counts from the start of the
   * recognition.
   */
  | { type: 'utterance'; listenId: string; text: string; confidence: number; fromMs: number; toMs: number }
  /** `no_match`: speech that was not recognised with sufficient confidence; `no_input`: no speech. */
  | {
      type: 'listen_ended';
      listenId: string;
      reason: 'recognized' | 'no_match' | 'no_input' | 'stopped' | 'failed';
      /** The recognised text; with `no_match`, the best guess. */
      text?: string;
      confidence?: number;
      fault?: Fault;
    }
  | {
      type: 'machine_detected';
      detectId: string;
      result: 'human' | 'machine' | 'beep' | 'fax' | 'unknown' | 'stopped';
      /** Time since the command, in ms. */
      afterMs: number;
    }
  /** The far end put this leg on hold, or resumed it. */
  | { type: 'far_hold'; held: boolean }
  /**
   * The far end asks the service to connect its peer with `to` (REFER); with `replacesLegId`, with the party of that
   * other leg (attended transfer). Answered by `refer_progress`.
   */
  | {
      type: 'referred';
      referId: string;
      to: string;
      replacesLegId?: string;
      referredBy?: string;
      headers?: SipHeaders;
    }
  /** The result of a `refer`: 200 if the far end reached its new party, 408 without any NOTIFY. */
  | { type: 'refer_ended'; referId: string; sipStatus: number };

/**
 * Media quality of one leg, if known: inbound as counted by this service, outbound as reported by the far end (RFC
 * 3550).
 */
export interface LegQuality {
  codec: string;
  packetsSent: number;
  packetsReceived: number;
  packetsLost: number;
  /** Interarrival jitter (RFC 3550 §6.4.1) at the end of the leg. */
  jitterMs: number;
  /** Reported by the far end (RTCP). Absent without reports. */
  farPacketsLost?: number;
  farJitterMs?: number;
  roundTripMs?: number;
  /** 1 to 4.5, estimated from loss, delay and codec (ITU-T G.107, simplified). */
  mos: number;
  /** True if SRTP was used. */
  encrypted?: boolean;
}

/**
 * SIP data of a leg, by which its carrier can find the call. Texts from the far end are truncated and free of control
 * characters.
 */
export interface LegSip {
  callId: string;
  /** Address of the far end: `udp:192.0.2.1:5060`. */
  remote?: string;
  /** Name of the route of this gateway. */
  route?: string;
  /** The gateway as written in the route: `sip:carrier.example:5060`. */
  gateway?: string;
  /** Software of the far end (User-Agent, Server). */
  userAgent?: string;
  /** Final status of the INVITE; 408 if none arrived. */
  status?: number;
  /** Last Reason header of the far end, unchanged (RFC 3326). */
  reason?: string;
  /** Outbound: post-dial delay, from the INVITE to the first sign of ringing or to the final status. */
  postDialMs?: number;
  /** Ringing time until the answer or the end: from the first sign of ringing; inbound, from the INVITE. */
  ringMs?: number;
  /** Outbound: the gateways and phones that were called before or in parallel to this one. */
  attempts?: SipPeer[];
}

/** Peer that an INVITE was sent to or received from. */
export type SipPeer = Pick<LegSip, 'callId' | 'remote' | 'route' | 'gateway' | 'userAgent' | 'status' | 'reason'>;
