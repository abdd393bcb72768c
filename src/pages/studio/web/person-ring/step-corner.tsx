/** Corner of a card with the other people at its step, and the number of its open comments. */
import { Icon } from '../icons.tsx';
import { PersonRing } from './person-ring.tsx';

const MAX_RINGS = 3;

export function StepCorner({ people, comments }: { people: readonly string[]; comments: number }) {
  if (people.length === 0 && comments === 0) return null;
  return (
    <span class="people-corner">
      {comments > 0 && (
        <b class="comment-count" title={comments === 1 ? '1 comment' : `${comments} comments`}>
          <Icon name="comment" size={12} /> {comments}
        </b>
      )}
      {people.slice(0, MAX_RINGS).map((who) => (
        <PersonRing key={who} who={who} title={`${who} is at this step`} />
      ))}
    </span>
  );
}
