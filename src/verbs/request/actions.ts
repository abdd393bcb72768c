import { isObject } from '../../core/json.ts';
import type { Action, VerbActions } from '../../explore/actions/action.ts';
import { defaultReplies, reply } from '../../explore/actions/outside-actions.ts';

export const actions: VerbActions = {
  outside: (moment): Action[] => [
    ...defaultReplies(moment),
    ...(isObject(moment.args['returns'])
      ? [reply(moment, '200 with another body', { status: 200, body: 'not what returns says' }, ['failed.invalid'])]
      : []),
  ],
};
