/** Description of the flow language from the service, loaded once. */
import { signal } from '@preact/signals';
import type { Language } from '../../../../language/flow/text/language.ts';
import { request } from '../api.ts';

/** Undefined until the first `loadLanguage` has succeeded. */
export const loadedLanguage = signal<Language | undefined>(undefined);

let loading: Promise<Language> | undefined;

export function loadLanguage(): Promise<Language> {
  loading ??= request<Language>('/admin/v1/language').then(
    (language) => (loadedLanguage.value = language),
    (error: unknown) => {
      loading = undefined;
      throw error;
    },
  );
  return loading;
}
