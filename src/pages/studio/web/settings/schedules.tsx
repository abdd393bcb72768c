/** Settings page for schedules: weekly opening hours and holidays. */
import { useSignal } from '@preact/signals';
import type { Json } from '../../../../base/core/json.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { request } from '../api.ts';
import { readDate, readTimeOfDay } from './dates.ts';
import { Holidays } from './holidays.tsx';
import {
  barsOf,
  DAYS,
  NEW_SCHEDULE,
  nameOfDay,
  type Opening,
  readSchedule,
  type Schedule,
  shareOfDay,
  writtenSchedule,
} from './schedule.ts';
import { put, SettingForm, TextField } from './setting-form.tsx';
import { type Names, Opener, SettingsListPage, useSettingsList } from './settings-list.tsx';

interface ListedSchedule {
  name: string;
  schedule: Record<string, Json>;
  configured: boolean;
}

const KIND = {
  ...{ slug: 'schedules', title: t('Schedules'), one: t('schedule'), list: '/admin/v1/schedules', key: 'schedules' },
  icon: 'calendar' as const,
  about: t('Opening hours used by flows.'),
};

export function SchedulesPage() {
  const of = useSettingsList<ListedSchedule>(KIND, ({ name }) => ({ name }), ['name']);
  return (
    <SettingsListPage of={of} form={(listed) => <ScheduleForm key={of.formKey} listed={listed} done={of.done} />}>
      {of.items.map((item) => (
        <section key={item.name} class="form">
          <h2>
            <Opener of={of} item={item}>
              {item.name}
            </Opener>
          </h2>
          <Week schedule={readSchedule(item.schedule)} />
        </section>
      ))}
    </SettingsListPage>
  );
}

function Week({ schedule }: { schedule: Schedule }) {
  const bars = barsOf(schedule.open);
  return (
    <div class="week" role="img" aria-label={describe(schedule)}>
      {DAYS.map((day) => [
        <span key={day}>{nameOfDay(day)}</span>,
        <div key={`${day} bars`} class="day">
          {bars
            .filter((bar) => bar.day === day)
            .map(({ fromMinute, toMinute, text }) => (
              <i
                key={`${fromMinute} ${toMinute}`}
                style={{ left: shareOfDay(fromMinute), width: shareOfDay(toMinute - fromMinute) }}
              >
                {text}
              </i>
            ))}
        </div>,
      ])}
      <span class="hours">
        {['0:00', '6:00', '12:00', '18:00', '24:00'].map((hour) => (
          <span key={hour}>{hour}</span>
        ))}
      </span>
      <span class="hours">
        <span>{schedule.timezone}</span>
        {schedule.holidays.length > 0 && (
          <span>{t('{count, plural, one {# holiday} other {# holidays}}', { count: schedule.holidays.length })}</span>
        )}
      </span>
    </div>
  );
}

const describe = ({ open, timezone }: Schedule): string =>
  t('Open {open}, {timezone}', {
    open:
      open
        .map(({ days, from, to }) => t('{days} {from} to {to}', { days: days.map(nameOfDay).join(', '), from, to }))
        .join('; ') || t('never'),
    timezone,
  });

interface ScheduleFormProps {
  listed: ListedSchedule | undefined;
  done(next: Names | undefined): void;
}

