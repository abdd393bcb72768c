/** Interface of a step to its call and its flow (`language/steps/step.ts`, S3): one context per step run. */
import { type Fault, fault } from '../../base/core/fault.ts';
import type { HttpRequest } from '../../base/core/http-exchange.ts';
import type { Json, JsonObject } from '../../base/core/json.ts';
import type { AudioItem } from '../../base/core/leg.ts';
import type { VenueKind } from '../../base/core/venue-kind.ts';
import { HOLD_MUSIC } from '../../language/flow/built-in-sounds.ts';
import type { ItemNames } from '../../language/flow/compiled-flow.ts';
import { ownHours } from '../../language/flow/own-hours.ts';
import type {
  BackgroundAnswer,
  BackgroundCommand,
  BridgeProgress,
  PartyRequest,
  StepContext,
  StepLeg,
  StepParty,
} from '../../language/steps/step.ts';
import type { CallContext } from './call-context.ts';
import { type FlowFrame, requestFlow } from './flow-frame.ts';
import { MASK } from './journal.ts';
import type { LegState } from './legs.ts';
import { StepRunLeg } from './step-leg.ts';
import type { FlowRequest, StepRun } from './step-run.ts';

/** Starts and ends branches of step runs. */
interface StepBranches {
  startBranch(stepRun: StepRun, name: string, request: FlowRequest): void;
  endBranch(stepRun: StepRun, name: string): Promise<void>;
}

export class StepRunContext implements StepContext {
  readonly step: string;
  readonly runNumber: number;
  readonly count: number;
  readonly input: Json;
  readonly args: Json;
  readonly sensitive: boolean;
  readonly locale: string;
  readonly timezone: string;
  readonly eventUrl: string | undefined;
  readonly leg: StepLeg;
  readonly #stepRun: StepRun;
  readonly #call: CallContext;
  readonly #frame: FlowFrame;
  readonly #branches: StepBranches;
  /** Handles by leg id: a leg always has the same handle. */
  #handles: Map<string, StepParty> | undefined;

  constructor(stepRun: StepRun, call: CallContext, frame: FlowFrame, branches: StepBranches) {
    const { step, number, count, input } = stepRun;
    this.step = step.name;
    this.runNumber = number;
    this.count = count;
    this.input = input;
    this.args = step.args;
    this.sensitive = step.sensitive;
    this.locale = stepRun.voiceSettings.locale;
    this.eventUrl = call.spec.eventUrl;
    this.timezone = frame.timezone ?? 'UTC';
    this.leg = new StepRunLeg(call.legs.main, stepRun, call);
    this.#stepRun = stepRun;
    this.#call = call;
    this.#frame = frame;
    this.#branches = branches;
  }

  // The flow

  async prompt(written: Json): Promise<AudioItem[]> {
    return this.#frame.prompt(written, this.#stepRun.voiceSettings);
  }

