/** Opening hours: those of a name, or hours and holidays of the step itself, typed as people write them. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { isObject, type Json, type JsonObject } from '../../../../base/core/json.ts';
import type { Path } from '../../../../language/flow/text/flow-source.ts';
import { valueAt } from '../../../../language/flow/text/flow-source.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { request } from '../api.ts';
import { readDate, readTimeOfDay } from '../settings/dates.ts';
import { holidaysIn } from '../settings/holidays.tsx';
import { DAYS, type Day, daysOf, type Holiday, nameOfDay, rangesOf } from '../settings/schedule.ts';
import { type EditorProps, flowIn, pathInFlow, useForm, valueAtPath } from './context.ts';
import type { FormField } from './fields.ts';
import { focusAfterRemoval } from './focus.ts';
import { AddField } from './list-editor.tsx';
import { Typing } from './typing.tsx';

/** Value of the option for hours of the step itself. */
const OWN = '$own';

export function ScheduleEditor({ field, value }: EditorProps) {
  const { flow, step, edits, language, isLocked } = useForm();
  const ofService = useSignal<readonly string[]>([]);
  useEffect(() => {
    void namesOfService().then((names) => (ofService.value = names));
  }, []);
  const own = isObject(value ?? null) ? (value as JsonObject) : undefined;
  const inFlow = Object.keys(Object(flow['schedules']) as object);
  const used = typeof value === 'string' ? [value] : [];
  const names = [...new Set([...inFlow, ...ofService.value, ...used])];
  const choose = (name: string): void => {
    const begins = language.verbs[String(field.path[0])]?.picker?.begins;
    const to = name === OWN ? begins : name;
    edits.set({ step, path: field.path, value: to, title: t('change opening hours of {step}', { step }) });
  };
  return (
    <span class="hours-of-step">
      {(own === undefined || names.length > 0) && (
        <select
          aria-label={field.label}
          disabled={isLocked}
          value={own === undefined ? String(value ?? '') : OWN}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
        >
          {own === undefined && used.length === 0 && <option value="">{t('Choose opening hours')}</option>}
          <option value={OWN}>{t('Hours of this step')}</option>
          {names.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
      {own !== undefined && <OwnHours field={field} hours={own} />}
    </span>
  );
}

/** Names of the opening hours of the service. Empty without the right to list them. */
async function namesOfService(): Promise<string[]> {
  try {
    const { schedules } = await request<{ schedules: { name: string }[] }>('/admin/v1/schedules');
    return schedules.map(({ name }) => name);
  } catch {
    return [];
  }
}

/** True if the editor can show the value. */
export const isSchedule = (value: Json): boolean =>
  !isObject(value)
    ? typeof value === 'string'
    : listIn(value, 'open').every((each) => isObject(each)) &&
      listIn(value, 'holidays').every((each) => typeof each === 'string' || isObject(each));

const listIn = (hours: JsonObject, key: string): readonly Json[] => {
  const list = hours[key];
  return Array.isArray(list) ? list : [];
};

function OwnHours({ field, hours }: { field: FormField; hours: JsonObject }) {
  const form = useForm();
  const { step, edits, isLocked, Field } = form;
  const openings = listIn(hours, 'open');
  const path: Path = [...field.path, 'open'];
  const add = (): void => {
    const { from = '09:00', to = '17:00' } = Object(openings.at(-1)) as Record<string, Json>;
    const value: Json = { days: 'sat', from, to };
    const title = t('add opening hours to {step}', { step });
    edits.change(() => [{ do: 'insert', path: pathInFlow(form, path), index: openings.length, value }], title);
  };
  return (
    <>
      {openings.map((opening, index) => (
        <Opening
          key={`${index} of ${openings.length}`}
          path={[...path, index]}
          opening={isObject(opening) ? opening : {}}
          number={index + 1}
          isOnly={openings.length === 1}
        />
      ))}
      {!isLocked && (
        <button type="button" class="button add-field" onClick={add}>
          {t('+ Add hours')}
        </button>
      )}
      <Field field={zoneField(field, form.flow)} />
      <OwnZone path={[...field.path, 'timezone']} isSet={hours['timezone'] !== undefined} />
      <Holidays path={[...field.path, 'holidays']} holidays={listIn(hours, 'holidays')} />
    </>
  );
}

const usualZone = (flow: JsonObject): string => String(valueAt(flow, ['defaults', 'timezone']) ?? 'UTC');

/** The empty field shows the time zone that applies. */
const zoneField = ({ path, key }: FormField, flow: JsonObject): FormField => ({
  path: [...path, 'timezone'],
  label: t('Time zone'),
  key: { ...key.properties?.['timezone'], otherwise: usualZone(flow) },
  editor: 'text',
  isRequired: false,
});

/** Proposes the time zone of the browser, while another one applies without being chosen. */
function OwnZone({ path, isSet }: { path: Path; isSet: boolean }) {
  const { step, edits, flow, isLocked } = useForm();
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (isSet || isLocked || here === usualZone(flow)) return null;
  return (
    <button
      type="button"
      class="link"
      onClick={() => edits.set({ step, path, value: here, title: t('change time zone of {step}', { step }) })}
    >
      {t('Use {here}', { here })}
    </button>
  );
}

interface OpeningProps {
  path: Path;
  opening: JsonObject;
  number: number;
  isOnly: boolean;
}

function Opening({ path, opening, number, isOnly }: OpeningProps) {
  const { step, edits, isLocked } = useForm();
  const days = daysOf(opening['days']);
  const toggle = (day: Day): void => {
    const chosen = DAYS.filter((each) => days.includes(each) !== (each === day));
    if (chosen.length === 0) return;
    const ranges = rangesOf(chosen);
    // Without days, the hours are those of every day.
    const value: Json | undefined =
      chosen.length === DAYS.length ? undefined : ranges.length === 1 ? ranges[0]! : ranges;
    edits.set({ step, path: [...path, 'days'], value, title: t('change days of {step}', { step }) });
  };
  return (
    <span class="opening" role="group" aria-label={t('Hours {number}', { number })}>
      <span class="segments">
        {DAYS.map((day) => (
          <button
            key={day}
            type="button"
            aria-pressed={days.includes(day)}
            disabled={isLocked}
            onClick={() => toggle(day)}
          >
            {nameOfDay(day)}
          </button>
        ))}
      </span>
      <TimeField path={[...path, 'from']} label={t('Hours {number} from', { number })} value={opening['from']} />
      <span aria-hidden="true">{t('to')}</span>
      <TimeField path={[...path, 'to']} label={t('Hours {number} to', { number })} value={opening['to']} />
      <button
        type="button"
        class="button quiet"
        aria-label={t('Remove hours {number}', { number })}
        disabled={isLocked || isOnly}
        onClick={({ currentTarget }) => {
          focusAfterRemoval(currentTarget);
          edits.set({ step, path, value: undefined, title: t('remove opening hours of {step}', { step }) });
        }}
      >
        ×
      </button>
    </span>
  );
}

function TimeField({ path, label, value }: { path: Path; label: string; value: Json | undefined }) {
  const form = useForm();
  const { step, edits, isLocked } = form;
  const accept = (text: string): string | undefined => {
    const time = readTimeOfDay(text);
    if (time === undefined || (time === '24:00' && path.at(-1) === 'from')) return t('A time, such as 9:00 or 5 pm');
    return edits.set({
      step,
      path,
      value: time,
      title: t('change opening hours of {step}', { step }),
      field: path.join('.'),
    });
  };
  return (
    <Typing
      label={label}
      shown={String(value ?? '')}
      now={() => String(valueAtPath({ ...form, flow: flowIn(form.draft.text.peek()) ?? {} }, path) ?? '')}
      accept={accept}
      isLocked={isLocked}
    />
  );
}

function Holidays({ path, holidays }: { path: Path; holidays: readonly Json[] }) {
  const form = useForm();
  const { step, edits, isLocked } = form;
  const add = (text: string): string | undefined => {
    const { date, name }: Holiday = holidaysIn(text)[0] ?? { date: '' };
    const { problem } = readDate(date);
    if (problem !== undefined) return problem;
    const value: Json = name === undefined ? date : { date, name };
    const title = t('add a holiday to {step}', { step });
    if (holidays.length === 0) return edits.set({ step, path, value: [value], title });
    const index = holidays.length;
    return edits.change(() => [{ do: 'insert', path: pathInFlow(form, path), index, value }], title);
  };
  return (
    <span class="list-rows" role="group" aria-label={t('Holidays')}>
      {holidays.map((holiday, index) => (
        <span class="list-row" key={`${index} of ${holidays.length}`}>
          <span>{isObject(holiday) ? `${holiday['date']} ${holiday['name'] ?? ''}` : String(holiday)}</span>
          <button
            type="button"
            class="button quiet"
            aria-label={t('Remove holiday {number}', { number: index + 1 })}
            disabled={isLocked}
            onClick={({ currentTarget }) => {
              focusAfterRemoval(currentTarget);
              edits.set({
                step,
                path: [...path, index],
                value: undefined,
                title: t('remove a holiday of {step}', { step }),
              });
            }}
          >
            ×
          </button>
        </span>
      ))}
      {!isLocked && (
        <AddField label={t('Holidays')} placeholder={t('Holiday, such as 25.12.2026 Christmas')} add={add} />
      )}
    </span>
  );
}
