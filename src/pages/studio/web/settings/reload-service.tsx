/** Button that reloads the configuration, and its result. Part of the health page. */
import { signal } from '@preact/signals';
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
    {isBusy.value ? 'Reading …' : 'Reload configuration'}
  </button>
);

export function ReloadResult() {
  const shown = result.value;
  if (!shown) return null;
  return (
    <div class="reload-result" role={'problem' in shown ? 'alert' : 'status'}>
      {'problem' in shown ? (
        <p>Nothing has changed: {shown.problem}</p>
      ) : (
        <p>
          {shown.changed.length === 0
            ? 'Read again: nothing is different.'
            : `In force from the next call on: ${shown.changed.join(', ')}.`}
          {shown.needs_restart.length > 0 && ` Taken at the next start only: ${shown.needs_restart.join(', ')}.`}
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
