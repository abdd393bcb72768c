import { isObject } from '../../base/core/json.ts';
import type { Action, VerbActions } from '../../proof/explore/actions/action.ts';
import { press, pressWrong, say, sayWrong, silence, strangeKey } from '../../proof/explore/actions/caller-actions.ts';

export const actions: VerbActions = {
  caller(moment): Action[] {
    const { args, claims = '' } = moment;
    const choices = Object.entries(isObject(args['choices']) ? args['choices'] : {}).filter(
      (entry): entry is [string, Record<string, never>] => isObject(entry[1]),
    );
    const keys = choices.flatMap(([, { dtmf }]) => (dtmf === undefined ? [] : [String(dtmf)]));
    const hears = args['speech'] !== undefined || choices.some(([, choice]) => choice['say'] !== undefined);
    const strange = strangeKey(moment);
    return [
      ...choices.map(([name, { dtmf, say: phrases }]) =>
        dtmf === undefined ? say(String([phrases].flat()[0]), [name]) : press(String(dtmf), [name]),
      ),
      // Keys of the items of a list (`each`).
      ...[...claims].filter((key) => !keys.includes(key)).map((key) => press(key, ['chosen'])),
      silence(moment),
      ...(claims !== '' && strange !== undefined ? [pressWrong(moment, strange)] : []),
      ...(hears ? [sayWrong(moment)] : []),
    ];
  },
};
