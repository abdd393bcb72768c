/** Description of the flow language from the service, loaded once. */
import type { Language } from '../../../flow/text/language.ts';
import { request } from '../api.ts';

let loading: Promise<Language> | undefined;

export function loadLanguage(): Promise<Language> {
  loading ??= request<Language>('/admin/v1/language').catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}
