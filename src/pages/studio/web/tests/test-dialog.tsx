/** Dialog to view and edit a test. For a new test it also asks for the name. */
import { useSignal } from '@preact/signals';
import { t } from '../../../shared/web/words/translate.ts';
import { Dialog } from '../shell/dialog.tsx';
import { tell } from '../shell/messages.tsx';
import { TestForm, whyNotSaved } from './test-form.tsx';
import { deleteTest, type TestFileData, writeTest } from './test-run.ts';

interface TestDialogProps {
  flow: string;
  /** Absent for a new test. */
  test: TestFileData | undefined;
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
      problem.value = whyNotSaved(error, test === undefined);
    }
  };
  const save = (): Promise<void> =>
    attempt(() => writeTest(flow, file.value, text.value, test?.etag), t('{file} saved', { file: file.value }));
  return (
    <Dialog title={test === undefined ? t('New test') : test.file} close={close} class="keep-test">
      <TestForm
        label={t('Text')}
        text={text.value}
        rows={18}
        isFirst
        write={(written) => {
          text.value = written;
        }}
        problem={problem.value}
        save={save}
        saveLabel={t('Save and run')}
        close={close}
        fields={
          test === undefined && (
            <label>
              {t('File')}
              <input
                required
                pattern=".+\.test\.yaml"
                title={t('a name that ends with .test.yaml')}
                value={file.value}
                onInput={(event) => {
                  file.value = event.currentTarget.value;
                }}
              />
            </label>
          )
        }
      >
        {test !== undefined && (
          <button
            type="button"
            class="button danger"
            onClick={() =>
              void attempt(() => deleteTest(flow, test.file, test.etag), t('{file} deleted', { file: test.file }))
            }
          >
            {t('Delete')}
          </button>
        )}
      </TestForm>
    </Dialog>
  );
}

const beginningOf = (flow: string): string =>
  `test: what it proves\nflow: ${flow}\nscript:\n  - hear: the first prompt\n  - press: "1"\nexpect:\n  path: []\n`;
