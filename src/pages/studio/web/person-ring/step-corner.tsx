/** Corner of a card with the other people at its step. */
import { PersonRing } from './person-ring.tsx';

const MAX_RINGS = 3;

export function StepCorner({ people }: { people: readonly string[] }) {
  if (people.length === 0) return null;
  return (
    <span class="people-corner">
      {people.slice(0, MAX_RINGS).map((who) => (
        <PersonRing key={who} who={who} title={`${who} is at this step`} />
      ))}
    </span>
  );
}
