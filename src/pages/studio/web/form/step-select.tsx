/** List of the steps that an outcome can lead to. */

import { t } from '../../../shared/web/words/translate.ts';
import { useForm } from './context.ts';

interface StepSelectProps {
  id?: string;
  label: string;
  /** Empty if it leads nowhere. */
  target: string;
  /** Default target; it is offered as such. */
  usual?: string | undefined;
  isUsual?: boolean;
  /** Words for no target, where it is optional. */
  none?: string;
  isLocked: boolean;
  /** Undefined for the default. */
  choose(target: string | undefined): void;
}

const USUAL = '(default)';

export function StepSelect({ id, label, target, usual, isUsual = false, none, isLocked, choose }: StepSelectProps) {
  const { graph } = useForm();
  const names = graph.steps.map(({ name }) => name);
  const isUnknown = target !== '' && target !== '$end' && !names.includes(target);
  return (
    <select
      id={id}
      aria-label={label}
      class={isUsual || (target === '' && none !== undefined) ? 'usual' : target === '' || isUnknown ? 'bad' : ''}
      disabled={isLocked}
      value={isUsual ? USUAL : target}
      onChange={({ currentTarget: { value } }) => choose(value === USUAL || value === '' ? undefined : value)}
    >
      {(target === '' || none !== undefined) && <option value="">{none ?? t('Not connected')}</option>}
      {usual !== undefined && (
        <option value={USUAL}>
          {t('{target} · default', { target: usual === '$end' ? t('End ## of the flow') : usual })}
        </option>
      )}
      {isUnknown && <option value={target}>{t('{target} · missing', { target })}</option>}
      {names.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
      <option value="$end">{t('End of the flow')}</option>
    </select>
  );
}
