/** `GET /voice/v1/flow/{name}/graph`: graph of a flow in the current version, or in the version that a call ran. */
import { defined, type JsonObject } from '../../base/core/json.ts';
import { readQuery } from './query-parameters.ts';
import { stateOf } from './request-context.ts';
import type { QueryParameter } from './route.ts';
import { voiceRoute } from './voice-route.ts';

const VERSION: QueryParameter = {
  name: 'version',
  description: 'Hash of the version. Default: the version that the next call uses.',
  schema: { type: 'string' },
};

export const FLOW_GRAPH_ROUTES = [
  voiceRoute('Calls', 'GET', '/voice/v1/flow/{name}/graph', {
    summary: 'returns a flow of the project as a graph: steps with their exits, events and defaults',
    query: [VERSION],
    response: 'flow-graph',
    errors: ['bad_request', 'unknown_flow'],
    async handle({ projectId, params, url, res }, { flowGraphs }) {
      const { version } = readQuery<{ version?: string }>(url, [VERSION]);
      const owner = stateOf(res).administrator ? undefined : projectId;
      const graph = await flowGraphs.draw(defined({ name: params.name, version, projectId: owner }));
      return { result: 0, ...graph } as unknown as JsonObject;
    },
  }),
];
