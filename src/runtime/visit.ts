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
import type {
  HttpRequest,
  StepContext,
  StepDefinition,
  StepEvent,
  StepLeg,
  StepProgram,
  StepResult,
  Wait,
} from '../steps/step.ts';
import type { Direction, NewEntry } from './journal.ts';
import { MASK } from './journal.ts';
import type { TypedAhead } from './typed-ahead.ts';

type PlayCommand = Extract<LegCommand, { type: 'play' }>;

/** What a visit may ask of the call it is on. */
export interface CallDoor {
  readonly nowMs: number;
  readonly legState: StepLeg['state'];
  readonly direction: Direction;
  readonly eventUrl: string | undefined;
  nextId(kind: string): string;
  random(): number;
  note(entry: NewEntry): void;
  /** Kept until the decision is committed, then done. */
  effect(perform: () => void): void;
  /** `shown` is what the journal keeps of the command, where it is not the command itself. */
  sendToLeg(command: LegCommand, shown?: LegCommand): void;
  startRequest(visit: Visit, requestId: string, request: HttpRequest): void;
  readonly typedAhead: TypedAhead;
  recordingFile(recordId: string): string;
}

/** What a visit may ask of the flow it is in. */
export interface FlowDoor {
  readonly callScope: JsonObject;
  locale(step: CompiledStep): string;
  prompt(written: Json, step: CompiledStep): AudioItem[];
  render(written: Json, result: Json | undefined): Promise<Json>;
  test(expression: string, result: Json | undefined): Promise<boolean>;
  callFlow(flow: string | JsonObject, input: JsonObject): Fault | undefined;
  schedule(name: string): Json | undefined;
}

export class Visit {
  readonly number: number;
  readonly step: CompiledStep;
  readonly definition: StepDefinition;
  /** How often its frame has entered the step. */
  readonly count: number;
  input: Json = null;
  program: StepProgram | undefined;
  /** The step was done, and not skipped or refused on entry. */
  begun = false;
  wait: Wait | undefined;
  /** Number of the timer whose deadline this visit waits for. */
  timer: number | undefined;
  readonly #call: CallDoor;
  readonly #flow: FlowDoor;
  /** What the step says from now on may tell what is sensitive. */
  #saysResult = false;
  readonly #plays = new Set<string>();
  readonly #recordings = new Set<string>();
  readonly #sends = new Set<string>();
  readonly #requests = new Map<string, AbortController>();

  constructor(
    doors: { call: CallDoor; flow: FlowDoor },
    number: number,
    count: number,
    step: CompiledStep,
    definition: StepDefinition,
  ) {
    this.#call = doors.call;
    this.#flow = doors.flow;
    this.count = count;
    this.number = number;
    this.step = step;
    this.definition = definition;
  }

  /** Whether this answer is to something the visit started, and is still owed. */
  owns(event: StepEvent): boolean {
    switch (event.type) {
      case 'play_ended':
        return this.#plays.delete(event.playId);
      case 'record_ended':
        return this.#recordings.delete(event.recordId);
      case 'digits_sent':
        return this.#sends.delete(event.sendId);
      case 'http':
        return this.#requests.delete(event.requestId);
      default:
        return true;
    }
  }

  /** Starts the step's program. */
  begin(): void {
    this.begun = true;
    const made = this.definition.run(this.#context());
    this.program = made instanceof Promise ? atOnce(made) : made;
  }

  /** Stops the program and all that the visit started. */
  async end(): Promise<void> {
    this.timer = undefined;
    this.wait = undefined;
    const program = this.program;
    this.program = undefined;
    await program?.return({ outcome: 'left' });
    for (const playId of this.#plays) this.#call.sendToLeg({ type: 'stop_play', playId });
    for (const recordId of this.#recordings) this.#call.sendToLeg({ type: 'stop_record', recordId });
    for (const abort of this.#requests.values()) this.#call.effect(() => abort.abort());
    this.#plays.clear();
    this.#recordings.clear();
    this.#sends.clear();
    this.#requests.clear();
  }

  request(requestId: string): AbortSignal {
    const abort = new AbortController();
    this.#requests.set(requestId, abort);
    return abort.signal;
  }

  #context(): StepContext {
    const call = this.#call;
    const flow = this.#flow;
    const step = this.step;
    return {
      step: step.name,
      visit: this.number,
      count: this.count,
      input: this.input,
      args: step.args,
      sensitive: step.sensitive,
      locale: flow.locale(step),
      eventUrl: call.eventUrl,
      call: flow.callScope,
      now: () => call.nowMs,
      random: () => call.random(),
      leg: this.#leg(),
      prompt: async (written) => flow.prompt(written, step),
      render: (written, result) => {
        this.#saysResult ||= step.sensitive && result !== undefined;
        return flow.render(written, result);
      },
      test: (expression, result) => flow.test(expression, result),
      http: (request) => {
        const requestId = call.nextId('request');
        call.startRequest(this, requestId, request);
        return requestId;
      },
      notify: (event, body) => call.note({ kind: 'notified', event, body }),
      log: (level, message, fields) => call.note({ kind: 'log', level, message, fields }),
      callFlow: async (called, input) => flow.callFlow(called, input),
      schedule: (name) => flow.schedule(name),
    };
  }

  #leg(): StepLeg {
    const call = this.#call;
    const plays = this.#plays;
    const recordings = this.#recordings;
    const sends = this.#sends;
    const saysResult = () => this.#saysResult;
    const { sensitive } = this.step;
    return {
      get state() {
        return call.legState;
      },
      direction: call.direction,
      progress: () => call.sendToLeg({ type: 'progress' }),
      answer: () => call.sendToLeg({ type: 'answer' }),
      reject: (sipStatus) => call.sendToLeg({ type: 'reject', sipStatus }),
      hangup: (cause) => call.sendToLeg({ type: 'hangup', cause }),
      play(audio, options) {
        const playId = call.nextId('play');
        plays.add(playId);
        const command: PlayCommand = { type: 'play', playId, audio, ...(options?.repeat ? { repeat: true } : {}) };
        call.sendToLeg(command, saysResult() ? withoutWords(command) : command);
        return playId;
      },
      stopPlay(playId) {
        if (plays.delete(playId)) call.sendToLeg({ type: 'stop_play', playId });
      },
      record(options) {
        const recordId = call.nextId('recording');
        recordings.add(recordId);
        call.sendToLeg({ type: 'record', recordId, file: call.recordingFile(recordId), ...options });
        return recordId;
      },
      stopRecord: (recordId) => call.sendToLeg({ type: 'stop_record', recordId }),
      sendDigits(digits, toneMs, gapMs) {
        const sendId = call.nextId('send');
        sends.add(sendId);
        const command: LegCommand = { type: 'send_digits', sendId, digits, toneMs, gapMs };
        call.sendToLeg(command, sensitive ? { ...command, digits: MASK } : command);
        return sendId;
      },
      takeTypedAhead: () => call.typedAhead.take(),
      putBack: (digits) => call.typedAhead.putBack(digits),
      ignoreNext: (digit, withinMs) => call.typedAhead.ignoreNext(digit, call.nowMs + withinMs),
    };
  }
}

function withoutWords(command: PlayCommand): PlayCommand {
  const audio = command.audio.map((item) => (item.type === 'speech' ? { ...item, text: MASK } : item));
  return { ...command, audio };
}

/** A step that never waits, as a program. */
function atOnce(result: Promise<StepResult>): StepProgram {
  return {
    next: async () => ({ done: true, value: await result }),
    return: async (value) => ({ done: true, value: await value }),
  };
}
