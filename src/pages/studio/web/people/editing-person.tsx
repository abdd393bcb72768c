/** Name of another person whose focus is in this field. Both can edit it: a save merges by step. */

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
  const names = here.map(({ who }) => who).join(' and ');
  return (
    <small class="field-person" role="status">
      <PersonRing who={here[0]!.who} />
      {names} {here.length === 1 ? 'is' : 'are'} editing {isWords ? 'these words' : 'this'}
    </small>
  );
}
