/** `POST /voice/v1/webphone`: token for a single call from a browser. */
import { defined, type Json } from '../../base/core/json.ts';
import type { WebphoneOrder } from '../calls/webphone/webphones.ts';
import { badRequest, bodyReader } from './body-reader.ts';
import { iso } from './response-bodies.ts';
import { voiceRoute } from './voice-route.ts';

const webphone = bodyReader('webphone');

function readWebphone(body: Json | undefined): WebphoneOrder {
  const { number, flow, input, from } = webphone(body);
  if ((number === undefined) === (flow === undefined)) throw badRequest('either number or flow is required');
  if (input !== undefined && flow === undefined) throw badRequest('input requires a flow');
  return defined<WebphoneOrder>({ number, flow, input, from });
}

export const WEBPHONE_ROUTES = [
  voiceRoute('Calls', 'POST', '/voice/v1/webphone', {
    summary: 'creates a token for one call from a browser to a number or flow of the project',
    body: 'webphone',
    response: 'webphone',
    errors: ['address_invalid', 'number_not_found', 'unknown_flow', 'flow_invalid', 'input_invalid', 'no_service'],
    handle({ projectId, body }, { webphones, publicUrl }) {
      const { token, expiresMs } = webphones.issue(projectId, readWebphone(body));
      return { result: 0, token, url: `${publicUrl()}/phone#${token}`, expires: iso(expiresMs) };
    },
  }),
];
