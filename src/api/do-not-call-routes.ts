/** Numbers that no broadcast of the project calls, `/voice/v1/do-not-call…`. */

import { type RequestHandler, Router } from 'express';
import { defined } from '../core/json.ts';
import { ApiError } from './api-error.ts';
import { readDoNotCall } from './broadcast-bodies.ts';
import { PAGE, plusOf, readQuery } from './query-parameters.ts';
import { signedInProjectOf } from './request-context.ts';
import { iso } from './response-bodies.ts';
import { bodyOf, only, timestampOf, type VoiceParts } from './route-parts.ts';

type OfNumber = RequestHandler<{ number: string }>;

export function doNotCallRoutes(parts: VoiceParts): Router {
  const { broadcasts } = parts;

  const list: RequestHandler = (req, res) => {
    const query = readQuery(req.url, PAGE);
    const { phones, next } = broadcasts.doNotCall.list({ projectId: signedInProjectOf(res).projectId, ...query });
    res.json(
      defined({
        numbers: phones.map(({ phone, addedMs }) => ({ number: phone, added: iso(addedMs) })),
        next,
        timestamp: timestampOf(parts),
      }),
    );
  };

  const add: RequestHandler = async (req, res) => {
    const phones = readDoNotCall(bodyOf(req));
    const added = await broadcasts.doNotCall.addAll(signedInProjectOf(res).projectId, phones);
    res.json({ state: 'success', status: 'success', added, timestamp: timestampOf(parts) });
  };

  const show: OfNumber = (req, res) => {
    const number = plusOf(req.params.number);
    if (!broadcasts.doNotCall.has(signedInProjectOf(res).projectId, number)) throw notListed();
    res.json({ state: 'success', status: 'success', number, timestamp: timestampOf(parts) });
  };

  const remove: OfNumber = (req, res) => {
    const number = plusOf(req.params.number);
    if (!broadcasts.doNotCall.remove(signedInProjectOf(res).projectId, number)) throw notListed();
    res.json({ state: 'success', status: 'success', number, timestamp: timestampOf(parts) });
  };

  const router = Router();
  router.route('/do-not-call').get(list).post(add).all(only('GET', 'POST'));
  router.route('/do-not-call/:number').get(show).delete(remove).all(only('GET', 'DELETE'));
  return router;
}

const notListed = (): ApiError => new ApiError('unknown_setting', 'the number is not on the list');
