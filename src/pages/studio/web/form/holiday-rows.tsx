/** Holidays of opening hours: a row for each with its date and its name, and a field or a calendar for the next. */
import { isObject, type Json } from '../../../../base/core/json.ts';
import type { Path } from '../../../../language/flow/text/flow-source.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { CalendarButton } from '../settings/calendar-button.tsx';
import { readDate } from '../settings/dates.ts';
import { holidaysIn } from '../settings/holidays.tsx';
import type { Holiday } from '../settings/schedule.ts';
import { flowIn, pathInFlow, useForm, valueAtPath } from './context.ts';
import { focusAfterRemoval } from './focus.ts';
import { AddField } from './list-editor.tsx';
import { Typing } from './typing.tsx';

interface HolidaysProps {
  path: Path;
  holidays: readonly Json[];
  /** Name of the hours in titles of edits. */
  owner: string;
}

export function HolidayRows({ path, holidays, owner }: HolidaysProps) {
  const form = useForm();
  const { step, edits, isLocked } = form;
  const add = (added: readonly Holiday[]): string | undefined => {
    const problem = added.map(({ date }) => readDate(date).problem).find((each) => each !== undefined);
    if (problem !== undefined || added.length === 0) return problem;
    const values = added.map(({ date, name }): Json => (name === undefined ? date : { date, name }));
    const title = t('add a holiday to {step}', { step: owner });
    if (holidays.length === 0) return edits.set({ step, path, value: values, title });
    const at = pathInFlow(form, path);
    return edits.change(
      () => values.map((value) => ({ do: 'insert', path: at, index: holidays.length, value })),
      title,
    );
  };
  return (
    <span class="list-rows" role="group" aria-label={t('Holidays')}>
      <span class="form-label">{t('Holidays')}</span>
      {holidays.map((holiday, index) => (
        <HolidayRow
          key={`${index} of ${holidays.length}`}
          path={[...path, index]}
          holiday={isObject(holiday) ? holiday : { date: holiday }}
          isShort={!isObject(holiday)}
          number={index + 1}
          owner={owner}
        />
      ))}
      {!isLocked && (
        <span class="holiday-add">
          <AddField
            label={t('Holidays')}
            placeholder={t('Holiday, such as 25.12.2026 Christmas')}
            add={(text) => add(holidaysIn(text))}
          />
          <CalendarButton label={t('Choose a holiday')} choose={(date) => void add([{ date }])} />
        </span>
      )}
    </span>
  );
}

interface RowProps {
  path: Path;
  holiday: Readonly<Record<string, Json>>;
  /** True for a date without a map. */
  isShort: boolean;
  number: number;
  owner: string;
}

function HolidayRow({ path, holiday, isShort, number, owner }: RowProps) {
  const form = useForm();
  const { step, edits, isLocked } = form;
  const title = t('change a holiday of {step}', { step: owner });
  const now = (): Json | undefined => valueAtPath({ ...form, flow: flowIn(form.draft.text.peek()) ?? {} }, path);
  const setDate = (text: string): string | undefined => {
    const { iso, problem } = { iso: '', ...readDate(text) };
    if (problem !== undefined) return problem;
    return edits.set({
      step,
      path: isObject(now() ?? null) ? [...path, 'date'] : path,
      value: iso,
      title,
      field: path.join('.'),
    });
  };
  const setName = (text: string): string | undefined => {
    const written = now();
    const name = text.trim();
    if (isObject(written ?? null))
      return edits.set({
        step,
        path: [...path, 'name'],
        value: name === '' ? undefined : name,
        title,
        field: path.join('.'),
      });
    const value: Json = name === '' ? (written ?? '') : { date: written ?? '', name };
    return edits.set({ step, path, value, title, field: path.join('.') });
  };
  const shown = (key: string): string => {
    const written = now();
    return String(
      (isObject(written ?? null) ? (written as Record<string, Json>)[key] : key === 'date' ? written : '') ?? '',
    );
  };
  return (
    <span class="holiday-row list-row" data-short={isShort}>
      <Typing
        label={t('Date of holiday {number}', { number })}
        shown={String(holiday['date'] ?? '')}
        now={() => shown('date')}
        accept={setDate}
        isLocked={isLocked}
      />
      <Typing
        label={t('Name of holiday {number}', { number })}
        shown={String(holiday['name'] ?? '')}
        now={() => shown('name')}
        accept={setName}
        isLocked={isLocked}
        placeholder={t('Christmas')}
      />
      <button
        type="button"
        class="button quiet"
        aria-label={t('Remove holiday {number}', { number })}
        disabled={isLocked}
        onClick={({ currentTarget }) => {
          focusAfterRemoval(currentTarget);
          edits.set({ step, path, value: undefined, title: t('remove a holiday of {step}', { step: owner }) });
        }}
      >
        ×
      </button>
    </span>
  );
}
