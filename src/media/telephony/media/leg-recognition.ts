/**
 * Speech recognition of one leg: connects the audio chunks of its thread with sessions of the recogniser. One listen of
 * each kind runs at a time: one for an answer, and one continuous listen per track.
 * Each is answered by one `listen_ended`. A continuous one that is stopped may report a final utterance first, within
 * `FINAL_RESULT_MS`.
 */
import type { Clock } from '../../../base/core/clock.ts';
import { type Fault, fault } from '../../../base/core/fault.ts';
import { defined } from '../../../base/core/json.ts';
import type { RecognitionEvent, RecognitionRequest, RecognitionSession, Recognizer } from '../recognition.ts';
import type { MediaCommandOf, MediaEvent } from './media-port.ts';
import type { ThreadLegCommand } from './worker-messages.ts';

export interface LegRecognitionOptions {
  recognizer: Recognizer | undefined;
  /** Returns the current project of the leg. */
  projectId?: (() => string | undefined) | undefined;
  clock: Clock;
  send(command: ThreadLegCommand): void;
  emit(event: MediaEvent): void;
}

interface PendingListen {
  listenId: string;
  kind: string;
  session: RecognitionSession;
  /** True if it was stopped, and waits for the final utterance. */
  stopping: boolean;
  ended(): void;
  /** Resolves when it is answered. */
  over: Promise<void>;
}

export const FINAL_RESULT_MS = 500;

export class LegRecognition {
  readonly #options: LegRecognitionOptions;
  readonly #listenings = new Map<string, PendingListen>();

  constructor(options: LegRecognitionOptions) {
    this.#options = options;
  }

  listen(request: MediaCommandOf<'listen'>): void {
    const { recognizer, send, projectId } = this.#options;
    const { type: _, listenId, ...options } = request;
    const asked = defined<RecognitionRequest>({ ...options, projectId: projectId?.() });
    if (this.#listenings.has(listenId)) return;
    const refusal = recognizer
      ? recognizer.refusal(asked)
      : fault('no_recognizer', 'there is no speech recognition in this service');
    if (!recognizer || refusal) {
      queueMicrotask(() => this.#options.emit({ type: 'listen_ended', listenId, reason: 'failed', fault: refusal! }));
      return;
    }
    const track = options.track ?? 'inbound';
    const kind = options.continuous ? `continuous ${track}` : 'answer';
    for (const other of [...this.#listenings.values()]) if (other.kind === kind) this.stop(other.listenId);
    const session = recognizer.open(asked, (event) => this.#receive(listenId, event));
    const { promise: over, resolve: ended } = Promise.withResolvers<void>();
    this.#listenings.set(listenId, { listenId, kind, session, stopping: false, ended, over });
    send({ type: 'listen', listenId, track });
  }

  stop(listenId: string): void {
    const listening = this.#listenings.get(listenId);
    if (!listening || listening.stopping) return;
    this.#options.send({ type: 'stop_listen', listenId });
    listening.stopping = true;
    if (listening.kind === 'answer') queueMicrotask(() => this.#abort(listening));
  }

  /** Receives audio from the thread. */
  piece(listenId: string, pcm: Int16Array): void {
    this.#listenings.get(listenId)?.session.write(pcm);
  }

  /** No more chunks follow: it was stopped, or the leg ends. */
  over(listenId: string): void {
    const listening = this.#listenings.get(listenId);
    if (!listening) return;
    listening.stopping = true;
    if (listening.kind === 'answer') {
      this.#abort(listening);
      return;
    }
    listening.session.finish();
    const timer = this.#options.clock.after(FINAL_RESULT_MS, () => this.#abort(listening));
    void listening.over.then(() => timer.cancel());
  }

  /** Resolves when all are answered. To be called after all have ended. */
  async settled(): Promise<void> {
    await Promise.all([...this.#listenings.values()].map(({ over }) => over));
  }

  lost(lost: Fault): void {
    for (const listening of [...this.#listenings.values()]) {
      listening.session.abort();
      this.#answer(listening, { type: 'listen_ended', listenId: listening.listenId, reason: 'failed', fault: lost });
    }
  }

  #receive(listenId: string, event: RecognitionEvent): void {
    const listening = this.#listenings.get(listenId);
    if (!listening) return;
    const { emit, send } = this.#options;
    if (event.type === 'speech_started') emit({ type: 'speech_started', listenId });
    else if (event.type === 'utterance') {
      const { text, confidence, fromMs, toMs } = event;
      emit({ type: 'utterance', listenId, text, confidence, fromMs, toMs });
    } else if (event.type === 'ended') {
      if (!listening.stopping) send({ type: 'stop_listen', listenId });
      const { type: _, ...result } = event;
      const reason = listening.stopping && event.reason !== 'failed' ? 'stopped' : event.reason;
      this.#answer(listening, { type: 'listen_ended', listenId, ...result, reason });
    }
  }

  #abort(listening: PendingListen): void {
    if (this.#listenings.get(listening.listenId) !== listening) return;
    listening.session.abort();
    this.#answer(listening, { type: 'listen_ended', listenId: listening.listenId, reason: 'stopped' });
  }

  #answer(listening: PendingListen, event: MediaEvent): void {
    this.#listenings.delete(listening.listenId);
    this.#options.emit(event);
    listening.ended();
  }
}
