/** The + at an exit of a card. An exit that leads nowhere, or to the end, always has it. */

import { t } from '../../../shared/web/words/translate.ts';
import type { CardRow } from './drawing.ts';

export const AddMark = ({ row, isLone = false }: { row: CardRow; isLone?: boolean }) => {
  const isLoose = row.target === '$end' || row.target === '';
  const classes = ['plus', isLone && 'lone', isLoose && 'loose'];
  return <i class={classes.filter(Boolean).join(' ')} data-add={row.outcome} title={t('Add a step here (a)')} />;
};
