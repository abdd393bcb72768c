/**
 * Dialog for a save conflict: another user saved the flow in the meantime. Changes to different steps are merged
 * automatically; for steps that both changed, the user picks a version. Both texts are shown side by side.
 */
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { t } from '../../../shared/web/words/translate.ts';
import type { Theirs } from '../flow-api.ts';
import { Dialog } from '../shell/dialog.tsx';
import { BothTexts } from '../text/both-texts.tsx';
import { withPlainEnds } from '../text/line-ends.ts';
import { type MergeSide, mergeBySteps } from '../versions/merge-steps.ts';

interface ConflictDialogProps {
  mine: string;
  theirs: Theirs;
  /** Author of the saved version, if known. */
  who: string | undefined;
  /** Common base of both texts. */
  base: string;
  close(): void;
  /** Takes the merged text. The next save replaces the other user's version. */
  choose(text: string): void;
}

export function ConflictDialog({ mine, theirs, who = t('Another user'), base, close, choose }: ConflictDialogProps) {
  const saved = withPlainEnds(theirs.text);
  const choices = useSignal<ReadonlyMap<string, MergeSide>>(new Map());
  const merged = useMemo(
    () => mergeBySteps({ base: withPlainEnds(base), mine, theirs: saved, choices: choices.value }),
    [choices.value],
  );
  const known = useMemo(() => mergeBySteps({ base: withPlainEnds(base), mine, theirs: saved }).conflicts, []);
  const pick = (key: string, side: MergeSide) => () => {
    choices.value = new Map(choices.value).set(key, side);
  };
  return (
    <Dialog title={t('{who} saved this flow', { who })} close={close} class="conflict">
      <p>
        {t('Left is the saved version, right is your text. Undo restores your text. Nothing is saved until you save.')}
      </p>
      <BothTexts left={{ text: saved, label: t('The saved version') }} right={{ text: mine, label: t('Your text') }} />
      {known.length > 0 && (
        <fieldset class="both-changed">
          <legend>{t('Both versions changed these steps. Which do you want to keep?')}</legend>
          {known.map(({ key }) => (
            <div key={key}>
              <code>{key === '' ? t('the whole text') : key}</code>
              {(['mine', 'theirs'] as const).map((side) => (
                <label key={side}>
                  <input
                    type="radio"
                    name={`keep ${key}`}
                    checked={(choices.value.get(key) ?? 'mine') === side}
                    onChange={pick(key, side)}
                  />
                  {side}
                </label>
              ))}
            </div>
          ))}
        </fieldset>
      )}
      <footer>
        <button type="button" class="button" onClick={() => choose(saved)}>
          {t('Keep their version')}
        </button>
        <button type="button" class="button" onClick={() => choose(mine)}>
          {t('Keep my version')}
        </button>
        <button type="button" class="button primary" data-first="" onClick={() => choose(merged.text)}>
          {t('Merge both')}
        </button>
      </footer>
    </Dialog>
  );
}
