/** Search for a property of the step by its name, also in the part that is closed. The key `/` in the form opens it. */
import { t } from '../../../shared/web/words/translate.ts';
import { CONTROLS } from '../shell/commands.ts';
import { announce } from '../shell/messages.tsx';
import { rankOf } from '../shell/rank.ts';
import type { FormField, StepForm } from './fields.ts';
import { openFolds, toggleFold } from './folds.ts';

const FLASH_MS = 1200;

interface PropertySearchProps {
  fields: StepForm;
  close(): void;
}

export function PropertySearch({ fields, close }: PropertySearchProps) {
  const all = [...fields.essentials, ...(fields.remember ? [fields.remember] : []), ...fields.more];
  const go = (wanted: string): void => {
    const found = bestOf(all, wanted);
    if (found === undefined) {
      announce(t('No property is called {wanted}', { wanted }));
      return;
    }
    if (fields.more.includes(found) && !openFolds.peek().has('more')) toggleFold('more');
    close();
    requestAnimationFrame(() => show(found));
  };
  return (
    <input
      type="search"
      class="property-search"
      aria-label={t('Find a property of the step')}
      placeholder={t('Find a property, such as “tries”')}
      onKeyDown={(event) => {
        if (event.key === 'Enter') {
          event.preventDefault();
          go(event.currentTarget.value);
        } else if (event.key === 'Escape') {
          event.preventDefault();
          event.stopPropagation();
          close();
        }
      }}
      onBlur={close}
      ref={(input) => input?.focus()}
    />
  );
}

/** The field whose label or key fits best. */
export function bestOf(fields: readonly FormField[], wanted: string): FormField | undefined {
  if (wanted.trim() === '') return undefined;
  const ranked = fields.map((field) => {
    const names = [field.label, ...field.path.map((key) => String(key).replaceAll('_', ' ')), field.path.join('.')];
    return { field, rank: Math.min(...names.map((name) => rankOf(name, wanted))) };
  });
  const best = ranked.toSorted((one, other) => one.rank - other.rank)[0];
  return best !== undefined && Number.isFinite(best.rank) ? best.field : undefined;
}

function show({ path }: FormField): void {
  const field = document.querySelector<HTMLElement>(`.form [data-field="${CSS.escape(path.join('.'))}"]`);
  field?.scrollIntoView({ block: 'center' });
  field?.querySelector<HTMLElement>(CONTROLS)?.focus();
  field?.classList.add('found');
  setTimeout(() => field?.classList.remove('found'), FLASH_MS);
}
