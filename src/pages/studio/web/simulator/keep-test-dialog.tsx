/** Dialog that saves the call as a test: its name, and its text, which can be edited first. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Dialog } from '../shell/dialog.tsx';
import { tell } from '../shell/messages.tsx';
import { TestForm, whyNotSaved } from '../tests/test-form.tsx';
import { writeTest } from '../tests/test-run.ts';
import type { CallSession } from './call-session.ts';
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
  const isOver = session.now.value?.state === 'ended';

  useEffect(() => {
    // The call of a test must end; later events would be a guess.
    if (!isOver) void session.do({ do: 'hang_up' });
  }, []);
  const now = session.now.value;
  const text =
    edited.value ??
    (now === undefined
      ? ''
      : textOfTest({ title: title.value || 'a call', flow: name, words: words.value }, session.call.value, now));

  const save = async (): Promise<void> => {
    isSaving.value = true;
    problem.value = undefined;
    const file = fileNameOf(name, title.value);
    try {
      await writeTest(name, file, text);
      tell(`Test saved as ${file}`);
      close(true);
    } catch (error) {
      problem.value = whyNotSaved(error, true);
    } finally {
      isSaving.value = false;
    }
  };
  return (
    <Dialog title="Save as test" close={() => close()} class="keep-test">
      <TestForm
        label="Test text"
        text={text}
        rows={12}
        write={(written) => {
          edited.value = written;
        }}
        problem={problem.value}
        save={save}
        saveLabel="Save"
        cannotSave={isSaving.value || session.isBusy.value}
        close={() => close()}
        fields={
          <>
            <label>
              Test name
              <input
                autofocus
                required
                maxLength={200}
                placeholder="a caller who presses 2 hears the opening hours"
                value={title.value}
                onInput={(event) => {
                  title.value = event.currentTarget.value;
                }}
              />
            </label>
            {now !== undefined && edited.value === undefined && (
              <fieldset class="must-hear">
                <legend>Expected prompts</legend>
                {heardIn(now).map(({ playId, words: heard, text: whole }, index) => (
                  <input
                    key={playId}
                    required
                    aria-label={`Prompt ${index + 1}`}
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
