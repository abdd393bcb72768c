import { type Action, outcomesNeeding, type VerbActions } from '../../proof/explore/actions/action.ts';
import { hangUp, pass, press } from '../../proof/explore/actions/caller-actions.ts';

/** Long enough for the outcome `recorded`. */
const SPEAKS = { speak: '3s' };

export const actions: VerbActions = {
  caller(moment): Action[] {
    const { args, step, visit } = moment;
    const passes = [visit];
    const recorded = outcomesNeeding(moment, 'speech');
    const speak = pass(moment, { kind: 'speech', label: 'speak', leadsTo: recorded, acts: [SPEAKS] });
    const key = String(args['terminator'] ?? '#')[0];
    const stop = key === undefined ? undefined : press(key, recorded);
    return [
      speak,
      ...(stop === undefined
        ? []
        : [{ ...stop, label: `speak, ${stop.label}`, acts: [SPEAKS, ...(stop.acts ?? [])], passes }]),
      pass(moment, {
        kind: 'silence',
        label: `${step.name}: be silent`,
        leadsTo: outcomesNeeding(moment, 'silence'),
      }),
      hangUp('speak, hang up', [SPEAKS]),
    ];
  },
};
