/** Form with the text of a test, and the result of saving it. Used by the dialogs that save and edit tests. */
import type { ComponentChildren } from 'preact';
import { t } from '../../../shared/web/words/translate.ts';
import { ServiceError } from '../api.ts';
import { atLine } from '../shell/at-line.ts';
import type { TestReportData } from './test-run.ts';

interface TestFormProps {
  /** Fields above the text. */
  fields?: ComponentChildren;
  label: string;
  text: string;
  rows: number;
  /** True if the text gets the initial focus. */
  isFirst?: boolean;
  write(text: string): void;
  problem: string | undefined;
  save(): Promise<void>;
  saveLabel: string;
  cannotSave?: boolean;
  close(): void;
  /** Additional buttons. */
  children?: ComponentChildren;
}

export function TestForm(props: TestFormProps) {
  const { fields, label, text, rows, isFirst, write, problem, save, saveLabel, cannotSave, close, children } = props;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
      onKeyDown={(event) => {
        if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        event.currentTarget.requestSubmit();
      }}
    >
      {fields}
      <label>
        {label}
        <textarea
          autofocus={isFirst}
          rows={rows}
          spellcheck={false}
          value={text}
          onInput={(event) => write(event.currentTarget.value)}
        />
      </label>
      {problem !== undefined && (
        <p class="bad" role="alert">
          {problem}
        </p>
      )}
      <div class="choices">
        <button type="submit" class="button primary" disabled={cannotSave}>
          {saveLabel}
        </button>
        <button type="button" class="button" onClick={close}>
          {t('Cancel')}
        </button>
        {children}
      </div>
    </form>
  );
}

/** Message for a test that fails: the first difference. Undefined if the test passes. */
export function whyFailed({ ok, diagnostics = [], failures }: Pick<TestReportData, 'ok' | 'failures' | 'diagnostics'>) {
  if (ok) return undefined;
  const [first] = diagnostics;
  if (first !== undefined) return atLine(first.line, first.message);
  const [failure] = failures;
  if (failure === undefined) return t('The test does not pass');
  const { what, expected, actual, line } = failure;
  return atLine(line, t('{what}: expected {expected}, but {actual}', { what, expected, actual }));
}

/** Message for a test that could not be saved. */
export function whyNotSaved(error: unknown, isNew: boolean): string {
  if (!(error instanceof ServiceError)) return error instanceof Error ? error.message : String(error);
  if (error.status === 412) {
    return isNew
      ? t('There is a test of this name: choose another one.')
      : t('Another user saved this test. Copy your text, close this dialog, and open it again.');
  }
  const { diagnostics } = error.body as { diagnostics?: { line?: number; message: string }[] };
  const first = diagnostics?.[0];
  if (first !== undefined) return atLine(first.line, first.message);
  return error.hint === undefined ? error.message : `${error.message}: ${error.hint}`;
}
