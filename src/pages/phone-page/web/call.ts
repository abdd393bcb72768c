/**
 * One call of the browser: its audio connection, and the WebSocket for its messages (`schemas/webphone/`). It does not
 * depend on the page. `phone.ts` uses it.
 *
 * Invariants
 *  - it ends once, and then has no connection, track or element left;
 *  - keys that are pressed quickly are sent one after the other.
 */
import { connect } from '../../../../client/connect.js';
import { addressAtService } from '../../shared/web/service-root.ts';
import { t } from '../../shared/web/words/translate.ts';
import { TONE_MS } from './tones.ts';
import { type CallEnd, DROPPED, endWords, errorWords, INCOMPATIBLE, UNREACHABLE } from './words.ts';

export interface CallEvents {
  calling(call: { voiceId: string; from: string; to: string }): void;
  ringing(): void;
  connected(): void;
  held(isHeld: boolean): void;
  /** Last event. */
  ended(words: string, wasRefused: boolean): void;
}

const PATH = '/voice/v1/webphone/connect';
const GAP_MS = 70;
/** Limit for gathering candidates, which usually takes far less time. */
const GATHER_MS = 1500;

type ServerMessage =
  | { type: 'prepared'; ice_servers: RTCIceServer[] }
  | { type: 'calling'; voice_id: string; from: string; to: string }
  | { type: 'answer'; sdp: string }
  | { type: 'ringing' | 'connected' | 'pong' }
  | { type: 'held'; held: boolean }
  | ({ type: 'ended' } & CallEnd)
  | { type: 'error'; code: string; message: string };

export class Call {
  readonly #events: CallEvents;
  readonly #peer: RTCPeerConnection;
  readonly #sender: RTCRtpSender;
  readonly #speaker = new Audio();
  #socket: WebSocket | undefined;
  #token = '';
  #hasBegun = false;
  #isOver = false;

  constructor(microphone: MediaStreamTrack, speakerId: string | undefined, events: CallEvents) {
    this.#events = events;
    this.#peer = new RTCPeerConnection();
    this.#sender = this.#peer.addTrack(microphone, new MediaStream([microphone]));
    this.#speaker.autoplay = true;
    this.chooseSpeaker(speakerId);
    this.#peer.addEventListener('track', ({ track }) => {
      this.#speaker.srcObject = new MediaStream([track]);
      void this.#speaker.play().catch(() => undefined);
    });
  }

  begin(token: string): void {
    const socket = connect(new URL(addressAtService(PATH), location.href.replace(/^http/, 'ws')), token);
    this.#socket = socket;
    this.#token = token;
    socket.addEventListener('open', () => this.#send({ type: 'prepare', token }));
    socket.addEventListener('message', ({ data }) => this.#receive(JSON.parse(String(data)) as ServerMessage));
    socket.addEventListener('close', () => this.#end(this.#hasBegun ? DROPPED : UNREACHABLE, !this.#hasBegun));
  }

  async #offer(iceServers: RTCIceServer[]): Promise<void> {
    try {
      this.#peer.setConfiguration({ iceServers });
      await this.#peer.setLocalDescription();
      await gathered(this.#peer);
    } catch {
      return this.#end(INCOMPATIBLE, true);
    }
    this.#send({ type: 'call', token: this.#token, sdp: this.#peer.localDescription!.sdp });
  }

  #receive(message: ServerMessage): void {
    switch (message.type) {
      case 'prepared':
        void this.#offer(message.ice_servers);
        break;
      case 'calling':
        this.#hasBegun = true;
        this.#events.calling({ voiceId: message.voice_id, from: message.from, to: message.to });
        break;
      case 'answer':
        this.#peer.setRemoteDescription({ type: 'answer', sdp: message.sdp }).catch(() => this.hangUp(INCOMPATIBLE));
        break;
      case 'ringing':
        this.#events.ringing();
        break;
      case 'connected':
        this.#events.connected();
        break;
      case 'held':
        this.#events.held(message.held);
        break;
      case 'ended':
        this.#end(endWords(message), !this.#hasBegun);
        break;
      case 'error':
        this.#end(errorWords(message.code, message.message), !this.#hasBegun);
        break;
    }
  }

  #send(message: object): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  press(key: string): void {
    const { dtmf } = this.#sender;
    if (!dtmf || this.#isOver) return;
    try {
      dtmf.insertDTMF(dtmf.toneBuffer + key, TONE_MS, GAP_MS);
    } catch {
      // The audio is not connected yet, and the key is dropped.
    }
  }

  async replaceMicrophone(track: MediaStreamTrack): Promise<void> {
    await this.#sender.replaceTrack(track);
  }

  chooseSpeaker(id: string | undefined): void {
    // If the speaker was unplugged meanwhile, the default one is used.
    if (id !== undefined && 'setSinkId' in this.#speaker) void this.#speaker.setSinkId(id).catch(() => undefined);
  }

  hangUp(words = t('You hung up.')): void {
    this.#send({ type: 'hangup' });
    this.#end(words, false);
  }

  #end(words: string, wasRefused: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#socket?.close();
    this.#peer.close();
    this.#speaker.srcObject = null;
    this.#events.ended(words, wasRefused);
  }
}

/** The service answers at once, so that the offer has to contain all candidates. */
function gathered(peer: RTCPeerConnection): Promise<void> {
  if (peer.iceGatheringState === 'complete') return Promise.resolve();
  return new Promise((resolve) => {
    const limit = setTimeout(resolve, GATHER_MS);
    peer.addEventListener('icegatheringstatechange', () => {
      if (peer.iceGatheringState !== 'complete') return;
      clearTimeout(limit);
      resolve();
    });
  });
}
