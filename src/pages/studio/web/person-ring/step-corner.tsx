/** Corner of a card with the other people at its step, and the number of its open comments. */

import { t } from '../../../shared/web/words/translate.ts';
import { Icon } from '../icons.tsx';
import { PersonRing } from './person-ring.tsx';

const MAX_RINGS = 3;

export function StepCorner({ people, comments }: { people: readonly string[]; comments: number }) {
  if (people.length === 0 && comments === 0) return null;
  return (
    <span class="people-corner">
      {comments > 0 && (
        <b class="comment-count" title={t('{count, plural, one {# comment} other {# comments}}', { count: comments })}>
          <Icon name="comment" size={12} /> {comments}
        </b>
      )}
      {people.slice(0, MAX_RINGS).map((who) => (
        <PersonRing key={who} who={who} title={t('{who} is at this step', { who })} />
      ))}
    </span>
  );
}
