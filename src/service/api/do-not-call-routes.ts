/** Routes of the do-not-call list for broadcasts, `/voice/v1/do-not-call…`. */
import { defined, type JsonObject } from '../../base/core/json.ts';
import { ApiError } from './api-error.ts';
import { readDoNotCall } from './broadcast-bodies.ts';
import { PAGE, type PageQuery, plusOf, readQuery } from './query-parameters.ts';
import { iso } from './response-bodies.ts';
import { type VoiceRoute, voiceRoute } from './voice-route.ts';

const LIST = '/voice/v1/do-not-call';

export const DO_NOT_CALL_ROUTES: readonly VoiceRoute[] = [
  voiceRoute('Broadcasts', 'GET', LIST, {
    summary: 'lists the do-not-call list of the project',
    query: PAGE,
    response: 'do-not-call-list',
    errors: ['bad_request', 'cursor_invalid'],
    async handle({ projectId, url }, { broadcasts }) {
      const { phones, next } = await broadcasts.doNotCall.list({ projectId, ...readQuery<PageQuery>(url, PAGE) });
      return defined({ numbers: phones.map(({ phone, addedMs }) => ({ number: phone, added: iso(addedMs) })), next });
    },
  }),
  voiceRoute('Broadcasts', 'POST', LIST, {
    summary: 'adds numbers to the do-not-call list; existing entries are kept',
    body: 'do-not-call',
    response: 'do-not-call-added',
    errors: ['numbers_invalid'],
    async handle({ projectId, body }, { broadcasts }) {
      const added = await broadcasts.doNotCall.addAll(projectId, readDoNotCall(body));
      return { state: 'success', status: 'success', added };
    },
  }),
  voiceRoute('Broadcasts', 'GET', `${LIST}/{number}`, {
    summary: 'checks if a number is on the do-not-call list; 404 if not',
    response: 'do-not-call',
    errors: ['unknown_setting'],
    handle: ({ projectId, params }, { broadcasts }) =>
      listedNumber(params.number, (number) => broadcasts.doNotCall.has(projectId, number)),
  }),
  voiceRoute('Broadcasts', 'DELETE', `${LIST}/{number}`, {
    summary: 'removes a number from the do-not-call list',
    response: 'do-not-call',
    errors: ['unknown_setting'],
    handle: ({ projectId, params }, { broadcasts }) =>
      listedNumber(params.number, (number) => broadcasts.doNotCall.remove(projectId, number)),
  }),
];

async function listedNumber(written: string, isListed: (number: string) => Promise<boolean>): Promise<JsonObject> {
  const number = plusOf(written);
  if (!(await isListed(number))) throw new ApiError('unknown_setting', 'the number is not on the list');
  return { state: 'success', status: 'success', number };
}
