import { isObject } from '../../base/core/json.ts';
import type { Action, VerbActions } from '../../proof/explore/actions/action.ts';
import { defaultReplies, reply } from '../../proof/explore/actions/outside-actions.ts';

export const actions: VerbActions = {
  outside: (moment): Action[] => [
    ...defaultReplies(moment),
    ...(isObject(moment.args['returns'])
      ? [reply(moment, '200 with another body', { status: 200, body: 'not what returns says' }, ['failed.invalid'])]
      : []),
  ],
};
