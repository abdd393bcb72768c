/**
 * Asks callers of a shared number for a PIN, and starts the call of the entry with this PIN on the same leg. Until then
 * the call belongs to no project: the flow `shared-number-pin` runs under a supervisor that writes no journal.
 * Neighbours: `receive-call.ts` sends callers here, `pin-attempts.ts` limits guessing.
 *
 * Invariants
 *  W1 Events of a leg go to the PIN flow until the PIN is correct, and to the call from then on (`divert`).
 *  - PINs are in no log and no journal, and every wrong PIN gets the same answer.
 *  - A caller with wrong PINs in several calls within a minute is refused before being asked. Callers who were answered
 *    before that are dismissed, unless they entered one of those wrong PINs.
 *  - PINs of a number under attack are checked one after the other: callers may have to wait.
 */
import { NORMAL_CLEARING } from '../../../base/core/causes.ts';
import type { Timer } from '../../../base/core/clock.ts';
import type { HttpReply, HttpRequest } from '../../../base/core/http-exchange.ts';
import { isObject, type JsonObject } from '../../../base/core/json.ts';
import type { LegEvent } from '../../../base/core/leg.ts';
import type { Log } from '../../../base/core/log.ts';
import type { IncomingLeg } from '../../../media/telephony/engine.ts';
import type { CallRun } from '../../runtime/call-run.ts';
import type { RuntimePorts } from '../../runtime/ports.ts';
import { createSupervisor, type Supervisor } from '../../runtime/supervisor.ts';
import { CALL_REFUSALS, type CallRefusal, type CallRefusals } from '../call-refusals.ts';
import type { ProvisionedNumber } from '../numbers/numbers.ts';
import type { PinCheck } from '../pin-queue.ts';
import { type NamedPrompts, namedPrompt } from '../prompts/prompts.ts';
import { createPinAttempts } from './pin-attempts.ts';
import { type AskForPin, rejectCall } from './receive-call.ts';

export interface SharedNumberGateParts {
  /** Ports of normal calls; the store, deliveries and HTTP are replaced. */
  ports: RuntimePorts;
  log: Log;
  refusals: CallRefusals;
  prompts(): NamedPrompts;
  /** Supervisor of the calls. */
  calls: Pick<Supervisor, 'divert'>;
}

const FLOW = 'shared-number-pin';
const MAX_ATTEMPTS = 3;
const MAX_WAIT_MS = 60_000;
/** Inputs of the flow, and the prompts that replace their defaults. */
const PROMPTS = {
  question: 'shared-number',
  wrong: 'shared-number-wrong',
  wait: 'shared-number-wait',
  goodbye: 'shared-number-goodbye',
} as const;

interface Caller {
  leg: IncomingLeg;
  sharers: readonly ProvisionedNumber[];
  connect: Parameters<AskForPin>[2];
  run: CallRun;
  attempts: number;
  /** True if a wrong PIN was entered in this call. */
  hasGuessed: boolean;
  /** True if the refusal is logged. */
  isDismissed: boolean;
  check?: PinCheck;
  /** Result of the last PIN. */
  result?: Promise<HttpReply>;
  timer?: Timer;
}

/** The flow defines the meaning of each status. */
const status = (code: 200 | 403 | 404 | 503): HttpReply => ({ ok: true, status: code, headers: {}, body: null });

