/**
 * Reasons for which the service refused a form, by field and in words for people. Pure; used by forms.
 *
 * The service names a place in the body by its JSON pointer (`at /max_calls: must be at least 1`), or a field by its
 * name (`webhook: …`). Everything else concerns the form as a whole.
 */

import { t } from '../../../shared/web/words/translate.ts';
import { ServiceError } from '../api.ts';

export interface FormRefusal {
  /** Problem of each field, by its name. A place inside a field counts for the field. */
  fields: Readonly<Record<string, string>>;
  /** Problem of the whole form. */
  form?: string;
}

const POINTED = /^at (\/\S*): (.*)$/s;
const NAMED = /^([a-z][a-z0-9_]*): (.*)$/s;
const MISSING = /^the key `?([a-z0-9_]+)`? is missing$/;

export function refusalOf(error: unknown, fields: readonly string[]): FormRefusal {
  const message = error instanceof Error ? error.message : String(error);
  const hint = error instanceof ServiceError ? error.hint : undefined;
  const [, pointer, pointed] = POINTED.exec(message) ?? [];
  const [, named, rest] = NAMED.exec(message) ?? [];
  const reason = pointed ?? rest ?? message;
  const missing = MISSING.exec(reason)?.[1];
  const field = missing ?? pointer?.split('/')[1] ?? named;
  if (field !== undefined && fields.includes(field)) {
    return { fields: { [field]: missing === undefined ? sentence(reason, hint) : NEEDED } };
  }
  return { fields: {}, form: sentence(pointed ?? message, hint) };
}

export const NEEDED = t('Fill this in.');

/** `must be text` → `Must be text.` */
export function sentence(reason: string, hint?: string): string {
  const text = [reason, hint].filter((part) => part !== undefined && part !== '').join('. ');
  const plain = text.replaceAll('`', '');
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}${/[.?!]$/.test(plain) ? '' : '.'}`;
}
