/**
 * One call on simulated lines in virtual time, with its other callers: the real runtime, steps, conferences, queues and
 * rooms. Scenarios run on it; tests can also control it directly.
 *
 * Invariants
 * - every source of difference between two runs (time, ids, random numbers, timer order) comes from the options, so
 * that the same options give the same journal byte for byte;
 * - `journal` contains the committed entries in order.
 */
import { fault } from '../../base/core/fault.ts';
import { countingIds } from '../../base/core/ids.ts';
import { defined, type Json, type JsonObject } from '../../base/core/json.ts';
import type { SipHeaders } from '../../base/core/sip-headers.ts';
import type { CompiledFlow } from '../../language/flow/compiled-flow.ts';
import type { StepDefinition } from '../../language/steps/step.ts';
import type { AudioSource } from '../../media/telephony/audio.ts';
import type { DialRequest } from '../../media/telephony/engine.ts';
import { SimulatedEngine } from '../../media/telephony/simulated/engine.ts';
import type { CalleePlan, FarEnd, SimulatedAgentAct, SinkPlan } from '../../media/telephony/simulated/far-end.ts';
import { optOutOfNothing } from '../../service/calls/broadcast/do-not-call.ts';
import { configuredRooms } from '../../service/calls/conferences/room-phones.ts';
import { type CallVenues, createVenues } from '../../service/calls/conferences/venues.ts';
import type { CallRun } from '../../service/runtime/call-run.ts';
import type { CallCommand, CommandReply, Direction, JournalEntry } from '../../service/runtime/journal.ts';
import type { CallSpec, RuntimePorts } from '../../service/runtime/ports.ts';
import { createSupervisor, type Supervisor } from '../../service/runtime/supervisor.ts';
import type { RecordingFiles } from '../../service/runtime/venue.ts';
import { stepsByVerb } from '../../verbs/steps.ts';
import { mockedQueues, type QueueMocks, simulatedDesk } from './mock-queues.ts';
import { type Others, withOthers } from './other-members.ts';
import { silentAudio } from './silent-audio.ts';
import { type SimulatedOrderOptions, simulatedOrders } from './simulated-orders.ts';
import { type Settling, VirtualClock } from './virtual-clock.ts';

const DEFAULT_SEED = 1;
const CALL_ID = 'call-1';
const PROJECT_ID = 'rehearsal';
/** Maximum duration of the end of a call. */
const MAX_END_MS = 60_000;

export interface SimulatedCallOptions {
  flow: CompiledFlow;
  /** Flows for subflows and commands. */
  flows?: (flow: string | JsonObject) => CompiledFlow | undefined;
  steps?: ReadonlyMap<string, StepDefinition>;
  startMs?: number;
  settling?: Settling;
  seed?: number;
  from?: string;
  to?: string;
  direction?: Direction;
  /** SIP headers of the caller; for outbound calls, those that the service sends. */
  headers?: SipHeaders;
  /** For outbound calls: behaviour and ringing time of the callee. */
  callee?: CalleePlan;
  ringTimeoutMs?: number;
  /** Behaviour of parties that the flow calls. Default: they answer at once. */
  parties?: (request: DialRequest) => CalleePlan | undefined;
  /** Called with the far end of every party that the flow calls, before any event on it. */
  onDial?: (farEnd: FarEnd, request: DialRequest) => void;
  /** Behaviour of a stream receiver. Default: it accepts. */
  sink?: (url: string) => SinkPlan;
  /** Mocked state of queues for steps that check them. */
  queues?: QueueMocks;
  /** Members in queues, conferences and rooms before the call. */
  others?: Others;
  /** Acts of the AI agent of a step. Default: it is unreachable. */
  agent?: (step: string) => readonly SimulatedAgentAct[] | undefined;
  /** Allowed caller IDs. Absent: any. */
  numbers?: readonly string[];
  rooms?: readonly { roomId: string; pin?: string; name?: string }[];
  strictBridgeState?: boolean;
  input?: JsonObject;
  env?: JsonObject;
  timezone?: string;
  secrets?: JsonObject;
  schedules?: Readonly<Record<string, Json>>;
  eventUrl?: string;
  audio?: Pick<AudioSource, 'durationMs'>;
  http?: RuntimePorts['http'];
  /** Accepts orders of calls by the rules of the service; `placed` receives each. Absent: `http` answers them. */
  orders?: Pick<SimulatedOrderOptions, 'placed'>;
  /** Called with every committed journal entry. */
  onEntry?: (entry: JournalEntry) => void;
}

