/**
 * One visit of one step: its context, and the things it started on the call.
 *
 * Invariants
 *  V1 what a visit started (plays, recordings, requests, its deadline) belongs to its number; when the visit is over
 *     it is stopped, and what still arrives for it is dropped by the run;
 *  V2 nothing is done here: commands and requests are noted in the journal and left with the run as effects, which are
 *     performed after the commit.
 */
import type { Fault } from '../core/fault.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { AudioItem, LegCommand } from '../core/leg.ts';
import type { CompiledStep } from '../flow/types.ts';
import type { HttpRequest, StepContext, StepDefinition, StepEvent, StepLeg, StepProgram, Wait } from '../steps/step.ts';
import type { Direction, NewEntry } from './journal.ts';

/** What a visit may ask of its run. */
export interface VisitHost {
  readonly nowMs: number;
  readonly legState: StepLeg['state'];
  readonly direction: Direction;
  readonly eventUrl: string | undefined;
  readonly callScope: JsonObject;
  nextId(kind: string): string;
  random(): number;
  note(entry: NewEntry): void;
  /** Kept until the decision is committed, then done. */
  effect(perform: () => void): void;
  sendToLeg(command: LegCommand): void;
  startRequest(visit: Visit, requestId: string, request: HttpRequest): void;
  takeTypedAhead(): string;
  recordingFile(recordId: string): string;
  prompt(written: Json, step: CompiledStep): AudioItem[];
  render(written: Json, result: Json | undefined): Promise<Json>;
  test(expression: string, result: Json | undefined): Promise<boolean>;
  callFlow(name: string, input: JsonObject): Fault | undefined;
  schedule(name: string): Json | undefined;
  locale(step: CompiledStep): string;
}

export class Visit {
  readonly number: number;
  readonly step: CompiledStep;
  readonly definition: StepDefinition;
  input: Json = null;
  program: StepProgram | undefined;
  wait: Wait | undefined;
  /** Number of the timer whose deadline this visit waits for. */
  timer: number | undefined;
  /** A masked value reached this visit: a replay takes its recorded outcome. */
  masked: boolean;
  readonly #host: VisitHost;
  readonly #plays = new Set<string>();
  readonly #recordings = new Set<string>();
  readonly #requests = new Map<string, AbortController>();

  constructor(host: VisitHost, number: number, step: CompiledStep, definition: StepDefinition) {
    this.#host = host;
    this.number = number;
    this.step = step;
    this.definition = definition;
    this.masked = step.sensitive;
  }

  /** Whether this answer is to something the visit started, and is still owed. */
  owns(event: StepEvent): boolean {
    switch (event.type) {
      case 'play_ended':
        return this.#plays.delete(event.playId);
      case 'record_ended':
        return this.#recordings.delete(event.recordId);
      case 'http':
        return this.#requests.delete(event.requestId);
      default:
        return true;
    }
  }

  /** Starts the step's program. */
  begin(): void {
    this.program = this.definition.run(this.#context());
  }

  /** Stops the program and all that the visit started. */
  async end(): Promise<void> {
    this.timer = undefined;
    this.wait = undefined;
    const program = this.program;
    this.program = undefined;
    await program?.return({ outcome: 'left' });
    for (const playId of this.#plays) this.#host.sendToLeg({ type: 'stop_play', playId });
    for (const recordId of this.#recordings) this.#host.sendToLeg({ type: 'stop_record', recordId });
    for (const abort of this.#requests.values()) this.#host.effect(() => abort.abort());
    this.#plays.clear();
    this.#recordings.clear();
    this.#requests.clear();
  }

  request(requestId: string): AbortSignal {
    const abort = new AbortController();
    this.#requests.set(requestId, abort);
    return abort.signal;
  }

  #context(): StepContext {
    const host = this.#host;
    const step = this.step;
    return {
      step: step.name,
      visit: this.number,
      input: this.input,
      args: step.args,
      sensitive: step.sensitive,
      locale: host.locale(step),
      eventUrl: host.eventUrl,
      call: host.callScope,
      now: () => host.nowMs,
      random: () => host.random(),
      leg: this.#leg(),
      prompt: async (written) => host.prompt(written, step),
      render: (written, result) => host.render(written, result),
      test: (expression, result) => host.test(expression, result),
      http: (request) => {
        const requestId = host.nextId('request');
        host.startRequest(this, requestId, request);
        return requestId;
      },
      notify: (event, body) => host.note({ kind: 'notified', event, body }),
      log: (level, message, fields) => host.note({ kind: 'log', level, message, fields }),
      callFlow: async (name, input) => host.callFlow(name, input),
      schedule: (name) => host.schedule(name),
    };
  }

  #leg(): StepLeg {
    const host = this.#host;
    const plays = this.#plays;
    const recordings = this.#recordings;
    return {
      get state() {
        return host.legState;
      },
      direction: host.direction,
      progress: () => host.sendToLeg({ type: 'progress' }),
      answer: () => host.sendToLeg({ type: 'answer' }),
      reject: (sipStatus) => host.sendToLeg({ type: 'reject', sipStatus }),
      hangup: (cause) => host.sendToLeg({ type: 'hangup', cause }),
      play(audio, options) {
        const playId = host.nextId('play');
        plays.add(playId);
        host.sendToLeg({ type: 'play', playId, audio, ...(options?.repeat ? { repeat: true } : {}) });
        return playId;
      },
      stopPlay: (playId) => host.sendToLeg({ type: 'stop_play', playId }),
      record(options) {
        const recordId = host.nextId('recording');
        recordings.add(recordId);
        host.sendToLeg({ type: 'record', recordId, file: host.recordingFile(recordId), ...options });
        return recordId;
      },
      stopRecord: (recordId) => host.sendToLeg({ type: 'stop_record', recordId }),
      sendDigits(digits, toneMs, gapMs) {
        const sendId = host.nextId('send');
        host.sendToLeg({ type: 'send_digits', sendId, digits, toneMs, gapMs });
        return sendId;
      },
      takeTypedAhead: () => host.takeTypedAhead(),
    };
  }
}
