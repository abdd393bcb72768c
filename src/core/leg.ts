/**
 * A leg is one party's line: its commands, its events, and the audio played to it. Plain data, because the journal
 * keeps both and a replay compares them.
 */
import type { AssistantOptions } from './assistant.ts';
import type { Cause } from './causes.ts';
import type { Fault } from './fault.ts';
import type { Json, JsonObject } from './json.ts';
import type { SipHeaders } from './sip-headers.ts';

/** One piece of a prompt, after resolution of key and locale. `name` is the prompt key, for traces and tests. */
export type AudioItem =
  | { type: 'file'; file: string; name?: string }
  /** `otherwise` is heard where the sound cannot be had. */
  | { type: 'remote'; url: string; name?: string; otherwise?: AudioItem }
  | {
      type: 'speech';
      text: string;
      language: string;
      voice: Voice;
      /** Names of voices of engines, tried before `voice`. */
      voices?: string[];
      rate?: number;
      pitch?: number;
      name?: string;
      /** Contains sensitive words: its audio is not cached. */
      private?: true;
    }
  /** A whole `<speak>` document (SSML 1.1). */
  | { type: 'ssml'; ssml: string; language: string; voice: Voice; voices?: string[]; name?: string; private?: true }
  | { type: 'silence'; durationMs: number; name?: string }
  | { type: 'tone'; frequencyHz: number; durationMs: number; name?: string };

export type Voice = 'female' | 'male';

/** Concerns the signalling of a leg. `headers` go with the SIP message that it causes; legs without SIP have none. */
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
   * Asks the far end to call `to` itself (REFER, RFC 3515); with `replacesLegId` to replace that leg of ours (RFC 3891).
   * Answer: one `refer_ended`. The leg continues until it is hung up.
   */
  | { type: 'refer'; referId: string; to: string; replacesLegId?: string; headers?: SipHeaders }
  /** The progress of what the far end asked for in `referred` (NOTIFY with a sipfrag); 200 and more end it. */
  | { type: 'refer_progress'; referId: string; sipStatus: number };

/**
 * Concerns the audio of a leg. Such a command travels as it is from the step that issues it to the media thread:
 * CONTRIBUTING, "Adding a media command".
 */
