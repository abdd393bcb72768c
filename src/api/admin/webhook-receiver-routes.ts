/** The servers that events go to, as far as anything waits for them. */
import { type RequestHandler, Router } from 'express';
import { defined, type JsonObject } from '../../core/json.ts';
import type { ReceiverView } from '../../observers/webhooks/dispatcher.ts';
import { only } from '../route-parts.ts';
import type { AdminParts } from './admin-routes.ts';

/** Who has more of them looks at the metrics. */
const MOST_SHOWN = 500;

const STATES = { closed: 'up', recovering: 'recovering', open: 'down' } as const;

export function receiverRoutes({ deliveries, now }: AdminParts): Router {
  const list: RequestHandler = (_req, res) => {
    const receivers = deliveries.receivers().sort((a, b) => b.waiting - a.waiting);
    res.json({ receivers: receivers.slice(0, MOST_SHOWN).map(receiverBody), timestamp: now() });
  };
  const router = Router();
  router.route('/receivers').get(list).all(only('GET'));
  return router;
}

const receiverBody = ({
  projectId,
  origin,
  waiting,
  inFlight,
  state,
  openedMs,
  nextProbeMs,
}: ReceiverView): JsonObject =>
  defined({
    app_id: projectId,
    origin,
    state: STATES[state],
    waiting,
    in_flight: inFlight,
    down_since: openedMs === undefined ? undefined : iso(openedMs),
    next_probe: nextProbeMs === undefined ? undefined : iso(nextProbeMs),
  });

const iso = (atMs: number): string => new Date(atMs).toISOString();
