/** Admin routes for candidates: saved versions of flows, canaries and publishing. */
import { defined, type JsonObject } from '../../../base/core/json.ts';
import { camelCased, snakeCased } from '../../../base/core/key-case.ts';
import { type Canary, type CanaryEnd, type Side, stateOf } from '../../calls/canaries/canary.ts';
import { bodyReader } from '../body-reader.ts';
import { preconditionOf } from '../preconditions.ts';
import { iso } from '../response-bodies.ts';
import { type AdminRoute, adminRoute, one, signalOf } from './admin-route.ts';
import { flowBody, versionBody } from './flow-routes.ts';

const FLOW = '/flows/{name}';
const CANARY = `${FLOW}/canary`;

const readVersion = bodyReader('admin/flow-version');
const readCanary = bodyReader('admin/flow-canary');
const readPublish = bodyReader('admin/flow-publish');

export const FLOW_CANARY_ROUTES: readonly AdminRoute[] = [
  adminRoute('POST', `${FLOW}/versions`, {
    summary: 'stores a text as a candidate: a version of the flow that is not live',
    body: 'flow-version',
    response: one('flow-version', 201),
    errors: [
      ...(['unknown_flow', 'read_only', 'flow_invalid'] as const),
      ...(['text_malformed', 'text_too_large', 'workbench_busy'] as const),
    ],
    async handle({ params, body, res, who, audit }, { flowCandidates }) {
      const { text } = readVersion(body);
      const version = await flowCandidates.keep(params.name, { text, who, signal: signalOf(res) });
      audit({ after: version.hash });
      return versionBody(version);
    },
  }),
  adminRoute('GET', CANARY, {
    summary: 'returns the active or last canary of a flow, with a comparison of the two versions',
    response: one('flow-canary'),
    errors: ['unknown_setting'],
    handle: ({ params }, { canaries }) => canaryBody(canaries.find(params.name)),
  }),
  adminRoute('PUT', CANARY, {
    summary: 'starts a canary: a share of the callers gets a version from the next call on; or changes the share',
    body: 'flow-canary',
    response: one('flow-canary'),
    errors: ['unknown_flow', 'unknown_setting', 'in_use', 'flow_invalid', 'input_invalid'],
    handle({ params, body, audit }, { canaries }) {
      const { back_when: backWhen, ...order } = readCanary(body);
      const canary = canaries.start({ ...order, name: params.name, backWhen: camelCased(backWhen) });
      audit({ before: canary.compared.inForce.version, after: canary.version });
      return canaryBody(canary);
    },
  }),
  adminRoute('DELETE', CANARY, {
    summary: 'ends the canary: the next call uses the live version; active calls keep their version',
    response: one('flow-canary'),
    errors: ['unknown_setting'],
    handle({ params, who, audit }, { canaries }) {
      const canary = canaries.stop(params.name, who);
      audit({ before: canary.version, after: canary.compared.inForce.version });
      return canaryBody(canary);
    },
  }),
  adminRoute('POST', `${FLOW}/publish`, {
    summary: 'publishes a candidate or an older version as the text of the flow; `ETag` is that of its bytes',
    body: 'flow-publish',
    isConditional: true,
    response: one('flow'),
    errors: [
      ...(['unknown_flow', 'changed_meanwhile', 'read_only', 'flow_invalid', 'input_invalid'] as const),
      ...(['text_malformed', 'text_too_large', 'workbench_busy'] as const),
    ],
    async handle({ params, body, header, res, who, audit }, { flowCandidates }) {
      const order = { ...readPublish(body), precondition: preconditionOf(header), who, signal: signalOf(res) };
      const { saved, before } = await flowCandidates.publish(params.name, order);
      audit({ before, after: saved.etag });
      res.set('etag', `"${saved.etag}"`);
      return flowBody(saved);
    },
  }),
];

function canaryBody(canary: Canary): JsonObject {
  const { version, percent, numbers, backWhen, sinceMs, compared, ended } = canary;
  return defined<JsonObject>({
    ...{ version, percent, numbers: numbers && [...numbers] },
    back_when: snakeCased(backWhen, ['errorsWorseBy', 'abandonedWorseBy', 'afterCalls']),
    since: iso(sinceMs),
    state: stateOf(canary),
    ended: ended && endBody(ended),
    compared: { in_force: sideBody(compared.inForce), canary: sideBody(compared.canary) },
  });
}

const endBody = ({ atMs, why, by }: CanaryEnd): JsonObject => ({ at: iso(atMs), why, by });

function sideBody({ version, calls, errors, abandoned, exits }: Side): JsonObject {
  const rateOf = (count: number): number => (calls === 0 ? 0 : count / calls);
  return {
    ...{ version, calls, errors, abandoned, exits: { ...exits } },
    ...{ error_rate: rateOf(errors), abandonment_rate: rateOf(abandoned) },
  };
}
