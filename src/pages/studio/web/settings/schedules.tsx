/** Settings page for schedules: weekly opening hours and holidays. */
import { useSignal } from '@preact/signals';
import type { Json } from '../../../../base/core/json.ts';
import { request } from '../api.ts';
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
  ...{ slug: 'schedules', title: 'Schedules', one: 'schedule', list: '/admin/v1/schedules', key: 'schedules' },
  about: 'Opening hours used by flows.',
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
          <span>{schedule.holidays.length === 1 ? '1 holiday' : `${schedule.holidays.length} holidays`}</span>
        )}
      </span>
    </div>
  );
}

const describe = ({ open, timezone }: Schedule): string =>
  `Open ${open.map(({ days, from, to }) => `${days.map(nameOfDay).join(', ')} ${from} to ${to}`).join('; ') || 'never'}, ${timezone}`;

interface ScheduleFormProps {
  listed: ListedSchedule | undefined;
  done(next: Names | undefined): void;
}

function ScheduleForm({ listed, done }: ScheduleFormProps) {
  const name = useSignal(listed?.name ?? '');
  const schedule = useSignal(listed ? readSchedule(listed.schedule) : NEW_SCHEDULE);
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
      one="schedule"
      name={listed?.name}
      isLocked={isLocked}
      save={async () => {
        await put('schedule', name.value, path(), writtenSchedule(schedule.value));
        done({ name: name.value.trim() });
      }}
      remove={async () => {
        await request(path(), { method: 'DELETE' });
        done(undefined);
      }}
    >
      {!listed && <TextField id="schedule-name" label="Name" of={name} />}
      <div class="field">
        <label for="schedule-timezone">Time zone</label>
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
            Add opening hours
          </button>
        )}
      </div>
      <div class="field list">
        <label for="schedule-holidays">Holidays</label>
        <textarea
          id="schedule-holidays"
          rows={4}
          value={holidays.map(({ date, name: title }) => (title ? `${date} ${title}` : date)).join('\n')}
          onChange={(event) => change({ holidays: readHolidays(event.currentTarget.value) })}
        />
        <small>One per line: 2026-12-25 Christmas</small>
      </div>
    </SettingForm>
  );
}

const readHolidays = (text: string): { date: string; name?: string }[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [date, ...words] = line.split(/\s+/);
      return words.length === 0 ? { date: date! } : { date: date!, name: words.join(' ') };
    });

interface OpeningRowProps {
  opening: Opening;
  change(changes: Partial<Opening>): void;
  remove(): void;
}

function OpeningRow({ opening, change, remove }: OpeningRowProps) {
  const { days, from, to } = opening;
  return (
    <fieldset>
      <legend class="unseen">Opening hours</legend>
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
      <input
        aria-label="From"
        size={5}
        value={from}
        list={undefined}
        pattern="([01]\d|2[0-3]):[0-5]\d"
        onInput={(event) => change({ from: event.currentTarget.value })}
      />
      to
      <input
        aria-label="To"
        size={5}
        value={to}
        list={undefined}
        pattern="([01]\d|2[0-3]):[0-5]\d|24:00"
        onInput={(event) => change({ to: event.currentTarget.value })}
      />
      <button type="button" class="button quiet" aria-label="Remove these hours" onClick={remove}>
        ✕
      </button>
    </fieldset>
  );
}
