/** Accessible label and title of a card. Pure; used by `card.tsx`. */
import type { GraphStep } from '../../../../language/flow/graph.ts';
import { listText, t } from '../../../shared/web/words/translate.ts';
import type { Card } from './drawing.ts';
import { type CardOverlays, comparedAt, type Overlays, saidOf } from './overlays.ts';

/** Label for screen readers. */
export function labelOf(card: Card, overlays: Overlays, facts: CardOverlays = saidOf(overlays, card)): string {
  const { visits, isNow, isTested, problem, changeWord, people, comments } = facts;
  const { step, rows, members } = card;
  const { name, about, badges, sensitive } = step;
  const said = [
    members
      ? t('{title}, group of {count, plural, one {# step} other {# steps}}', {
          title: titleOf(card),
          count: members.length,
        })
      : `${name}, ${verbLabelOf(step)}`,
  ];
  if (about !== '') said.push(about);
  if (badges.length > 0) said.push(badges.join(', '));
  if (sensitive) said.push(t('masked'));
  if (card.entries.length > 0)
    said.push(
      t('Routes in: {ways}', { ways: card.entries.map(({ title, ways }) => `${title}, ${ways.length}`).join('; ') }),
    );
  if (rows.length > 0) {
    said.push(
      rows
        .map((row) => {
          const { label, target, key } = row;
          const counts = comparedAt(overlays, card, row);
          const words = t('{label} to {target}', { label, target: target || t('nothing') });
          const withKey = key ? t('key {key}, {words}', { key, words }) : words;
          return counts ? `${withKey}, ${counts.words}` : withKey;
        })
        .join('; '),
    );
  }
  if (isNow) said.push(t('the call is here'));
  const counts = comparedAt(overlays, card);
  if (counts) said.push(counts.words);
  if (visits !== undefined) said.push(t('visited {visits, plural, one {once} other {# times}}', { visits }));
  if (isTested !== undefined) said.push(isTested ? t('tested') : t('not tested'));
  if (changeWord) said.push(changeWord);
  if (comments > 0) said.push(`${comments} ${comments === 1 ? 'comment' : 'comments'}`);
  if (people.length > 0) said.push(t('{people} here', { people: listText(people) }));
  if (problem) said.push(`${problem.severity}: ${problem.message}`);
  return said.join('. ');
}

/** Display name of the verb. Empty if the step has none. */
export const verbLabelOf = ({ verb, verb_label: label = verb }: GraphStep): string => label;

/** The title of a block is that of its group. */
export const titleOf = ({ step, members }: Card): string => (members && step.label) || step.name;

/** Condition of a route that applies in every step, by its event: `hangup`, `dtmf.0`. */
export function wordsOfEvent(event: string): string {
  const key = /^dtmf\.(.+)$/.exec(event)?.[1];
  if (key !== undefined) return t('If {key} is pressed', { key });
  return event === 'hangup' ? t('If the caller hangs up') : t('On {event}', { event });
}