  render(written: Json, at: string, result?: Json, names?: ItemNames): Promise<Json> {
    this.#stepRun.saysResult ||= this.sensitive && result !== undefined;
    const { secretPlaces, places } = this.#stepRun.step;
    return this.#frame.render(written, result, {
      names,
      secrets: secretPlaces,
      places: (inside) => places(at + inside),
      locale: this.locale,
    });
  }

  test(expression: string, result?: Json): Promise<boolean> {
    return this.#frame.test(expression, result);
  }

  routes(outcome: string): boolean {
    return this.#frame.routes(this.#stepRun.step, outcome);
  }

  schedule(written: Json): Json | undefined {
    const own = ownHours(this.#frame.flow, written);
    return own ?? (typeof written === 'string' ? this.#call.spec.schedules[written] : undefined);
  }

  #requestFlow(named: string | JsonObject, input: JsonObject): ReturnType<typeof requestFlow> {
    return requestFlow(this.#call, { by: this.#frame.flow, named, input, voiceSettings: this.#stepRun.voiceSettings });
  }

  async callFlow(flow: string | JsonObject, input: JsonObject): Promise<Fault | undefined> {
    const request = this.#requestFlow(flow, input);
    if ('fault' in request) return request.fault;
    this.#stepRun.calledFlow = request;
    return undefined;
  }

  keepResult(soFar: (output?: Json) => JsonObject): void {
    this.#stepRun.resultSoFar = soFar;
  }

  async continueWith(flow: string | JsonObject, input: JsonObject): Promise<Fault | undefined> {
    const request = this.#requestFlow(flow, input);
    if ('fault' in request) return request.fault;
    this.#stepRun.nextFlow = request;
    return undefined;
  }

  startBranch(name: string, flow: string, input: JsonObject): Fault | undefined {
    const request = this.#requestFlow(flow, input);
    if ('fault' in request) return request.fault;
    this.#branches.startBranch(this.#stepRun, name, request);
    return undefined;
  }

  endBranch(name: string): Promise<void> {
    return this.#branches.endBranch(this.#stepRun, name);
  }

  // The call

  get call(): JsonObject {
    return this.#frame.callData;
  }

  background(command: BackgroundCommand): BackgroundAnswer {
    return this.#call.media.perform(command, this.runNumber);
  }

  now(): number {
    return this.#call.clock.nowMs;
  }

  wallMs(): number {
    return this.#call.clock.wallMs;
  }

  random(): number {
    return this.#call.random();
  }

  http(request: HttpRequest): string {
    const { method, url, body } = request;
    const requestId = this.#call.transaction.nextId('request');
    const abort = new AbortController();
    this.#stepRun.expect(requestId, { abort });
    const journalled = this.sensitive && body !== undefined ? MASK : body;
    this.#call.append({ kind: 'request', requestId, visit: this.runNumber, method, url, body: journalled });
    this.#call.request(requestId, request, abort.signal);
    return requestId;
  }

  notify(event: string, body: Json): void {
    this.#call.append({ kind: 'notified', event, body });
  }

  log(level: 'info' | 'warn' | 'error', message: string, fields: JsonObject): void {
    this.#call.append({ kind: 'log', level, message, fields });
  }

  doNotCall(number: string): Fault | undefined {
    const { ports, record, transaction } = this.#call;
    const listing = ports.doNotCall?.(record.projectId, number) ?? { wrong: 'cannot be listed here' };
    if ('wrong' in listing) return fault('number_invalid', `the number ${listing.wrong}`);
    transaction.onCommit(listing.add);
    return undefined;
  }

  // Parties and venues

  get parties(): readonly StepParty[] {
    return this.#call.legs.partiesOf(this.runNumber).map((leg) => this.#handleOf(leg));
  }

  get heldPeer(): StepParty | undefined {
    const { heldPeer } = this.#call.legs;
    return heldPeer && this.#handleOf(heldPeer);
  }

  dial(request: PartyRequest): StepParty {
    return this.#handleOf(this.#call.legs.dial(request, this.runNumber));
  }

  keepOnInterrupt(party: StepParty, music: readonly AudioItem[] = HOLD_MUSIC): void {
    const leg = this.#call.legs.partiesOf(this.runNumber).find(({ legId }) => legId === party.id);
    if (leg) leg.heldMusic = music;
  }

  takeHeldPeer(): StepParty | undefined {
    const leg = this.#call.legs.takeHeldPeer(this.runNumber);
    return leg && this.#handleOf(leg);
  }

  requestPeer(replacesLegId: string): void {
    const { registry, transaction } = this.#call;
    transaction.onCommit(() => registry.takeOver(replacesLegId, this.runNumber));
  }

  reportBridge(progress: BridgeProgress): void {
    this.#call.bridges.progress(progress, this.runNumber);
  }

  enterVenue(kind: VenueKind, name: string, options: JsonObject): string {
    const { memberships, legs } = this.#call;
    return memberships.enter({ stepRun: this.runNumber, legId: legs.main.legId }, kind, name, options);
  }

  sendToVenue(memberId: string, name: string, data: Json): void {
    this.#call.memberships.send(memberId, name, data);
  }

  exitVenue(memberId: string): void {
    this.#call.memberships.exit(memberId);
  }

  #handleOf(leg: LegState): StepParty {
    this.#handles ??= new Map();
    const handle = this.#handles.get(leg.legId) ?? new StepRunLeg(leg, this.#stepRun, this.#call);
    this.#handles.set(leg.legId, handle);
    return handle;
  }
}
