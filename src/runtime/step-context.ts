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
import { VisitLeg } from './step-line.ts';
import type { CallDoor, FlowDoor, Visit } from './visit.ts';

export class VisitContext implements StepContext {
  readonly leg: StepLeg;
  readonly #visit: Visit;
  readonly #call: CallDoor;
  readonly #flow: FlowDoor;

  constructor(visit: Visit, call: CallDoor, flow: FlowDoor) {
    this.leg = new VisitLeg(visit, call);
    this.#visit = visit;
    this.#call = call;
    this.#flow = flow;
  }

  // The step

  get step(): string {
    return this.#visit.step.name;
  }

  get visit(): number {
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
    return this.#flow.outlook.locale(this.#visit.step);
  }

  async prompt(written: Json): Promise<AudioItem[]> {
    return this.#flow.outlook.prompt(written, this.#visit.step);
  }

  render(written: Json, result?: Json): Promise<Json> {
    this.#visit.saysResult ||= this.sensitive && result !== undefined;
    return this.#flow.outlook.render(written, result);
  }

  test(expression: string, result?: Json): Promise<boolean> {
    return this.#flow.outlook.test(expression, result);
  }

  schedule(name: string): Json | undefined {
    return this.#flow.outlook.schedule(name);
  }

  async callFlow(flow: string | JsonObject, input: JsonObject): Promise<Fault | undefined> {
    return this.#flow.callFlow(flow, input);
  }

  async branch(name: string, flow: string, input: JsonObject): Promise<Fault | undefined> {
    return this.#flow.branchOff(this.#visit, name, flow, input);
  }

  // The call

  get call(): JsonObject {
    return this.#flow.outlook.callScope;
  }

  get eventUrl(): string | undefined {
    return this.#call.eventUrl;
  }

  get background(): StepBackground {
    return this.#call.background.door(this.visit);
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
    this.#call.note({ kind: 'notified', event, body });
  }

  log(level: 'info' | 'warn' | 'error', message: string, fields: JsonObject): void {
    this.#call.note({ kind: 'log', level, message, fields });
  }

  doNotCall(number: string): Fault | undefined {
    return this.#call.doNotCall(number);
  }

  // Others

  get parties(): readonly StepParty[] {
    return this.#call.parties.of(this.#visit).map((line) => this.#visit.handle(line));
  }

  get partner(): StepParty | undefined {
    const line = this.#call.parties.partner;
    return line && this.#visit.handle(line);
  }

  dial(request: PartyRequest): StepParty {
    return this.#visit.handle(this.#call.parties.dial(this.#visit, request));
  }

  keep(party: StepParty, music?: readonly AudioItem[]): void {
    const line = this.#visit.lineOf(party);
    if (line) this.#call.parties.keep(line, music);
  }

  takePartner(): StepParty | undefined {
    const line = this.#call.parties.takePartner(this.#visit);
    return line && this.#visit.handle(line);
  }

  takeOver(replacesLegId: string): void {
    this.#call.takeOver(this.#visit, replacesLegId);
  }

  bridge(progress: BridgeProgress): void {
    this.#call.bridges.progress(progress, this.visit);
  }

  enter(kind: VenueKind, name: string, options: JsonObject): string {
    return this.#call.places.enter(this.#visit, kind, name, options);
  }

  tellVenue(ticket: string, name: string, data: Json): void {
    this.#call.places.tell(ticket, name, data);
  }

  exit(ticket: string): void {
    this.#call.places.exit(ticket);
  }
}
