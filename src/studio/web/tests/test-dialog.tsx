/** The text of a test, to read and to change; of a new one its name, too. */
import { useSignal } from '@preact/signals';
import { ServiceError } from '../api.ts';
import { Dialog } from '../shell/dialog.tsx';
import { tell } from '../shell/messages.tsx';
import { deleteTest, type TestFile, writeTest } from './test-run.ts';

interface TestDialogProps {
  flow: string;
  /** Absent: a new one. */
  test: TestFile | undefined;
  saved(): void;
  close(): void;
}

export function TestDialog({ flow, test, saved, close }: TestDialogProps) {
  const text = useSignal(test?.text ?? beginningOf(flow));
  const file = useSignal(test?.file ?? `${flow}.new.test.yaml`);
  const problem = useSignal<string | undefined>(undefined);

  const attempt = async (work: () => Promise<unknown>, words: string): Promise<void> => {
    problem.value = undefined;
    try {
      await work();
      tell(words);
      close();
      saved();
    } catch (error) {
      problem.value = wordsOf(error);
    }
  };
  const save = (): Promise<void> =>
    attempt(() => writeTest(flow, file.value, text.value, test?.etag), `${file.value} saved`);
  return (
    <Dialog title={test === undefined ? 'New test' : test.file} close={close} class="keep-test">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
        onKeyDown={(event) => {
          if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          void save();
        }}
      >
        {test === undefined && (
          <label>
            File
            <input
              required
              pattern=".+\.test\.yaml"
              title="a name that ends with .test.yaml"
              value={file.value}
              onInput={(event) => {
                file.value = event.currentTarget.value;
              }}
            />
          </label>
        )}
        <label>
          Text
          <textarea
            autofocus
            rows={18}
            spellcheck={false}
            value={text.value}
            onInput={(event) => {
              text.value = event.currentTarget.value;
            }}
          />
        </label>
        {problem.value !== undefined && (
          <p class="bad" role="alert">
            {problem.value}
          </p>
        )}
        <div class="choices">
          <button type="submit" class="button primary">
            Save and run
          </button>
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
          {test !== undefined && (
            <button
              type="button"
              class="button danger"
              onClick={() => void attempt(() => deleteTest(flow, test.file, test.etag), `${test.file} deleted`)}
            >
              Delete
            </button>
          )}
        </div>
      </form>
    </Dialog>
  );
}

const beginningOf = (flow: string): string =>
  `test: what it proves\nflow: ${flow}\nscript:\n  - hear: the first prompt\n  - press: "1"\nexpect:\n  path: []\n`;

function wordsOf(error: unknown): string {
  if (!(error instanceof ServiceError)) return error instanceof Error ? error.message : String(error);
  if (error.status === 412)
    return 'Somebody has saved this test meanwhile. Copy your text, close this, and open it again.';
  const { diagnostics } = error.body as { diagnostics?: { line?: number; message: string }[] };
  const first = diagnostics?.[0];
  if (first !== undefined) return `${first.line === undefined ? '' : `line ${first.line}: `}${first.message}`;
  return error.hint === undefined ? error.message : `${error.message}: ${error.hint}`;
}
