/** Acts on the step of the form: the simulator from this step, and a menu of all others. */
import { useSignal } from '@preact/signals';
import { t } from '../../../shared/web/words/translate.ts';
import { shownKeys } from '../shell/commands.ts';
import { useLazyScreen } from '../shell/lazy-screen.ts';
import { Menu } from '../shell/menu.tsx';
import { tell, tellError } from '../shell/messages.tsx';
import { addressOf, addressOfFlow } from '../shell/router.ts';
import { simulateFrom } from '../simulator/play-from.ts';
import type { StepState } from '../versions/step-history.ts';
import type { Version } from '../versions/version-api.ts';
import { useForm } from './context.ts';
import type { SeveralActs } from './several-form.tsx';

interface StepActsProps {
  step: string;
  acts: SeveralActs;
  showHelp(): void;
}

export function StepActs({ step, acts, showHelp }: StepActsProps) {
  const { draft, edits, isLocked } = useForm();
  const isHistory = useSignal(false);
  const { code: HistoryDialog } = useLazyScreen(isHistory.value ? loadHistory : undefined);
  const copyLink = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(`${location.origin}${addressOf(addressOfFlow(draft.name), { step })}`);
      tell(t('Link to {step} copied', { step }));
    } catch (error) {
      tellError(error);
    }
  };
  const takeBack = ({ version_number: number }: Version, { value, text: written }: StepState): void =>
    void edits.change(
      () => [{ do: 'set', path: ['steps', step], value, written }],
      t('take back version {number} of {step}', { number, step }),
    );
  return (
    <div class="step-acts">
      <button
        type="button"
        aria-label={t('Simulate from here')}
        title={t('Simulate from here ({keys})', { keys: shownKeys('Ctrl+Shift+F9').join(' ') })}
        onClick={() => simulateFrom(step)}
      >
        ▶
      </button>
      <Menu
        id="step-menu"
        label={t('Actions for this step')}
        items={[
          ...(isLocked
            ? []
            : [
                { title: t('Duplicate'), keys: 'Ctrl+d', run: () => acts.onDuplicate?.([step]) },
                { title: t('Rename'), keys: 'F2', run: focusName },
                { title: t('Extract as a sub-flow …'), run: () => acts.onExtract?.([step]) },
                { title: t('Delete'), keys: 'Delete', run: () => acts.onDelete?.([step]) },
              ]),
          { title: t('History of this step …'), run: () => (isHistory.value = true) },
          { title: t('Copy link'), run: () => void copyLink() },
          { title: t('Help'), keys: 'F1', run: showHelp },
        ]}
      />
      {HistoryDialog !== undefined && (
        <HistoryDialog
          flow={draft.name}
          step={step}
          text={draft.text.value}
          close={() => (isHistory.value = false)}
          takeBack={isLocked ? undefined : takeBack}
        />
      )}
    </div>
  );
}

const loadHistory = async () => (await import('../versions/history-dialog.tsx')).HistoryDialog;

const focusName = (): void => document.querySelector<HTMLInputElement>('.form-head h2 input')?.select();
