/** Button that reloads the configuration, and its result. Part of the health page. */
import { signal } from '@preact/signals';
import { listText, t } from '../../../shared/web/words/translate.ts';
import { request, ServiceError } from '../api.ts';

interface Finding {
  severity: string;
  message: string;
  file: string;
  line: number;
  hint?: string;
}

interface Report {
  changed: string[];
  needs_restart: string[];
  diagnostics: Finding[];
}

type Result = Report | { problem: string; diagnostics: Finding[] };

const isBusy = signal(false);
const result = signal<Result | undefined>(undefined);

async function reloadService(): Promise<void> {
  isBusy.value = true;
  try {
    result.value = await request<Report & Record<string, never>>('/admin/v1/reload', { method: 'POST' });
  } catch (error) {
    const diagnostics = error instanceof ServiceError ? (error.body['diagnostics'] as unknown as Finding[]) : undefined;
    result.value = { problem: (error as Error).message, diagnostics: diagnostics ?? [] };
  }
  isBusy.value = false;
}

export const ReloadButton = ({ done }: { done(): void }) => (
  <button type="button" class="button" disabled={isBusy.value} onClick={() => void reloadService().then(done)}>
    {isBusy.value ? t('Reading …') : t('Reload configuration')}
  </button>
);

export function ReloadResult() {
  const shown = result.value;
  if (!shown) return null;
  return (
    <div class="reload-result" role={'problem' in shown ? 'alert' : 'status'}>
      {'problem' in shown ? (
        <p>{t('Nothing has changed: {problem}', { problem: shown.problem })}</p>
      ) : (
        <p>
          {shown.changed.length === 0
            ? t('Read again: nothing is different.')
            : t('In force from the next call on: {settings}.', { settings: listText(shown.changed) })}
          {shown.needs_restart.length > 0 &&
            ` ${t('Taken at the next start only: {settings}.', { settings: listText(shown.needs_restart) })}`}
        </p>
      )}
      {shown.diagnostics.length > 0 && (
        <ul>
          {shown.diagnostics.map(({ severity, message, file, line, hint }) => (
            <li key={`${file} ${line} ${message}`}>
              <code>
                {file}:{line}
              </code>{' '}
              {severity}: {message}
              {hint !== undefined && `. ${hint}`}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
