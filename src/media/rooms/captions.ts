/**
 * Captions of a session: recognises the speech of the active speakers while at least one participant receives captions.
 *
 * Invariants
 *  - speech is recognised only in rooms with `captions`, and only while a participant receives captions;
 *  - at most `MAX_VOICES` speakers are recognised at once; further ones wait until one is quiet;
 *  - captions are not kept, unless the room has `keep_captions`.
 */
import type { Clock } from '../../base/core/clock.ts';
import type { ServerMessage } from '../../base/core/room-messages.ts';
import type { RecognitionEvent, RecognitionSession, Recognizer } from '../telephony/recognition.ts';
import type { Participant } from './participant.ts';
import type { VideoRoom } from './room.ts';
import type { SessionEvent } from './session-ports.ts';
import { type EngineCommand, PHONES } from './sfu.ts';

interface CaptionsParts {
  clock: Clock;
  room: VideoRoom;
  /** Absent: this service recognises no speech. */
  recognizer?: Recognizer | undefined;
  /** True if the engine reports the audio of participants. */
  canListen: boolean;
  send(command: EngineCommand): void;
  tell(participant: Participant, message: ServerMessage): void;
  tellAll(message: ServerMessage): void;
  onEvent(event: SessionEvent): void;
}

interface Voice {
  speaker: Participant;
  recognition: RecognitionSession;
  /** Number of the current line. Undefined between utterances. */
  line: number | undefined;
  sentMs: number;
  isTalking: boolean;
  talkedMs: number;
}

const MAX_VOICES = 3;
/** A voice that is silent for so long leaves its session of the recogniser to others. */
const QUIET_MS = 30_000;
const PARTIAL_MS = 250;
const MAX_TEXT = 1000;
const END_SILENCE_MS = 700;
const MAX_LENGTH_MS = 24 * 3_600_000;

export class Captions {
  readonly #parts: CaptionsParts;
  readonly #readers = new Set<Participant>();
  /** By participant; phones are heard together. */
  readonly #voices = new Map<string, Voice>();
  #lines = 0;

  constructor(parts: CaptionsParts) {
    this.#parts = parts;
  }

  get isOn(): boolean {
    return this.#readers.size > 0;
  }

  /** Turns captions on or off for a participant. */
  set(reader: Participant, on: boolean): 'not_allowed' | 'not_available' | undefined {
    if (!on) {
      this.left(reader);
      return undefined;
    }
    const { room, recognizer, canListen, tellAll, onEvent } = this.#parts;
    if (room.settings.captions === undefined || reader.role === 'audience') return 'not_allowed';
    const fault = recognizer?.refusal(this.#request(room.settings.captions));
    // A busy recogniser is free again soon.
    if (!recognizer || !canListen || (fault && fault.code !== 'recognizer_busy')) return 'not_available';
    const wasOn = this.isOn;
    this.#readers.add(reader);
    if (wasOn) return undefined;
    this.restarted();
    tellAll({ type: 'captions', on: true });
    onEvent({ type: 'captions', on: true, by: reader });
    return undefined;
  }

  /** A participant left, or turned captions off. */
  left(participant: Participant): void {
    if (!this.#readers.delete(participant) || this.isOn) return;
    for (const key of [...this.#voices.keys()]) this.#close(key);
    const { tellAll, onEvent } = this.#parts;
    this.restarted();
    tellAll({ type: 'captions', on: false });
    onEvent({ type: 'captions', on: false });
  }

  talking(speaker: Participant, on: boolean): void {
    if (!this.isOn) return;
    const key = keyOf(speaker);
    const voice = this.#voices.get(key);
    if (voice) {
      voice.isTalking = on;
      voice.talkedMs = this.#parts.clock.monotonicMs();
      if (on) voice.speaker = speaker;
    } else if (on) this.#open(key, speaker);
  }

  /** Audio from the engine: 16-bit samples at 8 kHz in base64. */
  addSound(key: string, pcm: string): void {
    const voice = this.#voices.get(key);
    if (!voice) return;
    const bytes = Buffer.from(pcm, 'base64');
    // A copy, because samples must be aligned.
    voice.recognition.write(new Int16Array(new Uint8Array(bytes).buffer, 0, bytes.length >> 1));
    if (!voice.isTalking && this.#parts.clock.monotonicMs() - voice.talkedMs > QUIET_MS) this.#release(key);
  }

  /** Tells the engine whom to listen to. */
  restarted(): void {
    this.#parts.send({ type: 'listen', on: this.isOn, participants: [...this.#voices.keys()] });
  }

  #request(language: string) {
    const { projectId } = this.#parts.room;
    return {
      ...{ language, projectId, hints: [], minConfidence: 0, continuous: true },
      ...{ endSilenceMs: END_SILENCE_MS, maxLengthMs: MAX_LENGTH_MS },
    };
  }

  #open(key: string, speaker: Participant): void {
    const { room, recognizer, clock } = this.#parts;
    const request = this.#request(room.settings.captions ?? '');
    if (!recognizer || !this.#makePlace() || recognizer.refusal(request)) return;
    const talkedMs = clock.monotonicMs();
    const recognition = recognizer.open(request, (event) => this.#recognized(key, voice, event));
    const voice: Voice = { speaker, recognition, line: undefined, sentMs: -PARTIAL_MS, isTalking: true, talkedMs };
    this.#voices.set(key, voice);
    this.restarted();
  }

  /** False if all voices talk. */
  #makePlace(): boolean {
    if (this.#voices.size < MAX_VOICES) return true;
    const quiet = [...this.#voices].filter(([, { isTalking }]) => !isTalking);
    const [longest] = quiet.sort(([, one], [, other]) => one.talkedMs - other.talkedMs);
    if (!longest) return false;
    this.#release(longest[0]);
    return true;
  }

  /** Ends a voice after the words that were heard. */
  #release(key: string): void {
    const voice = this.#voices.get(key);
    this.#voices.delete(key);
    voice?.recognition.finish();
    this.restarted();
  }

  #close(key: string): void {
    this.#voices.get(key)?.recognition.abort();
    this.#voices.delete(key);
  }

  #recognized(key: string, voice: Voice, event: RecognitionEvent): void {
    if (event.type === 'partial') this.#partial(voice, event.text);
    if (event.type === 'utterance') this.#final(voice, event.text);
    if (event.type !== 'ended') return;
    if (voice.line !== undefined) this.#final(voice, '');
    if (this.#voices.get(key) !== voice) return;
    this.#voices.delete(key);
    this.restarted();
  }

  #partial(voice: Voice, text: string): void {
    const nowMs = this.#parts.clock.monotonicMs();
    if (nowMs - voice.sentMs < PARTIAL_MS) return;
    voice.sentMs = nowMs;
    this.#tell(voice, text, false);
  }

  #final(voice: Voice, text: string): void {
    this.#tell(voice, text, true);
    voice.line = undefined;
    const { room, clock, onEvent } = this.#parts;
    if (text === '' || !room.settings.keep_captions) return;
    onEvent({ type: 'caption', participant: voice.speaker, text: text.slice(0, MAX_TEXT), atMs: clock.now() });
  }

  #tell(voice: Voice, text: string, final: boolean): void {
    voice.line ??= ++this.#lines;
    const { id, name } = voice.speaker;
    const words = { participant: id, name, text: text.slice(0, MAX_TEXT), final };
    for (const reader of this.#readers) this.#parts.tell(reader, { type: 'caption', line: voice.line, ...words });
  }
}

const keyOf = ({ id, isPhone }: Participant): string => (isPhone ? PHONES : id);
