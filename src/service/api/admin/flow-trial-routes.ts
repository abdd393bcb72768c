/**
 * Admin routes to try flows: simulated calls, tests, replays of recorded calls, and requests of steps. They save nothing
 * and place no calls.
 */
import { defined, isObject, type JsonObject } from '../../../base/core/json.ts';
import { CallError } from '../../calls/call-error.ts';
import { bodyReader } from '../body-reader.ts';
import { type AdminRequest, type AdminRoute, adminRoute, one, signalOf } from './admin-route.ts';

const readSimulation = bodyReader('admin/flow-simulation');
const readTests = bodyReader('admin/flow-tests');
const readTakeOver = bodyReader('admin/flow-take-over');
const readWay = bodyReader('admin/flow-way');
const readRequest = bodyReader('admin/flow-request');
const readReplay = bodyReader('admin/flow-replay');

const LAST_CALLS = 200;
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/;

function nameOf({ params: { name } }: AdminRequest): string {
  if (NAME.test(name)) return name;
  throw new CallError('unknown_flow', 'this is not a valid flow name');
}

/** A trial cancels the previous one with the same `session`. */
const optionsOf = ({ res, who }: AdminRequest, session: string | undefined) => ({
  signal: signalOf(res),
  ...(session === undefined ? {} : { session: `${who} ${session}` }),
});

export const FLOW_TRIAL_ROUTES: readonly AdminRoute[] = [
  adminRoute('POST', '/flows/simulate', {
    summary: 'simulates a call of a flow in virtual time up to the last act, and returns its state',
    body: 'flow-simulation',
    response: one('flow-simulation'),
    errors: ['unknown_flow', 'flow_invalid', 'script_invalid', 'superseded', 'workbench_busy'],
    changesNothing: true,
    handle(request, { flowTrials }) {
      const { name, text, session, breakpoints, passed_stops, until, ...form } = readSimulation(request.body);
      const how = defined<{ breakpoints?: string[]; passedStops?: number; until?: 'acts' | 'quiet' | 'end' }>({
        ...{ breakpoints, passedStops: passed_stops, until },
      });
      const order = { ...how, name, text, form: form as unknown as JsonObject };
      return flowTrials.simulate(order, optionsOf(request, session));
    },
  }),
  adminRoute('POST', '/flows/{name}/tests/run', {
    summary: 'runs the tests of a flow, saved or not, and returns their coverage',
    body: { schema: 'admin/flow-tests', isRequired: false },
    response: one('flow-tests'),
    errors: ['unknown_flow', 'flow_invalid', 'superseded', 'workbench_busy'],
    changesNothing: true,
    handle(request, { flowTrials }) {
      const { session, ...order } = readTests(request.body);
      const wanted = defined<Parameters<typeof flowTrials.test>[0]>({ name: nameOf(request), ...order });
      return flowTrials.test(wanted, optionsOf(request, session));
    },
  }),
  adminRoute('POST', '/flows/{name}/tests/take-over', {
    summary: 'converts a recorded call to the text of a test, and runs it without saving it',
    changesNothing: true,
    body: 'flow-take-over',
    response: one('flow-take-over'),
    errors: ['unknown_flow', 'unknown_call', 'flow_invalid', 'script_invalid', 'superseded', 'workbench_busy'],
    handle(request, { flowTrials }) {
      const { session, text, voice_id: voiceId, test } = readTakeOver(request.body);
      const order = { name: nameOf(request), text, voiceId, title: test ?? `behaviour of call ${voiceId}` };
      return flowTrials.takeOver(order, optionsOf(request, session));
    },
  }),
  adminRoute('POST', '/flows/{name}/way', {
    summary: 'returns the shortest known path to a step: from the tests or, on request, from a search',
    changesNothing: true,
    body: 'flow-way',
    response: one('flow-way'),
    errors: ['unknown_flow', 'flow_invalid', 'superseded', 'workbench_busy'],
    handle(request, { flowTrials }) {
      const { session, ...order } = readWay(request.body);
      const wanted = defined<Parameters<typeof flowTrials.wayTo>[0]>({ name: nameOf(request), ...order });
      return flowTrials.wayTo(wanted, optionsOf(request, session));
    },
  }),
  adminRoute('POST', '/flows/{name}/request', {
    summary: 'renders the HTTP request of a step with example values and, if wanted, sends it, and returns the answer',
    changesNothing: (body) => !(isObject(body) && body['send'] === true),
    limit: { burst: 20, perSecond: 2 },
    body: 'flow-request',
    response: one('flow-request'),
    errors: ['unknown_flow', 'flow_invalid', 'script_invalid', 'superseded', 'workbench_busy'],
    handle(request, { flowTrials }) {
      const { session, text, step, values = {}, send } = readRequest(request.body);
      const order = { name: nameOf(request), text, step, values: values as JsonObject, isSent: send };
      return flowTrials.request(order, optionsOf(request, session));
    },
  }),
  adminRoute('POST', '/flows/{name}/replay', {
    summary: 'replays recent calls with the current flow, and compares the results',
    body: { schema: 'admin/flow-replay', isRequired: false },
    response: one('flow-replay'),
    errors: ['unknown_flow', 'unknown_call', 'flow_invalid', 'superseded', 'workbench_busy'],
    changesNothing: true,
    handle(request, { flowTrials }) {
      const { session, text, calls = LAST_CALLS } = readReplay(request.body);
      const order = { name: nameOf(request), text, calls };
      return flowTrials.replay(order, optionsOf(request, session));
    },
  }),
];
