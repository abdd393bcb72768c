/**
 * Dialog "Create test from call": generates a test from the call, to be named, reviewed and saved. The service generates
 * the test and runs it.
 */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
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
  const title = useSignal(`a real call, ${id.slice(0, 8)}`);
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
      tell(`Test saved as ${file}`);
      close();
    } catch (error) {
      tellError(error);
      isBusy.value = false;
    }
  };
  return (
    <Dialog title="Create test from call" close={close} class="take-over">
      <form class="call-form" onSubmit={save}>
        <label>
          Test name
          <input
            required
            value={title.value}
            maxLength={300}
            onInput={(event) => {
              title.value = event.currentTarget.value;
            }}
          />
        </label>
        {made.value === undefined ? <p role="status">Reading the call…</p> : <Verdict test={made.value} />}
        <label>
          The test
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
          Save test
        </button>
      </form>
    </Dialog>
  );
}

/** Result of the test as the service generated it. */
function Verdict({ test: { to_fill: toFill, lacks, report } }: { test: TestOfCall }) {
  const failed = whyFailed(report);
  const verdict =
    failed === undefined ? 'It passes with the current flow.' : `It does not pass with the current flow. ${failed}.`;
  return (
    <>
      <p role="status">{verdict}</p>
      {toFill.length > 0 && (
        <p role="alert">
          Sensitive values are masked in the journal. Write others in their place: <code>{toFill.join(', ')}</code>
        </p>
      )}
      {lacks.length > 0 && <p>The test does not have everything of the call: {lacks.join('; ')}.</p>}
    </>
  );
}
