/** Acts on the step of the form: the simulator from this step, and a menu of all others. */
import { t } from '../../../shared/web/words/translate.ts';
import { shownKeys } from '../shell/commands.ts';
import { Menu } from '../shell/menu.tsx';
import { tell, tellError } from '../shell/messages.tsx';
import { addressOf, addressOfFlow } from '../shell/router.ts';
import { simulateFrom } from '../simulator/play-from.ts';
import { useForm } from './context.ts';
import type { SeveralActs } from './several-form.tsx';

interface StepActsProps {
  step: string;
  acts: SeveralActs;
  showHelp(): void;
}

export function StepActs({ step, acts, showHelp }: StepActsProps) {
  const { draft, isLocked } = useForm();
  const copyLink = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(`${location.origin}${addressOf(addressOfFlow(draft.name), { step })}`);
      tell(t('Link to {step} copied', { step }));
    } catch (error) {
      tellError(error);
    }
  };
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
          { title: t('Copy link'), run: () => void copyLink() },
          { title: t('Help'), keys: 'F1', run: showHelp },
        ]}
      />
    </div>
  );
}

const focusName = (): void => document.querySelector<HTMLInputElement>('.form-head h2 input')?.select();
