/**
 * Face of a card without room for its content: icon and title on up to two lines, the title on one line, or a bar that
 * shows its name while it is pointed at, focused or selected. Text keeps its size on the screen (`far.css`).
 */

import { t } from '../../../shared/web/words/translate.ts';
import { VerbIcon } from '../icons.tsx';
import { titleOf } from './card-label.ts';
import type { Card, CardRow } from './drawing.ts';
import type { Level } from './viewport.ts';

interface FarFaceProps {
  card: Card;
  level: Level;
  /** Index of the marked exit. Undefined if the card is not selected. */
  exit: number | undefined;
}

/** Number of characters at the end of a title that are kept when it is shortened. */
const KEPT_END = { names: 4, titles: 6 };
/** Cards with less height can have room for one line only. */
const ONE_LINE = 72;
/** Height of a card with room for two lines at every scale that shows names. */
const TWO_LINES = 130;

export function FarFace({ card, level, exit }: FarFaceProps) {
  const title = titleOf(card);
  if (level === 'bars') return <span class="bar-name">{title}</span>;
  if (level === 'names' && card.height < TWO_LINES) {
    return (
      <span class="far-face">
        <ShortName title={title} end={KEPT_END.names} />
      </span>
    );
  }
  if (level === 'names') {
    return (
      <span class="far-face">
        <span class="far-title">
          <strong>{breakable(title)}</strong>
        </span>
      </span>
    );
  }
  const marked = exit === undefined ? undefined : card.rows[exit];
  return (
    <>
      <span class="far-face">
        <VerbIcon verb={card.step.verb} />
        {card.height < ONE_LINE && <ShortName title={title} end={KEPT_END.titles} />}
        <span class={`far-title${card.height < ONE_LINE ? ' is-low' : ''}`}>
          <strong>{breakable(title)}</strong>
          {card.members && (
            <small>{t('{count, plural, one {# step} other {# steps}}', { count: card.members.length })}</small>
          )}
        </span>
      </span>
      {!card.isLone &&
        card.rows.map(({ outcome, kind, y }) => <i key={outcome} class={`tick ${kind}`} style={{ top: `${y}px` }} />)}
      {marked && <span class="far-exit">{wordsOf(marked)}</span>}
    </>
  );
}

/** Title on one line, shortened in the middle. */
const ShortName = ({ title, end }: { title: string; end: number }) => (
  <span class="short-name">
    <span>{title.slice(0, -end)}</span>
    <b>{title.slice(-end)}</b>
  </span>
);

/** Names can break after an underscore. */
const breakable = (title: string) =>
  title.split(/(?<=_)/).flatMap((part, index) => (index === 0 ? [part] : [<wbr key={index} />, part]));

const wordsOf = ({ label, target }: CardRow): string => `${label} → ${target || t('nothing yet')}`;