function ScheduleForm({ listed, done }: ScheduleFormProps) {
  const name = useSignal(listed?.name ?? '');
  const schedule = useSignal(listed ? readSchedule(listed.schedule) : NEW_SCHEDULE);
  const isChecked = useSignal(false);
  const isLocked = listed?.configured === true;
  const change = (changes: Partial<Schedule>): void => {
    schedule.value = { ...schedule.value, ...changes };
  };
  const changeOpening = (index: number, changes: Partial<Opening>): void =>
    change({ open: schedule.value.open.map((each, at) => (at === index ? { ...each, ...changes } : each)) });
  const path = (): string => `/admin/v1/schedules/${encodeURIComponent(name.value.trim())}`;
  const { timezone, open, holidays } = schedule.value;
  return (
    <SettingForm
      one={t('schedule')}
      name={listed?.name}
      isLocked={isLocked}
      save={async () => {
        isChecked.value = true;
        if (!isReadable(schedule.value)) return;
        await put('schedule', name.value, path(), writtenSchedule(schedule.value));
        done({ name: name.value.trim() });
      }}
      remove={async () => {
        await request(path(), { method: 'DELETE' });
        done(undefined);
      }}
    >
      {!listed && <TextField id="schedule-name" label={t('Name')} of={name} />}
      <div class="field">
        <label for="schedule-timezone">{t('Time zone')}</label>
        <input
          id="schedule-timezone"
          value={timezone}
          list="timezones"
          onInput={(event) => change({ timezone: event.currentTarget.value })}
        />
        <datalist id="timezones">
          {Intl.supportedValuesOf('timeZone').map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
      </div>
      <div class="openings">
        {open.map((opening, index) => (
          <OpeningRow
            key={index}
            opening={opening}
            isChecked={isChecked.value}
            change={(changes) => changeOpening(index, changes)}
            remove={() => change({ open: open.filter((_, at) => at !== index) })}
          />
        ))}
        {!isLocked && (
          <button
            type="button"
            class="button"
            onClick={() => change({ open: [...open, { days: ['sat'], from: '10:00', to: '12:00' }] })}
          >
            {t('Add opening hours')}
          </button>
        )}
      </div>
      <Holidays
        holidays={holidays}
        isLocked={isLocked}
        isChecked={isChecked.value}
        change={(next) => change({ holidays: next })}
      />
    </SettingForm>
  );
}

const isReadable = ({ open, holidays }: Schedule): boolean =>
  holidays.every(({ date }) => readDate(date).problem === undefined) &&
  open.every(({ from, to }) => readTimeOfDay(from) !== undefined && readTimeOfDay(to) !== undefined);

interface OpeningRowProps {
  opening: Opening;
  /** True once the form was sent. */
  isChecked: boolean;
  change(changes: Partial<Opening>): void;
  remove(): void;
}

function OpeningRow({ opening, isChecked, change, remove }: OpeningRowProps) {
  const { days, from, to } = opening;
  return (
    <fieldset>
      <legend class="unseen">{t('Opening hours')}</legend>
      {DAYS.map((day) => (
        <label key={day} class="day-box">
          <input
            type="checkbox"
            checked={days.includes(day)}
            onChange={() =>
              change({ days: DAYS.filter((each) => (each === day ? !days.includes(day) : days.includes(each))) })
            }
          />
          {nameOfDay(day)}
        </label>
      ))}
      <TimeField label={t('From')} of={from} isChecked={isChecked} change={(time) => change({ from: time })} />
      {t('to')}
      <TimeField label={t('To')} of={to} isChecked={isChecked} change={(time) => change({ to: time })} />
      <button type="button" class="button quiet" aria-label={t('Remove these hours')} onClick={remove}>
        ✕
      </button>
    </fieldset>
  );
}

/** Length from which a typed time is complete. See `holidays.tsx`. */
const COMPLETE = '17:30'.length;

interface TimeFieldProps {
  label: string;
  of: string;
  isChecked: boolean;
  change(time: string): void;
}

function TimeField({ label, of, isChecked, change }: TimeFieldProps) {
  const time = readTimeOfDay(of);
  const isWrong = time === undefined && (isChecked || of.length >= COMPLETE);
  return (
    <>
      <input
        aria-label={label}
        size={5}
        value={of}
        list={undefined}
        aria-invalid={isWrong}
        onInput={({ currentTarget: { value } }) => change(value)}
        onChange={() => time !== undefined && change(time)}
      />
      {isWrong && <small class="problem">{t('Write a time as 17:30.')}</small>}
    </>
  );
}
