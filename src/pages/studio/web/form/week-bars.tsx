/** The openings of a week as seven bars: dragged, moved by keys, typed in words or copied. `week.ts` has the changes. */
import { type Signal, useSignal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import type { Json } from '../../../../base/core/json.ts';
import { type Path, valueAt } from '../../../../language/flow/text/flow-source.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { DAYS, type Day, nameOfDay, shareOfDay } from '../settings/schedule.ts';
import { tell } from '../shell/messages.tsx';
import { pathInFlow, useForm } from './context.ts';
import { DayBar, segmentsOf } from './day-bar.tsx';
import {
  closed,
  copied,
  DAY_MINUTES,
  type Hours,
  type HoursEdge,
  hoursIn,
  moved,
  opened,
  proposed,
  QUARTER,
  weekChanges,
} from './week.ts';
import './week.css';
import { readWeek, sayWeek, timesText } from './week-words.ts';

/** HoursEdge of a bar that is dragged, or hours that are drawn. */
interface Drag {
  at: Hours;
  edge: HoursEdge;
  /** The hours without the drag. */
  from: readonly Hours[];
}

interface WeekProps {
  /** Path of the list of openings, below the step. */
  path: Path;
  open: readonly Json[];
}

const HOURS_SHOWN = [0, 6, 12, 18, 24];
const WEEKDAYS = DAYS.slice(0, 5);

export function WeekBars({ path, open }: WeekProps) {
  const form = useForm();
  const { edits, step, isLocked } = form;
  const week = useRef<HTMLDivElement>(null);
  const drag = useSignal<Drag | undefined>(undefined);
  /** Hours during a drag. */
  const preview = useSignal<readonly Hours[] | undefined>(undefined);
  const current = useSignal<Day | undefined>(undefined);
  const hours = preview.value ?? hoursIn(open);
  /** Edits of the same field follow one another in one undo step. */
  const apply = (wanted: readonly Hours[], title: string, field?: string): void => {
    const changesOf = (flow: Record<string, Json>) => {
      const at = pathInFlow({ ...form, flow }, path);
      const list = valueAt(flow, at);
      return weekChanges(Array.isArray(list) ? list : [], wanted, at);
    };
    const refused = edits.change(changesOf, title, field);
    if (refused !== undefined && field !== undefined) tell(refused, true);
  };
  const change = (wanted: readonly Hours[], field?: string): void =>
    apply(wanted, t('change opening hours of {step}', { step: step || String(path.at(-2)) }), field);
  const focus = (selector: string): void => {
    requestAnimationFrame(() => week.current?.querySelector<HTMLElement>(selector)?.focus());
  };
  /** Hours that take up others lose the focused edge. Otherwise the focus stays, also where Tab has moved it since. */
  const focusIfLost = (selector: string): void => {
    requestAnimationFrame(() => {
      if (document.activeElement === document.body) focus(selector);
    });
  };
  const close = (at: Hours): void => {
    change(closed(hours, at));
    focus(`[data-day="${at.day}"] .open-day`);
  };
  const moveBy = (at: Hours, edge: HoursEdge, minute: number): void => {
    const { hours: wanted, now } = moved(hours, at, edge, minute);
    change(wanted, `${path.join('.')} ${at.day} ${edge}`);
    focusIfLost(`[data-hours="${idOf(now)}"] [data-edge="${edge}"]`);
  };
  const add = (day: Day): void => {
    const first = proposed(hours, day);
    if (first === undefined) return;
    change(opened(hours, first));
    focus(`[data-hours="${idOf(first)}"] [data-edge="from"]`);
  };
  const drawTo = (minute: number): void => {
    const { at, edge, from } = drag.peek()!;
    preview.value = moved(from, at, edge, minute).hours;
  };
  const finish = (isKept: boolean): void => {
    const wanted = preview.peek();
    drag.value = undefined;
    preview.value = undefined;
    if (isKept && wanted !== undefined) change(wanted);
  };
  const day = current.value ?? hours[0]?.day;
  const isUniform = WEEKDAYS.every((each) => planOf(hours, each) === planOf(hours, day));
  return (
    <>
      <WeekWords hours={hours} isLocked={isLocked} change={change} />
      <div class="week-bars" ref={week} role="group" aria-label={t('Hours of each day')}>
        {DAYS.map((each) => (
          <DayBar
            key={each}
            day={each}
            segments={segmentsOf(hours, each)}
            isLocked={isLocked}
            isFull={proposed(hours, each) === undefined}
            idOf={idOf}
            enter={() => (current.value = each)}
            acts={{ close, moveBy, add }}
            drag={{
              begin: (at, edge) => (drag.value = { at, edge, from: hours }),
              draw: (minute) => {
                const begin = Math.min(Math.floor(minute / QUARTER) * QUARTER, DAY_MINUTES - QUARTER);
                drag.value = { at: { day: each, from: begin, to: begin + QUARTER }, edge: 'to', from: hours };
              },
              to: drawTo,
              finish,
            }}
          />
        ))}
        <span class="week-hours" aria-hidden="true">
          {HOURS_SHOWN.map((hour) => (
            <span key={hour} style={{ insetInlineStart: shareOfDay(hour * 60) }}>
              {hour}
            </span>
          ))}
        </span>
      </div>
      {!isLocked && day !== undefined && !isUniform && (
        <button type="button" class="link" onClick={() => change(copied(hours, day, WEEKDAYS))}>
          {t('Copy {day} to all weekdays', { day: nameOfDay(day) })}
        </button>
      )}
    </>
  );
}

const idOf = ({ day, from }: Hours): string => `${day} ${from}`;

const planOf = (hours: readonly Hours[], day: Day | undefined): string =>
  hours
    .filter((each) => each.day === day)
    .map(timesText)
    .join();

interface WordsProps {
  hours: readonly Hours[];
  isLocked: boolean;
  change(hours: readonly Hours[]): void;
}

/** The week as a text, which is applied when it is complete. */
function WeekWords({ hours, isLocked, change }: WordsProps) {
  const problem: Signal<string | undefined> = useSignal(undefined);
  const id = useId();
  const said = sayWeek(hours);
  const apply = (field: HTMLInputElement): void => {
    if (field.value.trim() === said) {
      problem.value = undefined;
      return;
    }
    const wanted = readWeek(field.value);
    problem.value = wanted === undefined ? t('Days and times, such as Mon–Fri 9–17; Sat 10–14') : undefined;
    if (wanted !== undefined) change(wanted);
  };
  return (
    <>
      <input
        key={said}
        type="text"
        class="week-words"
        aria-label={t('Hours in words')}
        aria-invalid={problem.value !== undefined}
        aria-describedby={problem.value === undefined ? undefined : id}
        defaultValue={said}
        readOnly={isLocked}
        autocomplete="off"
        spellcheck={false}
        onBlur={({ currentTarget }) => apply(currentTarget)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') {
            event.preventDefault();
            apply(event.currentTarget);
          }
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          event.currentTarget.value = said;
          problem.value = undefined;
          event.currentTarget.blur();
        }}
      />
      {problem.value !== undefined && (
        <small class="field-problem" role="alert" id={id}>
          {problem.value}
        </small>
      )}
    </>
  );
}