export type MediaCommand =
  /** Plays the items one after the other; `repeat` starts again until stopped. The answer is one `play_ended`. */
  | { type: 'play'; playId: string; audio: AudioItem[]; repeat?: boolean }
  | { type: 'stop_play'; playId: string }
  /**
   * Records what the party says to a WAV file (8 kHz, 16 bit), until the limit, `endSilenceMs` of silence after
   * speech began (0: never), a digit of `terminators`, a stop, or the end of the leg. The answer is one `record_ended`.
   * With `dual` the file has two channels: left what the party says, right what it hears. There is one recording of
   * each kind at a time: one in the foreground (a voicemail), and one in the `background` (of the call).
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
  /** While it is paused, neither sound nor silence is written. */
  | { type: 'pause_record'; recordId: string; paused: boolean }
  | { type: 'stop_record'; recordId: string }
  /** Sends `digits` (`0-9*#A-D`, `w` pauses half a second) as RFC 4733 events or SIP INFO. Answer: `digits_sent`. */
  | { type: 'send_digits'; sendId: string; digits: string; toneMs: number; gapMs: number }
  /**
   * Puts the party on hold: re-INVITE with `sendonly` (RFC 3264 §8.4), and `music` again and again until `resume`.
   * A play replaces the music. A party on hold is not heard in its mix. Not answered: if the far end refuses the
   * re-INVITE, the hold is local.
   */
  | { type: 'hold'; music: AudioItem[] }
  | { type: 'resume' }
  /**
   * Joins a mix, whose legs hear each other. A mix exists while it has legs. A leg is in one mix at most: joining another
   * leaves the first. A play is for this party alone, and replaces the mix.
   */
  | { type: 'join'; mixId: string; muted?: boolean }
  | { type: 'leave' }
  /** A muted party hears the mix and is not heard in it. */
  | { type: 'mute'; muted: boolean }
  /**
   * While it is on, what the party says and presses is silence in recordings, streams, recognition and its mix, as long as
   * it took: card data are entered. Digits are still reported.
   */
  | { type: 'withhold'; on: boolean }
  /**
   * Forks the audio of the leg to a web socket: G.711 mu-law, 8 kHz, 20 ms frames, in the messages of `docs/streams.md`.
   * `inbound` is what the party says, `outbound` what it hears. With `bidirectional` the receiver may send audio, which
   * plays like a prompt. `start` is sent in `start_media`. Answers: `stream_started`, then one `stream_ended`.
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
   * Lets the party talk with an AI agent, whose sound plays like that of a stream. Answers: `assistant_started`, then what
   * is said and asked for, then one `assistant_ended`. One at a time.
   */
  | ({ type: 'assistant'; assistantId: string } & AssistantOptions)
  /** The answer to an `assistant_called`. */
  | { type: 'answer_assistant'; assistantId: string; callId: string; answer: Json; isError: boolean }
  /** A key that the party pressed, for the agent. */
  | { type: 'key_assistant'; assistantId: string; digit: string }
  | { type: 'stop_assistant'; assistantId: string }
  /** Recognises the party's speech, also during a play. Answers: see `listen_ended`. One at a time per kind. */
  | ({ type: 'listen'; listenId: string } & ListenOptions)
  | { type: 'stop_listen'; listenId: string }
  /**
   * Detects whether a human or a machine answered, by the cadence of the greeting. With `awaitBeepMs`, a machine is
   * reported when its beep is over (`beep`), or as `machine` if none came in that time. Answer: one `machine_detected`.
   */
  | { type: 'detect_machine'; detectId: string; timeoutMs: number; awaitBeepMs: number }
  | { type: 'stop_detect'; detectId: string };

export type LegCommand = SignalingCommand | MediaCommand;

export type StreamTrack = 'inbound' | 'outbound';

export type Talker = 'agent' | 'caller';

export interface ListenOptions {
  /** Language tag. */
  language: string;
  /** Expected words: phrases of the author (`hints`), or a built-in grammar. Neither: free speech. */
  hints: readonly string[];
  grammar?: 'digits' | 'yes_no';
  /** Less confidence (0 to 1) is `no_match`. */
  minConfidence: number;
  /** The silence after speech that ends it (the API's `recognizer_timeout`). */
  endSilenceMs: number;
  /** The longest time to listen; then what was said so far is the result. */
  maxLengthMs: number;
  /** Continues after each utterance until stopped: a transcript. It runs beside another listen. */
  continuous?: boolean;
  /** `outbound`: recognises what the party hears. Default `inbound`. */
  track?: StreamTrack;
}