export function createSharedNumberGate({ ports, log, refusals, prompts, calls }: SharedNumberGateParts) {
  const { clock, engine } = ports;
  const callers = new Map<string, Caller>();
  const pins = createPinAttempts(clock);

  const supervisor = createSupervisor({
    ...ports,
    engine: { dial: (request) => engine.dial(request), send },
    callStore: { commit: async () => undefined },
    deliveriesOf: () => [],
    http: async (request) => answer(request),
  });

  /** W1: a leg that has moved to its call receives only the end of a prompt; for the flow it has ended. */
  function send(...[legId, command]: Parameters<RuntimePorts['engine']['send']>): void {
    if (callers.has(legId) || command.type === 'stop_play') engine.send(legId, command);
    else if (command.type === 'hangup')
      supervisor.legEvent(legId, { type: 'ended', cause: NORMAL_CLEARING, by: 'near' });
  }

  function answer({ url, body }: HttpRequest): HttpReply | Promise<HttpReply> {
    const { caller: legId, pin = '' } = isObject(body) ? body : {};
    const caller = callers.get(String(legId));
    if (!caller) return status(403);
    if (url.endsWith('/result')) return caller.result ?? status(403);
    caller.attempts++;
    if (pins.isBlocked(caller.leg) && !caller.hasGuessed) return dismiss(caller, 'too_many_wrong_pins');
    return pin === '' ? askAgain(caller) : check(caller, String(pin));
  }

  const askAgain = (caller: Caller): HttpReply =>
    caller.attempts < MAX_ATTEMPTS ? status(404) : dismiss(caller, caller.hasGuessed ? 'wrong_pin' : 'no_pin');

  function dismiss(caller: Caller, refusal: CallRefusal): HttpReply {
    const { from, to, remote } = caller.leg;
    refusals.add(refusal);
    log.info('call.refused', { from, to, remote, why: CALL_REFUSALS[refusal].why });
    caller.isDismissed = true;
    caller.check?.cancel();
    return status(403);
  }

  function check(caller: Caller, pin: string): HttpReply | Promise<HttpReply> {
    const { promise, resolve } = Promise.withResolvers<HttpReply>();
    caller.result = promise;
    caller.check = pins.check(caller.leg, () => {
      caller.timer?.cancel();
      const number = caller.sharers.find((one) => one.pin === pin);
      resolve(number ? connect(caller, number) : refuse(caller));
      return number !== undefined;
    });
    if (!caller.check.waits) return promise;
    caller.timer = clock.after(MAX_WAIT_MS, () => resolve(dismiss(caller, 'guessed_number')));
    return status(503);
  }

  function connect(caller: Caller, number: ProvisionedNumber): HttpReply {
    forget(caller);
    caller.connect(number, caller.run.typedAhead.take());
    return status(200);
  }

  function refuse(caller: Caller): HttpReply {
    if (!caller.hasGuessed) pins.recordWrong(caller.leg);
    caller.hasGuessed = true;
    return askAgain(caller);
  }

  function forget(caller: Caller): void {
    caller.timer?.cancel();
    caller.check?.cancel();
    callers.delete(caller.leg.legId);
    calls.divert(caller.leg.legId, undefined);
  }

  function onEvent(caller: Caller, event: LegEvent): void {
    supervisor.legEvent(caller.leg.legId, event);
    if (event.type !== 'ended') return;
    forget(caller);
    const { from, to, remote } = caller.leg;
    if (!caller.isDismissed) log.info('call.gone_before_pin', { from, to, remote });
  }

  /** Configured prompts, as input of the flow. */
  function input(): JsonObject {
    const named = Object.entries(PROMPTS).map(([name, prompt]) => [name, namedPrompt(prompts(), prompt, undefined)]);
    return Object.fromEntries(named.filter(([, prompt]) => prompt !== undefined)) as JsonObject;
  }

  return {
    ask(leg: IncomingLeg, sharers: readonly ProvisionedNumber[], connect: Caller['connect']): undefined {
      const { legId, from, to } = leg;
      if (pins.isBlocked(leg)) return rejectCall(leg, 'too_many_wrong_pins', { log, engine, refusals });
      const spec = { callId: legId, projectId: '', direction: 'inbound', from, to, legId, announce: false } as const;
      const data = { seed: 0, env: {}, secrets: {}, schedules: {} };
      const run = supervisor.start({ ...spec, ...data, flow: ports.flow(FLOW)!, input: input() });
      const caller: Caller = { leg, sharers, connect, run, attempts: 0, hasGuessed: false, isDismissed: false };
      callers.set(legId, caller);
      calls.divert(legId, (event) => onEvent(caller, event));
    },
    /** Removes PIN attempts of a person. */
    forgetPerson: pins.forget,
    get pendingCallers(): number {
      return callers.size;
    },
    /** Resolves when no caller is entering a PIN; `hangUp` dismisses all callers. */
    drain({ hangUp }: { hangUp: boolean }): Promise<void> {
      if (hangUp) for (const caller of callers.values()) caller.isDismissed = true;
      return supervisor.drain({ hangUp });
    },
  };
}
