/** Holidays of a schedule: a row for each, with a date picker and a typed date. `dates.ts` reads what is typed. */
import { t } from '../../../shared/web/words/translate.ts';
import { CalendarButton } from './calendar-button.tsx';
import { readDate } from './dates.ts';
import type { Holiday } from './schedule.ts';

interface HolidaysProps {
  holidays: readonly Holiday[];
  isLocked: boolean;
  /** True once the form was sent: unreadable dates are marked. */
  isChecked: boolean;
  change(holidays: readonly Holiday[]): void;
}

export function Holidays({ holidays, isLocked, isChecked, change }: HolidaysProps) {
  const set = (index: number, changes: Partial<Holiday>): void =>
    change(holidays.map((each, at) => (at === index ? { ...each, ...changes } : each)));
  /** Several pasted lines become several rows. */
  const paste = (index: number, event: ClipboardEvent): void => {
    const pasted = event.clipboardData?.getData('text') ?? '';
    if (!pasted.trim().includes('\n')) return;
    event.preventDefault();
    change(holidays.toSpliced(index, 1, ...holidaysIn(pasted)));
  };
  return (
    <fieldset class="holidays">
      <legend>{t('Holidays')}</legend>
      {holidays.map((holiday, index) => (
        <HolidayRow
          key={index}
          number={index + 1}
          holiday={holiday}
          isChecked={isChecked}
          change={(changes) => set(index, changes)}
          paste={(event) => paste(index, event)}
          remove={isLocked ? undefined : () => change(holidays.toSpliced(index, 1))}
        />
      ))}
      {!isLocked && (
        <button type="button" class="button" onClick={() => change([...holidays, { date: '' }])}>
          {t('Add holiday')}
        </button>
      )}
    </fieldset>
  );
}

/** Lines such as `25.12.2026 Christmas`. */
export const holidaysIn = (text: string): Holiday[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [written = '', ...words] = line.split(/[\s,;]+/);
      const { iso = written } = readDate(written) as { iso?: string };
      return words.length === 0 ? { date: iso } : { date: iso, name: words.join(' ') };
    });

/**
 * Length of the shortest typed date. A shorter text is not complete yet. A problem is shown while typing, because one
 * that appears with the next click would move the target of the click.
 */
const SHORTEST = '1.1.2026'.length;

interface HolidayRowProps {
  number: number;
  holiday: Holiday;
  isChecked: boolean;
  change(changes: Partial<Holiday>): void;
  paste(event: ClipboardEvent): void;
  /** Undefined if the row cannot be removed. */
  remove: (() => void) | undefined;
}

function HolidayRow({ number, holiday: { date, name = '' }, isChecked, change, paste, remove }: HolidayRowProps) {
  const read = readDate(date);
  const problem = isChecked || date.length >= SHORTEST ? read.problem : undefined;
  const id = `holiday-${number}`;
  return (
    <div class="holiday">
      <input
        aria-label={t('Date of holiday {number}', { number })}
        class="date"
        value={date}
        list={undefined}
        autocomplete="off"
        placeholder="25.12.2026"
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : `${id}-problem`}
        onPaste={paste}
        onInput={({ currentTarget: { value } }) => change({ date: value })}
        onChange={() => read.problem === undefined && change({ date: read.iso })}
      />
      {remove !== undefined && (
        <CalendarButton
          label={t('Calendar for holiday {number}', { number })}
          shown={read.problem === undefined ? read.iso : ''}
          choose={(chosen) => change({ date: chosen })}
        />
      )}
      <input
        aria-label={t('Name of holiday {number}', { number })}
        value={name}
        list={undefined}
        autocomplete="off"
        placeholder={t('Christmas')}
        onInput={({ currentTarget: { value } }) => change({ name: value })}
      />
      {remove !== undefined && (
        <button
          type="button"
          class="button quiet"
          aria-label={t('Remove holiday {number}', { number })}
          onClick={remove}
        >
          ✕
        </button>
      )}
      {problem !== undefined && (
        <small id={`${id}-problem`} class="problem">
          {problem}
        </small>
      )}
    </div>
  );
}
