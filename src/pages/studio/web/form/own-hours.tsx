/** Hours of a step or of a name of the flow: bars of the week, the time zone, holidays, and what they mean at a moment. */
import { isObject, type Json, type JsonObject } from '../../../../base/core/json.ts';
import { type Path, valueAt } from '../../../../language/flow/text/flow-source.ts';
import type { LanguageKey } from '../../../../language/flow/text/language.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { readTimeOfDay } from '../settings/dates.ts';
import { DAYS, type Day, daysOf, nameOfDay, rangesOf } from '../settings/schedule.ts';
import { flowIn, useForm, valueAtPath } from './context.ts';
import type { FormField } from './fields.ts';
import { focusAfterRemoval } from './focus.ts';
import { HolidayRows } from './holiday-rows.tsx';
import { HoursMoment } from './hours-moment.tsx';
import { Typing } from './typing.tsx';
import { unreadIn } from './week.ts';
import { WeekBars } from './week-bars.tsx';

/** True if the editor can show the hours. */
export const isReadHours = (hours: JsonObject): boolean =>
  listIn(hours, 'open').every((each) => isObject(each)) &&
  listIn(hours, 'holidays').every((each) => typeof each === 'string' || isObject(each));

const listIn = (hours: JsonObject, key: string): readonly Json[] => {
  const list = hours[key];
  return Array.isArray(list) ? list : [];
};

interface OwnHoursProps {
  /** Path of the hours, below the step. */
  path: Path;
  schema: LanguageKey;
  hours: JsonObject;
  /** Step whose routes a tested moment follows. Default: the step of the form. */
  ofStep?: string;
}

export function OwnHours({ path, schema, hours, ofStep }: OwnHoursProps) {
  const { step, flow, Field } = useForm();
  const open = listIn(hours, 'open');
  const unread = unreadIn(open);
  const owner = step || String(path.at(-1));
  return (
    <>
      <WeekBars path={[...path, 'open']} open={open} />
      {unread.map((index, at) => (
        <OpeningRow
          key={`${index} of ${open.length}`}
          path={[...path, 'open', index]}
          opening={open[index] as JsonObject}
          number={at + 1}
          owner={owner}
        />
      ))}
      <HoursMoment hours={{ timezone: usualZone(flow), ...hours }} step={ofStep ?? step} />
      <Field field={zoneField(path, schema, flow)} />
      <OwnZone path={[...path, 'timezone']} isSet={hours['timezone'] !== undefined} owner={owner} />
      <HolidayRows path={[...path, 'holidays']} holidays={listIn(hours, 'holidays')} owner={owner} />
    </>
  );
}

const usualZone = (flow: JsonObject): string => String(valueAt(flow, ['defaults', 'timezone']) ?? 'UTC');

/** The empty field shows the time zone that applies. */
const zoneField = (path: Path, { properties }: LanguageKey, flow: JsonObject): FormField => ({
  path: [...path, 'timezone'],
  label: t('Time zone'),
  key: { ...properties?.['timezone'], otherwise: usualZone(flow) },
  editor: 'text',
  isRequired: false,
});

/** Proposes the time zone of the browser, while another one applies without being chosen. */
function OwnZone({ path, isSet, owner }: { path: Path; isSet: boolean; owner: string }) {
  const { step, edits, flow, isLocked } = useForm();
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (isSet || isLocked || here === usualZone(flow)) return null;
  return (
    <button
      type="button"
      class="link"
      onClick={() => edits.set({ step, path, value: here, title: t('change time zone of {step}', { step: owner }) })}
    >
      {t('Use {here}', { here })}
    </button>
  );
}

interface OpeningProps {
  path: Path;
  opening: JsonObject;
  number: number;
  owner: string;
}

/** An opening that the bars cannot show, such as one with a time that does not exist. */
function OpeningRow({ path, opening, number, owner }: OpeningProps) {
  const { step, edits, isLocked } = useForm();
  const days = daysOf(opening['days']);
  const toggle = (day: Day): void => {
    const chosen = DAYS.filter((each) => days.includes(each) !== (each === day));
    if (chosen.length === 0) return;
    const ranges = rangesOf(chosen);
    // Without days, the hours are those of every day.
    const value: Json | undefined =
      chosen.length === DAYS.length ? undefined : ranges.length === 1 ? ranges[0]! : ranges;
    edits.set({ step, path: [...path, 'days'], value, title: t('change days of {step}', { step: owner }) });
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
      <TimeField path={[...path, 'from']} label={t('Hours {number} from', { number })} owner={owner} />
      <span aria-hidden="true">{t('to')}</span>
      <TimeField path={[...path, 'to']} label={t('Hours {number} to', { number })} owner={owner} />
      <button
        type="button"
        class="button quiet"
        aria-label={t('Remove hours {number}', { number })}
        disabled={isLocked}
        onClick={({ currentTarget }) => {
          focusAfterRemoval(currentTarget);
          edits.set({ step, path, value: undefined, title: t('remove opening hours of {step}', { step: owner }) });
        }}
      >
        ×
      </button>
    </span>
  );
}

function TimeField({ path, label, owner }: { path: Path; label: string; owner: string }) {
  const form = useForm();
  const { step, edits, isLocked } = form;
  const accept = (text: string): string | undefined => {
    const time = readTimeOfDay(text);
    if (time === undefined || (time === '24:00' && path.at(-1) === 'from')) return t('A time, such as 9:00 or 5 pm');
    const title = t('change opening hours of {step}', { step: owner });
    return edits.set({ step, path, value: time, title, field: path.join('.') });
  };
  return (
    <Typing
      label={label}
      shown={String(valueAtPath(form, path) ?? '')}
      now={() => String(valueAtPath({ ...form, flow: flowIn(form.draft.text.peek()) ?? {} }, path) ?? '')}
      accept={accept}
      isLocked={isLocked}
    />
  );
}
