/**
 * Dialog that saves the call as a test: its name, and its text, which can be edited first.
 *
 * Invariants
 * - the test is made of a copy of the call that ends, so that Cancel leaves the call as it was;
 * - only a test that passes on the current text is saved.
 */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { t } from '../../../shared/web/words/translate.ts';
import { Dialog } from '../shell/dialog.tsx';
import { tell } from '../shell/messages.tsx';
import { TestForm, whyFailed, whyNotSaved } from '../tests/test-form.tsx';
import { tryTest, writeTest } from '../tests/test-run.ts';
import type { CallSession, CallToKeep } from './call-session.ts';
import { fileNameOf, type HeardWords, heardIn, textOfTest } from './keep-test.ts';
import { wordsOfGap } from './proposed-way.tsx';

interface KeepTestProps {
  name: string;
  session: CallSession;
  close(isKept?: boolean): void;
}

export function KeepTest({ name, session, close }: KeepTestProps) {
  const gap = session.proposed.value?.gap;
  const title = useSignal(gap === undefined ? '' : wordsOfGap(gap));
  /** Expected prompts, where the author changed them. */
  const words = useSignal<HeardWords>(new Map());
  const problem = useSignal<string | undefined>(undefined);
  /** The text, once the author has edited it. */
  const edited = useSignal<string | undefined>(undefined);
  const isSaving = useSignal(false);
  /** The call of the test. It must end, because later events would be a guess. */
  const played = useSignal<CallToKeep | undefined>(undefined);
  useEffect(() => {
    void session.ended().then((ended) => {
      played.value = ended;
      if (ended === undefined) problem.value = t('The call could not be read. Close this dialog and try again.');
    });
  }, []);
  const now = played.value?.now;
  const text =
    edited.value ??
    (played.value === undefined
      ? ''
      : textOfTest(
          { title: title.value || t('a call'), flow: name, words: words.value },
          played.value.call,
          played.value.now,
        ));

  const save = async (): Promise<void> => {
    isSaving.value = true;
    problem.value = undefined;
    const file = fileNameOf(name, title.value);
    try {
      const failed = whyFailed(await tryTest(name, { file, text, flowText: session.text }));
      if (failed !== undefined) {
        problem.value = t('Not saved, because the test does not pass. {failed}', { failed });
        return;
      }
      await writeTest(name, file, text);
      tell(t('Test saved as {file}', { file }));
      close(true);
    } catch (error) {
      problem.value = whyNotSaved(error, true);
    } finally {
      isSaving.value = false;
    }
  };
  return (
    <Dialog title={t('Save as test')} close={() => close()} class="keep-test">
      <TestForm
        label={t('Test text')}
        text={text}
        rows={12}
        write={(written) => {
          edited.value = written;
        }}
        problem={problem.value}
        save={save}
        saveLabel={t('Save')}
        cannotSave={isSaving.value || played.value === undefined}
        close={() => close()}
        fields={
          <>
            <label>
              {t('Test name')}
              <input
                autofocus
                required
                maxLength={200}
                placeholder={t('a caller who presses 2 hears the opening hours')}
                value={title.value}
                onInput={(event) => {
                  title.value = event.currentTarget.value;
                }}
              />
            </label>
            {now !== undefined && edited.value === undefined && (
              <fieldset class="must-hear">
                <legend>{t('Expected prompts')}</legend>
                {heardIn(now).map(({ playId, words: heard, text: whole }, index) => (
                  <input
                    key={playId}
                    required
                    aria-label={t('Prompt {value}', { value: index + 1 })}
                    title={whole}
                    spellcheck={false}
                    value={words.value.get(playId) ?? heard}
                    onInput={(event) => {
                      words.value = new Map(words.value).set(playId, event.currentTarget.value);
                    }}
                  />
                ))}
              </fieldset>
            )}
          </>
        }
      />
    </Dialog>
  );
}