/** `headers`: those of the message behind it that may be read. */
export type LegEvent =
  /** Outbound: there is a leg, and the party will be called by the command `dial`; only where another node may take it over. */
  | { type: 'created' }
  /** Outbound: the far end rings (180, or 183 with early media). At most once. */
  | { type: 'ringing'; headers?: SipHeaders }
  /** Inbound: our answer was acknowledged. Outbound: the far end answered. At most once. */
  | { type: 'answered'; sip?: LegSip; headers?: SipHeaders }
  /** Outbound, before the answer: the far end sends audio from now on (an announcement, or ringing). At most once. */
  | { type: 'early_media' }
  /** The last event of every leg, exactly once. `quality`: if it had any audio. `sip`: of telephones. */
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
      /** How long the party was louder than the silence threshold. */
      speechMs: number;
      fault?: Fault;
    }
  | { type: 'digits_sent'; sendId: string }
  | { type: 'stream_started'; streamId: string }
  | { type: 'stream_ended'; streamId: string; reason: 'stopped' | 'far' | 'failed' | 'hangup'; fault?: Fault }
  | { type: 'assistant_started'; assistantId: string }
  /** One of the two begins or ends to speak. The agent's sound is heard until its end, or until it is cut. */
  | { type: 'assistant_turn'; assistantId: string; who: Talker; speaks: boolean }
  /** What was said, as far as the agent writes it down; `atMs` since the beginning of the conversation. */
  | { type: 'assistant_said'; assistantId: string; who: Talker; text: string; atMs: number }
  /** The agent calls a tool: unchecked. Each call is answered. */
  | { type: 'assistant_called'; assistantId: string; callId: string; tool: string; arguments: Json }
  /** `far`: the agent ended the conversation. */
  | { type: 'assistant_ended'; assistantId: string; reason: 'stopped' | 'far' | 'failed' | 'hangup'; fault?: Fault }
  /** Speech began, not just noise: time to stop the prompt. Once per utterance. */
  | { type: 'speech_started'; listenId: string }
  /** Of a continuous listening, any number of times. `confidence` 0 to 1; `fromMs` since the listening began. */
  | { type: 'utterance'; listenId: string; text: string; confidence: number; fromMs: number; toMs: number }
  /** `no_match`: speech that was not recognised with sufficient confidence; `no_input`: no speech. */
  | {
      type: 'listen_ended';
      listenId: string;
      reason: 'recognized' | 'no_match' | 'no_input' | 'stopped' | 'failed';
      /** What was understood; with `no_match`, the best guess. */
      text?: string;
      confidence?: number;
      fault?: Fault;
    }
  | {
      type: 'machine_detected';
      detectId: string;
      result: 'human' | 'machine' | 'beep' | 'fax' | 'unknown' | 'stopped';
      /** Since the command. */
      afterMs: number;
    }
  /** The far end put us on hold, or resumed. */
  | { type: 'far_hold'; held: boolean }
  /**
   * The far end asks us to connect its peer with `to` (REFER); with `replacesLegId`, with the party of that other leg of
   * ours (attended). Answered by `refer_progress`.
   */
  | {
      type: 'referred';
      referId: string;
      to: string;
      replacesLegId?: string;
      referredBy?: string;
      headers?: SipHeaders;
    }
  /** The result of a `refer`: 200 when the far end reached its new party, 408 without any NOTIFY. */
  | { type: 'refer_ended'; referId: string; sipStatus: number };

/** Of one leg, as far as known: inbound by our own count, outbound by the far end's reports (RFC 3550). */
export interface LegQuality {
  codec: string;
  packetsSent: number;
  packetsReceived: number;
  packetsLost: number;
  /** Interarrival jitter (RFC 3550 §6.4.1), at the end. */
  jitterMs: number;
  /** As the far end reported (RTCP); absent without reports. */
  farPacketsLost?: number;
  farJitterMs?: number;
  roundTripMs?: number;
  /** 1 to 4.5, estimated from loss, delay and codec (ITU-T G.107, simplified). */
  mos: number;
  /** SRTP was used. */
  encrypted?: boolean;
}

/** A leg in the words of SIP: what its carrier needs to find it. Texts of the far end are short and without controls. */
export interface LegSip {
  callId: string;
  /** The address of the far end: `udp:192.0.2.1:5060`. */
  remote?: string;
  /** The name of the route whose gateway this is. */
  route?: string;
  /** As it is written there: `sip:carrier.example:5060`. */
  gateway?: string;
  /** What the far end says it is (User-Agent, Server). */
  userAgent?: string;
  /** The final status of the INVITE; 408 where none came. */
  status?: number;
  /** The last Reason of the far end, as it was written (RFC 3326). */
  reason?: string;
  /** Outbound, post-dial delay: from the INVITE to the first sign of ringing, or to the final status. */
  postDialMs?: number;
  /** Until the answer or the end: from the first sign of ringing; inbound, from the INVITE. */
  ringMs?: number;
  /** Outbound: the gateways and phones that were called before, or beside this one. */
  attempts?: SipPeer[];
}

/** One of those that an INVITE went to, or came from. */
export type SipPeer = Pick<LegSip, 'callId' | 'remote' | 'route' | 'gateway' | 'userAgent' | 'status' | 'reason'>;
