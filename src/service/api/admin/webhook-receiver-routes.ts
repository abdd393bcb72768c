/** Admin routes for webhook receivers with waiting events. */
import { defined, type JsonObject } from '../../../base/core/json.ts';
import type { ReceiverView } from '../../observers/webhooks/receiver.ts';
import { optionalIso } from '../response-bodies.ts';
import { adminRoute, many } from './admin-route.ts';

/** Maximum number in the response; metrics count all of them. */
const MAX_SHOWN = 500;

const STATES = { closed: 'up', recovering: 'recovering', open: 'down' } as const;

export const LIST_RECEIVERS = adminRoute('GET', '/receivers', {
  summary: 'lists the servers with pending events and their state, those with the most events first',
  response: many('receivers', 'receiver'),
  handle: async (_request, { deliveries }) =>
    (await deliveries.receivers())
      .sort((one, other) => other.waiting - one.waiting)
      .slice(0, MAX_SHOWN)
      .map(receiverBody),
});

const receiverBody = (receiver: ReceiverView): JsonObject =>
  defined({
    app_id: receiver.projectId,
    origin: receiver.origin,
    state: STATES[receiver.state],
    waiting: receiver.waiting,
    in_flight: receiver.inFlight,
    down_since: optionalIso(receiver.openedMs),
    next_probe: optionalIso(receiver.nextProbeMs),
  });
