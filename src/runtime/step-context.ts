/** All that a step sees of its call and its flow (`steps/step.ts`, S3). */
import type { StepContext } from '../steps/step.ts';
import { stepLeg } from './step-line.ts';
import type { CallDoor, FlowDoor, Visit } from './visit.ts';

export function stepContext(visit: Visit, call: CallDoor, flow: FlowDoor): StepContext {
  const { step } = visit;
  const { outlook } = flow;
  return {
    step: step.name,
    visit: visit.number,
    count: visit.count,
    input: visit.input,
    args: step.args,
    sensitive: step.sensitive,
    locale: outlook.locale(step),
    eventUrl: call.eventUrl,
    call: outlook.callScope,
    now: () => call.nowMs,
    random: () => call.random(),
    leg: stepLeg(visit, call),
    prompt: async (written) => outlook.prompt(written, step),
    render: (written, result) => {
      visit.saysResult ||= step.sensitive && result !== undefined;
      return outlook.render(written, result);
    },
    test: (expression, result) => outlook.test(expression, result),
    http: (request) => {
      const requestId = call.nextId('request');
      call.startRequest(visit, requestId, request);
      return requestId;
    },
    notify: (event, body) => call.note({ kind: 'notified', event, body }),
    log: (level, message, fields) => call.note({ kind: 'log', level, message, fields }),
    callFlow: async (called, input) => flow.callFlow(called, input),
    branch: async (name, called, input) => flow.branchOff(visit, name, called, input),
    dial: (request) => visit.handle(call.parties.dial(visit, request)),
    get parties() {
      return call.parties.of(visit).map((line) => visit.handle(line));
    },
    keep(party, music) {
      const line = visit.lineOf(party);
      if (line) call.parties.keep(line, music);
    },
    get partner() {
      const line = call.parties.partner;
      return line && visit.handle(line);
    },
    takePartner() {
      const line = call.parties.takePartner(visit);
      return line && visit.handle(line);
    },
    takeOver: (replacesLegId) => call.takeOver(visit, replacesLegId),
    bridge: (progress) => call.bridges.progress(progress, visit.number),
    enter: (kind, name, options) => call.places.enter(visit, kind, name, options),
    tellVenue: (ticket, name, data) => call.places.tell(ticket, name, data),
    exit: (ticket) => call.places.exit(ticket),
    background: call.background.door(visit.number),
    schedule: (name) => outlook.schedule(name),
  };
}
