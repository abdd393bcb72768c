/** Name of another person whose focus is in this field. Both can edit it: a save merges by step. */

import { listText, t } from '../../../shared/web/words/translate.ts';
import { PersonRing } from '../person-ring/person-ring.tsx';
import { othersIn } from './people-store.ts';

interface EditingPersonProps {
  flow: string;
  /** Empty for a field of the flow itself. */
  step: string;
  field: string;
  isWords: boolean;
}

export function EditingPerson({ flow, step, field, isWords }: EditingPersonProps) {
  const here = othersIn(flow).filter((person) => (person.step ?? '') === step && person.field === field);
  if (here.length === 0) return null;
  const names = listText(here.map(({ who }) => who));
  return (
    <small class="field-person" role="status">
      <PersonRing who={here[0]!.who} />

      {isWords
        ? t('{count, plural, one {{names} is} other {{names} are}} editing these words', { count: here.length, names })
        : t('{count, plural, one {{names} is} other {{names} are}} editing this', { count: here.length, names })}
    </small>
  );
}
