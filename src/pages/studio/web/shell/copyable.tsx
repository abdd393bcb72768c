/** Text with a button that copies it, which the studio announces. */
import { type CopyableProps, Copyable as SharedCopyable } from '../../../shared/web/copyable.tsx';
import { t } from '../../../shared/web/words/translate.ts';
import { announce } from './messages.tsx';

export const Copyable = (props: Omit<CopyableProps, 'copied'>) => (
  <SharedCopyable {...props} copied={() => announce(t('Copied'))} />
);
