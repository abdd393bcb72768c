/**
 * Spans of one call, derived from its journal: the call; below it each step, nested like its flows; below a step its
 * requests and called parties. Invariant: `tracing.ts` defines which data spans contain.
 */
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { ATTR_ERROR_TYPE, ATTR_HTTP_RESPONSE_STATUS_CODE } from '@opentelemetry/semantic-conventions';
import type { HttpReply } from '../../../base/core/http-exchange.ts';
import { forKind, type KindTable } from '../../../base/core/kind-table.ts';
import type { LegEvent } from '../../../base/core/leg.ts';
import { maskNumber } from '../../../base/core/log.ts';
import type { CallRecord, JournalEntry, JournalEntryOf } from '../../runtime/journal.ts';
import { exchangeAttributes } from './exchange-attributes.ts';
import type { TracedCall } from './tracing.ts';

interface OpenStep {
  span: Span;
  depth: number;
  branch: string | undefined;
}

/** Keys pressed by callers are outcomes of menus. */
const KEYS = /^[0-9A-D*#]+$/;

export class CallSpans {
  readonly root: Span;
  readonly #tracer: Tracer;
  /** Spans of steps that were entered and not left, by step run, innermost last. */
  readonly #steps = new Map<number, OpenStep>();
  readonly #requests = new Map<string, Span>();
  readonly #legs = new Map<string, Span>();
  #end: JournalEntryOf<'ended'> | undefined;

  constructor(tracer: Tracer, call: TracedCall, { parent, startTime }: { parent: Context; startTime: number }) {
    const { callId, projectId, direction, from, to, flow } = call;
    const attributes = named({
      ...{ 'call.id': callId, project: projectId, direction, from: maskNumber(from), to: maskNumber(to) },
      ...{ flow: flow.name, 'flow.hash': flow.hash },
    });
    const kind = direction === 'inbound' ? SpanKind.SERVER : SpanKind.INTERNAL;
    this.#tracer = tracer;
    this.root = tracer.startSpan(`call ${flow.name}`, { kind, startTime, attributes }, parent);
  }

  request(requestId: string): Span | undefined {
    return this.#requests.get(requestId);
  }

  /** True if the call is over and its spans have ended. */
  follow(entry: JournalEntry, record: CallRecord): boolean {
    forKind(this.#followed, entry)?.(entry, record);
    if (this.#end === undefined || record.endedMs === undefined) return false;
    this.#finish(this.#end, record, entry.atMs);
    return true;
  }

  readonly #followed: KindTable<JournalEntry, [CallRecord], void> = {
    state: ({ state, atMs }) => void this.root.addEvent(state, atMs),
    entered: (entry) => this.#enter(entry),
    left: (entry) => this.#leave(entry),
    request: ({ requestId, visit, method, url, atMs: startTime }) => {
      const attributes = exchangeAttributes({ method, url });
      this.#requests.set(requestId, this.#below(visit, `request ${method}`, { startTime, attributes }));
    },
    dialled: ({ leg, visit, to, atMs: startTime }) => {
      const attributes = named({ 'leg.id': leg, to: maskNumber(to) });
      this.#legs.set(leg, this.#below(visit, 'dial', { startTime, attributes }));
    },
    in: ({ input, atMs }) => {
      if (input.type === 'http') this.#answer(input.requestId, input.reply, atMs);
      else if (input.type === 'leg' && input.leg !== undefined) this.#legEvent(input.leg, input.event, atMs);
    },
    ended: (entry) => {
      this.#end = entry;
    },
  };

  #below(visit: number, name: string, options: { startTime: number; attributes: Attributes }): Span {
    const parent = this.#steps.get(visit)?.span ?? this.root;
    return this.#tracer.startSpan(name, { kind: SpanKind.CLIENT, ...options }, within(parent));
  }

  #enter({ step, verb, visit, depth, flow, branch, atMs: startTime }: JournalEntryOf<'entered'>): void {
    const attributes = named({ step, verb, flow, visit });
    const span = this.#tracer.startSpan(
      `${verb} ${step}`,
      { startTime, attributes },
      within(this.#above(depth, branch)),
    );
    this.#steps.set(visit, { span, depth, branch });
  }

  /** The step that called the flow, or that started it as a branch: `7.agents` is a branch of step run 7. */
  #above(depth: number, branch: string | undefined): Span {
    const open = [...this.#steps.values()].findLast((step) => step.branch === branch && step.depth < depth);
    return (
      open?.span ?? (branch === undefined ? undefined : this.#steps.get(Number.parseInt(branch, 10))?.span) ?? this.root
    );
  }

  #leave({ visit, outcome, fault, atMs }: JournalEntryOf<'left'>): void {
    const span = this.#steps.get(visit)?.span;
    if (!span) return;
    this.#steps.delete(visit);
    span.setAttributes(named({ outcome: KEYS.test(outcome) ? 'choice' : outcome }));
    if (fault) fail(span, fault.code);
    span.end(atMs);
  }

  #answer(requestId: string, reply: HttpReply, atMs: number): void {
    const span = this.#requests.get(requestId);
    if (!span) return;
    this.#requests.delete(requestId);
    if (reply.ok) span.setAttribute(ATTR_HTTP_RESPONSE_STATUS_CODE, reply.status);
    if (!reply.ok) fail(span, reply.reason);
    else if (reply.status >= 400) fail(span, String(reply.status));
    span.end(atMs);
  }

  #legEvent(leg: string, event: LegEvent, atMs: number): void {
    const span = this.#legs.get(leg);
    if (!span) return;
    if (event.type === 'ringing' || event.type === 'answered' || event.type === 'early_media') {
      span.addEvent(event.type, atMs);
    } else if (event.type === 'ended') {
      this.#legs.delete(leg);
      span.setAttributes(named({ cause: event.cause.code, ended_by: event.by, 'sip.status': event.sipStatus }));
      span.end(atMs);
    }
  }

  #finish({ reason, fault }: JournalEntryOf<'ended'>, { state, cause }: CallRecord, atMs: number): void {
    for (const { span } of [...this.#steps.values()].reverse()) span.end(atMs);
    for (const span of [...this.#requests.values(), ...this.#legs.values()]) span.end(atMs);
    this.root.setAttributes(named({ state, cause: cause?.code, end: reason }));
    if (fault) fail(this.root, fault.code);
    else if (reason === 'lost') fail(this.root, reason);
    this.root.end(atMs);
  }
}

export const within = (span: Span): Context => trace.setSpan(ROOT_CONTEXT, span);

export function fail(span: Span, code: string): void {
  span.setAttribute(ATTR_ERROR_TYPE, code).setStatus({ code: SpanStatusCode.ERROR, message: code });
}

/** Prefixes the names, and omits undefined values. */
const named = (attributes: Record<string, string | number | undefined>): Attributes =>
  Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) => (value === undefined ? [] : [[`callweave.${name}`, value]])),
  );