/** Another caller. */
export interface AdditionalCaller {
  from: string;
  /** Called number. Default: that of the call. */
  to?: string;
  headers?: SipHeaders;
  /** Flow that answers the call. Default: the flow under test. */
  flow?: CompiledFlow;
  input?: JsonObject;
}

export class SimulatedCall {
  readonly clock: VirtualClock;
  readonly journal: JournalEntry[] = [];
  /** Errors that the runtime did not handle: always empty, unless the runtime has a bug. */
  readonly crashes: unknown[] = [];
  /** Conferences, queues and rooms. */
  readonly places: CallVenues;
  readonly #options: SimulatedCallOptions;
  readonly #supervisor: Supervisor;
  readonly #engine: SimulatedEngine;
  readonly #guests = new Map<string, AdditionalCaller>();
  #farEnd: FarEnd | undefined;
  #ownLegId = '';
  #calls = 0;
  #run: CallRun | undefined;
  #isOver = false;

  /** Starts the call: it is arriving, or its callee has just been dialled. */
  static async open(options: SimulatedCallOptions): Promise<SimulatedCall> {
    const call = new SimulatedCall(options);
    await call.clock.settle();
    return call;
  }

  private constructor(options: SimulatedCallOptions) {
    this.#options = options;
    this.clock = new VirtualClock(options.startMs, options.settling);
    const ids = countingIds();
    this.#engine = new SimulatedEngine({
      clock: this.clock,
      ids,
      audio: options.audio ?? silentAudio(),
      callee: (request) =>
        (request.legId === this.#ownLegId ? options.callee : options.parties?.(request)) ?? { does: 'answer' },
      dialled: (farEnd, request) => {
        if (request.legId === this.#ownLegId) this.#farEnd = farEnd;
        else options.onDial?.(farEnd, request);
      },
      sink: options.sink,
      ...(options.agent && { agent: options.agent }),
    });
    const rooms = (options.rooms ?? []).map((room) => ({ projectId: PROJECT_ID, name: room.roomId, ...room }));
    this.places = createVenues({ clock: this.clock, ids, rooms: configuredRooms(rooms) });
    this.places.queue.useDesk(simulatedDesk(ids));
    this.#supervisor = createSupervisor({
      owner: 'simulation',
      clock: this.clock,
      ids,
      engine: this.#engine,
      callStore: {
        commit: async (write) => {
          if (write.record.callId !== CALL_ID) return;
          this.journal.push(...write.entries);
          for (const entry of write.entries) this.#options.onEntry?.(entry);
        },
      },
      flow: (flow) => options.flows?.(flow),
      steps: options.steps ?? stepsByVerb,
      http: this.#outside(),
      deliveriesOf: () => [],
      recordings: recordingNamesInMemory(),
      venues: this.#venues(),
      mayPresent: (_projectId, cli) => options.numbers?.includes(cli) ?? true,
      mayStream: () => true,
      doNotCall: optOutOfNothing,
      onCrash: (_callId, error) => this.crashes.push(error),
    });
    void this.#engine.start({
      incoming: ({ legId, headers }) => this.#begin(legId, headers),
      event: (legId, event) => this.#supervisor.legEvent(legId, event),
    });
    const { from, to } = this;
    const said = options.headers && { headers: options.headers };
    if (options.direction === 'outbound') {
      const legId = ids.next('leg');
      this.#ownLegId = legId;
      const ringTimeoutMs = options.ringTimeoutMs ?? 30_000;
      this.#begin(legId, undefined, { legId, from, to, ringTimeoutMs, ...said });
    } else {
      this.#farEnd = this.#engine.call({ from, to, ...said });
      this.#ownLegId = this.#farEnd.legId;
    }
  }

  get farEnd(): FarEnd {
    return this.#farEnd!;
  }

  get from(): string {
    return this.#options.from ?? '+33612345678';
  }

  get to(): string {
    return this.#options.to ?? '+33199001122';
  }

  /** True if the call has ended and its journal is complete. */
  get hasEnded(): boolean {
    return this.#isOver;
  }

  get run(): CallRun | undefined {
    return this.#run;
  }

  /** Places the call of another caller. */
  addCaller(caller: AdditionalCaller): FarEnd {
    const { from, to = this.to, headers } = caller;
    const farEnd = this.#engine.call(defined({ from, to, headers }));
    this.#guests.set(farEnd.legId, caller);
    return farEnd;
  }

  /** Sends a command, as an application does by REST. */
  command(command: CallCommand): Promise<CommandReply> {
    return this.#supervisor.command(CALL_ID, command);
  }

  /** Advances time until the call has ended, by at most `limitMs`. */
  async runUntilEnd(limitMs: number = Number.POSITIVE_INFINITY): Promise<void> {
    const untilMs = this.clock.now() + limitMs;
    while (!this.#isOver && (await this.clock.advanceToNext(untilMs))) {
      // Each iteration advances to one deadline.
    }
    if (!this.#isOver && Number.isFinite(untilMs)) await this.clock.advanceTo(untilMs);
  }

  /** Ends everything that is still active, including the calls of other callers. */
  async close(): Promise<void> {
    const drained = this.#supervisor.drain({ hangUp: true });
    while (await this.clock.advanceToNext(this.clock.now() + MAX_END_MS)) {
      if (this.#supervisor.liveCalls === 0) break;
    }
    await drained;
  }

  /** Answers the requests and orders of the flow. */
  #outside(): RuntimePorts['http'] {
    const { http = noNetwork, orders, flow, flows } = this.#options;
    if (orders === undefined) return http;
    const find = (named: string | JsonObject): CompiledFlow | undefined =>
      flows?.(named) ?? (named === flow.name ? flow : undefined);
    // Numbers without a country, as in a private network, allow no country of their own.
    const number = this.to.startsWith('+') ? this.to : this.from;
    const place = simulatedOrders({ clock: this.clock, number, flow: find, ...orders });
    return (request, projectId, ...more) =>
      request.call ? place(request.call, projectId) : http(request, projectId, ...more);
  }

  #venues(): RuntimePorts['venues'] {
    const { queue, conference, room } = this.places;
    const { queues = {}, others } = this.#options;
    const mocked = mockedQueues(queue, queues, this.clock);
    if (others === undefined) return { ...this.places, queue: mocked };
    return {
      queue: withOthers(mocked, others.queue, this.clock),
      conference: withOthers(conference, others.conference, this.clock),
      room: withOthers(room, others.room, this.clock),
    };
  }

  #begin(legId: string, headers?: SipHeaders, dial?: CallSpec['dial']): void {
    const { flow, seed = DEFAULT_SEED, input = {}, eventUrl, strictBridgeState } = this.#options;
    const { env = {}, timezone, secrets = {}, schedules = {} } = this.#options;
    const caller = this.#guests.get(legId);
    const call = ++this.#calls;
    const run = this.#supervisor.start({
      callId: caller ? `${CALL_ID}-guest-${call}` : CALL_ID,
      projectId: PROJECT_ID,
      direction: dial ? 'outbound' : 'inbound',
      from: caller?.from ?? this.from,
      to: caller?.to ?? this.to,
      legId,
      headers,
      dial,
      flow: caller?.flow ?? flow,
      input: caller ? (caller.input ?? {}) : input,
      // Two calls must not draw the same random numbers.
      seed: seed + call - 1,
      env,
      timezone,
      secrets,
      schedules,
      eventUrl: caller ? undefined : eventUrl,
      strictBridgeState,
    });
    if (caller) return;
    this.#run = run;
    void run.done.then(() => {
      this.#isOver = true;
    });
  }
}

const noNetwork: RuntimePorts['http'] = async ({ name }) => ({
  ok: false,
  reason: 'network',
  message: `${name}: there is no network`,
});

/** Keeps names of recordings without audio. */
function recordingNamesInMemory(): RecordingFiles {
  const names = new Set<string>();
  return {
    open({ recordingId, callId, name }) {
      if (name !== undefined && names.has(name)) return { fault: fault('name_taken', `there is a recording ${name}`) };
      if (name !== undefined) names.add(name);
      return { file: `${callId}/${recordingId}.wav` };
    },
    close: () => undefined,
  };
}
