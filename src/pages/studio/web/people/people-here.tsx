/** People in a flow: their rings at the head of the editor, and at the rows of the list of flows. */

import { listText, t } from '../../../shared/web/words/translate.ts';
import { PersonRing } from '../person-ring/person-ring.tsx';
import { othersIn } from './people-store.ts';

const MAX_RINGS = 4;

/** A ring leads to the step of the person. */
export function PeopleHere({ flow, goTo }: { flow: string; goTo(step: string): void }) {
  const others = othersIn(flow);
  if (others.length === 0) return null;
  const rest = others.slice(MAX_RINGS);
  return (
    <ul class="people-here" aria-label={t('People in this flow')}>
      {others.slice(0, MAX_RINGS).map(({ who, step }) => (
        <li key={who}>
          {step === undefined ? (
            <span title={t('{who} is here', { who })}>
              <PersonRing who={who} />
              <span class="unseen">{who}</span>
            </span>
          ) : (
            <button
              type="button"
              title={t('Show {step}, where {who} is', { step, who })}
              aria-label={t('{who}, at {step}', { who, step })}
              onClick={() => goTo(step)}
            >
              <PersonRing who={who} title={t('Show {step}, where {who} is', { step, who })} />
            </button>
          )}
        </li>
      ))}
      {rest.length > 0 && <li title={rest.map(({ who }) => who).join(', ')}>+{rest.length}</li>}
    </ul>
  );
}

/** Rings of the people in a flow of the list. */
export function PeopleAt({ flow }: { flow: string }) {
  const others = othersIn(flow);
  if (others.length === 0) return null;
  return (
    <span class="people-here">
      <span class="unseen">{t('{people} in this flow', { people: listText(others.map(({ who }) => who)) })}</span>
      {others.slice(0, MAX_RINGS).map(({ who }) => (
        <PersonRing key={who} who={who} title={t('{who} is in this flow', { who })} />
      ))}
    </span>
  );
}
