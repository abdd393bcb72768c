/** Schedules as a week: when it is open, and on which days it is not. */
import { useSignal } from '@preact/signals';
import { type Json, request } from '../api.ts';
import { Icon } from '../icons.tsx';
import { useCommands } from '../shell/commands.ts';
import { Keys } from '../shell/keys.tsx';
import { useLoaded } from '../shell/load.ts';
import { tell, tellError } from '../shell/messages.tsx';
import { choose, place } from '../shell/router.ts';
import { FormEnd } from './form-end.tsx';
import { SettingsFrame } from './frame.tsx';
import {
  barsOf,
  DAYS,
  NEW_SCHEDULE,
  type Opening,
  readSchedule,
  type Schedule,
  shareOfDay,
  writtenSchedule,
} from './schedule.ts';

interface Listed {
  name: string;
  schedule: Record<string, Json>;
  configured: boolean;
}

export function SchedulesPage() {
  const { loaded, reload } = useLoaded(async () => {
    const { schedules } = await request<{ schedules: Listed[] }>('/admin/v1/schedules');
    return schedules;
  });
  const make = (): void => choose({ name: undefined, new: '1' });
  useCommands(() => [{ title: 'New schedule', keys: 'n', group: 'Schedules', run: make }]);
  const { name: chosen, new: isNew } = place.value.query;
  const schedules = loaded.value.state === 'there' ? loaded.value.value : [];
  const listed = schedules.find(({ name }) => name === chosen);
  const done = (next: string | undefined): void => {
    choose({ name: next, new: undefined });
    reload();
  };
  return (
    <SettingsFrame
      slug="schedules"
      title="Schedules"
      about="Opening hours that flows name: outcomes open, closed and holiday."
      actions={
        <button type="button" class="button primary" onClick={make}>
          New schedule <Keys of="n" />
        </button>
      }
    >
      {loaded.value.state === 'failed' && <p role="alert">{loaded.value.error.message}</p>}
      {loaded.value.state === 'there' && schedules.length === 0 && isNew === undefined && (
        <p class="empty">No schedules yet.</p>
      )}
      <div class="list-and-form">
        {schedules.map(({ name, schedule, configured }) => (
          <section key={name} class="form">
            <h2>
              <button type="button" class="link" onClick={() => choose({ name, new: undefined })}>
                {name}
              </button>
              {configured && <Locked />}
            </h2>
            <Week schedule={readSchedule(schedule)} />
          </section>
        ))}
        {(listed || isNew !== undefined) && <ScheduleForm key={chosen ?? 'new'} listed={listed} done={done} />}
      </div>
    </SettingsFrame>
  );
}

const Locked = () => (
  <span class="locked" title="Set in the configuration file">
    <Icon name="lock" size={12} />
    <span class="unseen">set in the configuration file</span>
  </span>
);

function Week({ schedule }: { schedule: Schedule }) {
  const bars = barsOf(schedule.open);
  return (
    <div class="week" role="img" aria-label={describe(schedule)}>
      {DAYS.map((day) => [
        <span key={day}>{day}</span>,
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
        {schedule.holidays.length > 0 && <span>{schedule.holidays.length} holidays</span>}
      </span>
    </div>
  );
}

const describe = ({ open, timezone }: Schedule): string =>
  `Open ${open.map(({ days, from, to }) => `${days.join(', ')} ${from} to ${to}`).join('; ') || 'never'}, ${timezone}`;

interface ScheduleFormProps {
  listed: Listed | undefined;
  done(name: string | undefined): void;
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
  const save = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    try {
      await request(path(), { method: 'PUT', json: writtenSchedule(schedule.value) });
      tell(`Saved: schedule ${name.value}`);
      done(name.value.trim());
    } catch (error) {
      tellError(error);
    }
  };
  const remove = async (): Promise<void> => {
    if (!confirm(`Remove the schedule ${name.value}?`)) return;
    try {
      await request(path(), { method: 'DELETE' });
      done(undefined);
    } catch (error) {
      tellError(error);
    }
  };
  const { timezone, open, holidays } = schedule.value;
  return (
    <form class="form" onSubmit={save} aria-label={listed ? `schedule ${listed.name}` : 'New schedule'}>
      <h2>{listed?.name ?? 'New schedule'}</h2>
      {isLocked && <p class="locked">Set in the configuration file: change it there.</p>}
      {!listed && (
        <div class="field">
          <label for="schedule-name">Name</label>
          <input
            id="schedule-name"
            required
            value={name.value}
            list={undefined}
            onInput={(event) => {
              name.value = event.currentTarget.value;
            }}
          />
        </div>
      )}
      <div class="field">
        <label for="schedule-timezone">Time zone</label>
        <input
          id="schedule-timezone"
          value={timezone}
          list="timezones"
          disabled={isLocked}
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
            isLocked={isLocked}
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
          disabled={isLocked}
          value={holidays.map(({ date, name: title }) => (title ? `${date} ${title}` : date)).join('\n')}
          onChange={(event) => change({ holidays: readHolidays(event.currentTarget.value) })}
        />
        <small>One a line: 2026-12-25 Christmas</small>
      </div>
      {!isLocked && <FormEnd remove={listed && remove} />}
    </form>
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
  isLocked: boolean;
  change(changes: Partial<Opening>): void;
  remove(): void;
}

function OpeningRow({ opening, isLocked, change, remove }: OpeningRowProps) {
  const { days, from, to } = opening;
  return (
    <fieldset disabled={isLocked}>
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
          {day}
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
