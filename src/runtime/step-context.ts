/** All that a step sees of its call and its flow (`steps/step.ts`, S3): one for each visit, made of what the visit has. */
import type { Fault } from '../core/fault.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { AudioItem } from '../core/leg.ts';
import type {
  BridgeProgress,
  HttpRequest,
  PartyRequest,
  StepBackground,
  StepContext,
  StepLeg,
  StepParty,
  VenueKind,
} from '../steps/step.ts';
import { StepRunMainLeg } from './step-leg.ts';
import type { CallDoor, FlowDoor, StepRun } from './step-run.ts';

export class StepRunContext implements StepContext {
  readonly leg: StepLeg;
  readonly #visit: StepRun;
  readonly #call: CallDoor;
  readonly #flow: FlowDoor;

  constructor(stepRun: StepRun, call: CallDoor, flow: FlowDoor) {
    this.leg = new StepRunMainLeg(stepRun, call);
    this.#visit = stepRun;
    this.#call = call;
    this.#flow = flow;
  }

  // The step

  get step(): string {
    return this.#visit.step.name;
  }

  get runNumber(): number {
    return this.#visit.number;
  }

  get count(): number {
    return this.#visit.count;
  }

  get input(): Json {
    return this.#visit.input;
  }

  get args(): Json {
    return this.#visit.step.args;
  }

  get sensitive(): boolean {
    return this.#visit.step.sensitive;
  }

  get locale(): string {
    return this.#flow.scope.locale(this.#visit.step);
  }

  async prompt(written: Json): Promise<AudioItem[]> {
    return this.#flow.scope.prompt(written, this.#visit.step);
  }

  render(written: Json, result?: Json): Promise<Json> {
    this.#visit.saysResult ||= this.sensitive && result !== undefined;
    return this.#flow.scope.render(written, result);
  }

  test(expression: string, result?: Json): Promise<boolean> {
    return this.#flow.scope.test(expression, result);
  }

  schedule(name: string): Json | undefined {
    return this.#flow.scope.schedule(name);
  }

  async callFlow(flow: string | JsonObject, input: JsonObject): Promise<Fault | undefined> {
    return this.#flow.callFlow(flow, input);
  }

  async startBranch(name: string, flow: string, input: JsonObject): Promise<Fault | undefined> {
    return this.#flow.branchOff(this.#visit, name, flow, input);
  }

  // The call

  get call(): JsonObject {
    return this.#flow.scope.callScope;
  }

  get eventUrl(): string | undefined {
    return this.#call.eventUrl;
  }

  get background(): StepBackground {
    return this.#call.media.door(this.runNumber);
  }

  now(): number {
    return this.#call.nowMs;
  }

  wallMs(): number {
    return this.#call.wallMs;
  }

  random(): number {
    return this.#call.random();
  }

  http(request: HttpRequest): string {
    const requestId = this.#call.nextId('request');
    this.#call.startRequest(this.#visit, requestId, request);
    return requestId;
  }

  notify(event: string, body: Json): void {
    this.#call.append({ kind: 'notified', event, body });
  }

  log(level: 'info' | 'warn' | 'error', message: string, fields: JsonObject): void {
    this.#call.append({ kind: 'log', level, message, fields });
  }

  doNotCall(number: string): Fault | undefined {
    return this.#call.doNotCall(number);
  }

  // Others

  get parties(): readonly StepParty[] {
    return this.#call.parties.of(this.#visit).map((leg) => this.#visit.handle(leg));
  }

  get heldPeer(): StepParty | undefined {
    const leg = this.#call.parties.heldPeer;
    return leg && this.#visit.handle(leg);
  }

  dial(request: PartyRequest): StepParty {
    return this.#visit.handle(this.#call.parties.dial(this.#visit, request));
  }

  keepOnInterrupt(party: StepParty, music?: readonly AudioItem[]): void {
    const leg = this.#visit.lineOf(party);
    if (leg) this.#call.parties.keep(leg, music);
  }

  takeHeldPeer(): StepParty | undefined {
    const leg = this.#call.parties.takeHeldPeer(this.#visit);
    return leg && this.#visit.handle(leg);
  }

  requestPeer(replacesLegId: string): void {
    this.#call.takeOver(this.#visit, replacesLegId);
  }

  reportBridge(progress: BridgeProgress): void {
    this.#call.bridges.progress(progress, this.runNumber);
  }

  enterVenue(kind: VenueKind, name: string, options: JsonObject): string {
    return this.#call.memberships.enter(this.#visit, kind, name, options);
  }

  sendToVenue(ticket: string, name: string, data: Json): void {
    this.#call.memberships.send(ticket, name, data);
  }

  exitVenue(ticket: string): void {
    this.#call.memberships.exit(ticket);
  }
}
