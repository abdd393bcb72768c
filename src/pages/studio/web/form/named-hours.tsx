/** Section of the flow's form for its named opening hours, which several steps can use. */
import { isObject, type Json, type JsonObject } from '../../../../base/core/json.ts';
import { namedAt, placesNaming, valuesAt } from '../../../../language/flow/named-places.ts';
import { valueAt } from '../../../../language/flow/text/flow-source.ts';
import { keyOfPath, type Language } from '../../../../language/flow/text/language.ts';
import { keysAt } from '../../../../language/flow/text/references.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { useForm } from './context.ts';
import { openFolds, toggleFold } from './folds.ts';
import { AddField } from './list-editor.tsx';
import { isReadHours, OwnHours } from './own-hours.tsx';
import { RowName, renameEverywhere } from './row-name.tsx';
import { hoursIn } from './week.ts';
import { sayWeek } from './week-words.ts';

const NAME = /^[\p{L}_][\p{L}\p{M}\p{N}_-]{0,63}$/u;

export function NamedHours() {
  const { flow, language, edits, isLocked } = useForm();
  const names = keysAt(flow, ['schedules']);
  if (names.length === 0 && isLocked) return null;
  const add = (text: string): string | undefined => {
    const name = text.trim().replaceAll(/\s+/g, '_');
    if (!NAME.test(name)) return t('Letters, digits and _');
    if (names.includes(name)) return t('There is {name} already', { name });
    const title = t('add opening hours {name}', { name });
    return edits.set({ step: '', path: ['schedules', name], value: firstHours(language), title });
  };
  return (
    <section class="form-section" aria-label={t('Opening hours')}>
      <h3>{t('Opening hours')}</h3>
      <div class="list-rows">
        {names.map((name) => (
          <HoursOfName key={name} name={name} />
        ))}
        {!isLocked && (
          <AddField label={t('Opening hours')} placeholder={t('Name of opening hours, such as office')} add={add} />
        )}
      </div>
    </section>
  );
}

/** Hours that a new step of this kind begins with. */
export function firstHours({ verbs }: Language): Json {
  const verb = Object.values(verbs).find(({ names }) => namedAt(names, []) === 'schedule');
  return verb?.picker?.begins ?? { open: [] };
}

function HoursOfName({ name }: { name: string }) {
  const form = useForm();
  const { flow, language, edits, isLocked } = form;
  const hours = valueAt(flow, ['schedules', name]) ?? null;
  const users = usersOf(flow, name, language);
  const isRead = isObject(hours) && isReadHours(hours);
  const fold = `hours ${name}`;
  const isOpen = openFolds.value.has(fold);
  const said = isRead ? sayWeek(hoursIn(openIn(hours))) : t('These hours are only in the YAML.');
  const title = t('remove opening hours {name}', { name });
  return (
    <div class="named-hours">
      <span class="name-row" data-name-kind="schedule" data-name={name}>
        <RowName name={name} kind="schedule" rename={(to) => renameEverywhere(form, 'schedule', name, to)} />
      </span>
      <button
        type="button"
        class="fold-head inner"
        aria-expanded={isOpen}
        aria-label={`${name}: ${said}`}
        onClick={() => toggleFold(fold)}
      >
        <span>{said}</span>
      </button>
      {isOpen && (
        <div class="inner-fields">
          {isRead && (
            <span class="hours-of-step">
              <OwnHours
                path={['schedules', name]}
                hours={hours}
                schema={keyOfPath(language, ['schedules', name]) ?? {}}
              />
            </span>
          )}
          {users.length > 0 && <p class="form-said">{t('Used by {steps}', { steps: users.join(', ') })}</p>}
          {users.length === 0 && !isLocked && (
            <button
              type="button"
              class="link"
              onClick={() => edits.set({ step: '', path: ['schedules', name], value: undefined, title })}
            >
              {t('Remove {name}', { name })}
            </button>
          )}
        </div>
      )}
    </div>
  );
}

const openIn = (hours: JsonObject): readonly Json[] => (Array.isArray(hours['open']) ? hours['open'] : []);

/** Steps that use hours of this name, also those of local flows. */
export function usersOf(flow: JsonObject, name: string, language: Language): string[] {
  const own = keysAt(flow, ['steps']).filter((step) =>
    keysAt(flow, ['steps', step]).some((verb) =>
      placesNaming(Object.hasOwn(language.verbs, verb) ? language.verbs[verb]!.names : undefined, 'schedule').some(
        (pointer) => [...valuesAt(valueAt(flow, ['steps', step, verb]), pointer)].some(([, value]) => value === name),
      ),
    ),
  );
  const local = keysAt(flow, ['flows']).flatMap((inner) => {
    const within = valueAt(flow, ['flows', inner]) ?? null;
    return isObject(within) ? usersOf(within, name, language) : [];
  });
  return [...own, ...local];
}
