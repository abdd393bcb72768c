/**
 * Dialog "Create test from call": generates a test from the call, to be named, reviewed and saved. The service generates
 * the test and runs it.
 */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { t, tNodes } from '../../../shared/web/words/translate.ts';
import { Dialog } from '../shell/dialog.tsx';
import { tell, tellError } from '../shell/messages.tsx';
import { whyFailed } from '../tests/test-form.tsx';
import { writeTest } from '../tests/test-run.ts';
import { type TestOfCall, testOfCall } from './test-of-call.ts';

interface TakeOverProps {
  flow: string;
  id: string;
  close(): void;
}

/** Debounce for the name field. */
const WRITTEN_MS = 300;

export function TakeOver({ flow, id, close }: TakeOverProps) {
  const title = useSignal(t('a real call, {id}', { id: id.slice(0, 8) }));
  const made = useSignal<TestOfCall | undefined>(undefined);
  const written = useSignal<string | undefined>(undefined);
  const isBusy = useSignal(false);

  const make = async (): Promise<void> => {
    const asked = title.value;
    try {
      const test = await testOfCall(flow, id, asked);
      if (asked === title.value) made.value = test;
    } catch (error) {
      tellError(error);
    }
  };
  useEffect(() => {
    if (title.value === '') return;
    const timer = setTimeout(make, made.peek() === undefined ? 0 : WRITTEN_MS);
    return () => clearTimeout(timer);
  }, [flow, id, title.value]);

  const save = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    isBusy.value = true;
    const file = `${flow}.call-${id.slice(0, 8)}.test.yaml`;
    try {
      await writeTest(flow, file, written.value ?? made.value?.text ?? '');
      tell(t('Test saved as {file}', { file }));
      close();
    } catch (error) {
      tellError(error);
      isBusy.value = false;
    }
  };
  return (
    <Dialog title={t('Create test from call')} close={close} class="take-over">
      <form class="call-form" onSubmit={save}>
        <label>
          {t('Test name')}
          <input
            required
            value={title.value}
            maxLength={300}
            onInput={(event) => {
              title.value = event.currentTarget.value;
            }}
          />
        </label>
        {made.value === undefined ? <p role="status">{t('Reading the call…')}</p> : <Verdict test={made.value} />}
        <label>
          {t('The test')}
          <textarea
            rows={18}
            spellcheck={false}
            value={written.value ?? made.value?.text ?? ''}
            onInput={(event) => {
              written.value = event.currentTarget.value;
            }}
          />
        </label>
        <button type="submit" class="button primary" disabled={isBusy.value || made.value === undefined}>
          {t('Save test')}
        </button>
      </form>
    </Dialog>
  );
}

/** Result of the test as the service generated it. */
function Verdict({ test: { to_fill: toFill, lacks, report } }: { test: TestOfCall }) {
  const failed = whyFailed(report);
  const verdict =
    failed === undefined
      ? t('It passes with the current flow.')
      : t('It does not pass with the current flow. {failed}.', { failed });
  return (
    <>
      <p role="status">{verdict}</p>
      {toFill.length > 0 && (
        <p role="alert">
          {tNodes('Sensitive values are masked in the journal. Write others in their place: {toFill}', {
            toFill: <code>{toFill.join(', ')}</code>,
          })}
        </p>
      )}
      {lacks.length > 0 && (
        <p>{t('The test does not have everything of the call: {lacks}.', { lacks: lacks.join('; ') })}</p>
      )}
    </>
  );
}
