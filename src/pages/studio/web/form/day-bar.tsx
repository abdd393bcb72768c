/** A day of the week as a track with bars, whose edges are sliders. `week-bars.tsx` applies what they do. */
import { t } from '../../../shared/web/words/translate.ts';
import { DAYS, type Day, nameOfDay, shareOfDay } from '../settings/schedule.ts';
import { DAY_MINUTES, endOf, type Hours, type HoursEdge, QUARTER, stepped, timeOf } from './week.ts';
import { timesText } from './week-words.ts';

/** The part of hours that one day shows: hours past midnight have two. */
export interface DayPart {
  hours: Hours;
  fromMinute: number;
  toMinute: number;
  /** Edges of the hours that are edges of this part. */
  edges: readonly HoursEdge[];
}

export function segmentsOf(hours: readonly Hours[], day: Day): DayPart[] {
  const before = DAYS[(DAYS.indexOf(day) + DAYS.length - 1) % DAYS.length];
  return hours.flatMap((each): DayPart[] => {
    const end = endOf(each);
    const isLate = end > DAY_MINUTES;
    if (each.day === day) {
      const part = { hours: each, fromMinute: each.from, toMinute: Math.min(end, DAY_MINUTES) };
      return [{ ...part, edges: isLate ? ['from'] : ['from', 'to'] }];
    }
    if (!isLate || each.day !== before) return [];
    return [{ hours: each, fromMinute: 0, toMinute: end - DAY_MINUTES, edges: ['to'] }];
  });
}

interface DayBarProps {
  day: Day;
  segments: readonly DayPart[];
  isLocked: boolean;
  /** True if no hours fit in any more. */
  isFull: boolean;
  /** Names hours in the page. */
  idOf(hours: Hours): string;
  enter(): void;
  acts: {
    close(hours: Hours): void;
    /** Minutes since the start of the day of the hours. */
    moveBy(hours: Hours, edge: HoursEdge, minute: number): void;
    add(day: Day): void;
  };
  drag: {
    begin(hours: Hours, edge: HoursEdge): void;
    /** Begins new hours. */
    draw(minute: number): void;
    to(minute: number): void;
    finish(isKept: boolean): void;
  };
}

export function DayBar({ day, segments, isLocked, isFull, idOf, enter, acts, drag }: DayBarProps) {
  const name = nameOfDay(day);
  /**
   * Follows the pointer until it is released; Escape gives up. `offset`: minutes that the track begins later than the
   * hours. `click`: acts if the pointer does not move.
   */
  const follow = (event: PointerEvent & { currentTarget: HTMLElement }, offset: number, click?: () => void): void => {
    const track = event.currentTarget.closest<HTMLElement>('.day-track')!;
    const begin = event.clientX;
    let isMoved = false;
    const move = (at: PointerEvent): void => {
      isMoved ||= Math.abs(at.clientX - begin) > STILL_PX;
      if (isMoved) drag.to(offset + minuteAt(track, at.clientX));
    };
    const end = (isKept: boolean): void => {
      removeEventListener('pointermove', move);
      removeEventListener('pointerup', keep);
      removeEventListener('pointercancel', giveUp);
      removeEventListener('keydown', giveUpByKey, true);
      drag.finish(isKept && isMoved);
      if (isKept && !isMoved) click?.();
    };
    const keep = (): void => end(true);
    const giveUp = (): void => end(false);
    const giveUpByKey = (key: KeyboardEvent): void => {
      if (key.key !== 'Escape') return;
      key.preventDefault();
      key.stopPropagation();
      end(false);
    };
    addEventListener('pointermove', move);
    addEventListener('pointerup', keep);
    addEventListener('pointercancel', giveUp);
    addEventListener('keydown', giveUpByKey, true);
  };
  return (
    <div class="week-day" data-day={day} onFocusIn={enter} onPointerEnter={enter}>
      <span class="day-name">{name}</span>
      <span
        class="day-track"
        onPointerDown={(event) => {
          if (isLocked || event.button !== 0 || event.target !== event.currentTarget) return;
          event.preventDefault();
          drag.draw(minuteAt(event.currentTarget, event.clientX));
          follow(event, 0);
        }}
      >
        {segments.map((segment, index) => (
          <Bar
            key={`${index} of ${segment.edges.join()}`}
            {...{ segment, isLocked, acts }}
            id={idOf(segment.hours)}
            begin={(event, edge, click) => {
              if (edge !== undefined) drag.begin(segment.hours, edge);
              follow(event, segment.hours.day === day ? 0 : DAY_MINUTES, click);
            }}
          />
        ))}
      </span>
      <button
        type="button"
        class="button quiet open-day"
        aria-label={t('Open {day}', { day: name })}
        title={t('Open {day}', { day: name })}
        disabled={isLocked || isFull}
        onClick={() => acts.add(day)}
      >
        +
      </button>
    </div>
  );
}

/** Minute of the day at a position on the screen, on the grid of quarters. */
function minuteAt(track: HTMLElement, x: number): number {
  const { left, right, width } = track.getBoundingClientRect();
  const isReversed = getComputedStyle(track).direction === 'rtl';
  const share = (isReversed ? right - x : x - left) / width;
  return Math.round((Math.min(Math.max(share, 0), 1) * DAY_MINUTES) / QUARTER) * QUARTER;
}

interface BarProps {
  segment: DayPart;
  id: string;
  isLocked: boolean;
  acts: DayBarProps['acts'];
  /** Follows the pointer on an edge, or on the middle. `click`: acts if the pointer does not move. */
  begin(event: PointerEvent & { currentTarget: HTMLElement }, edge: HoursEdge | undefined, click?: () => void): void;
}

/** Movement of the pointer that is still a click. */
const STILL_PX = 3;
/** Length from which the middle of a bar has room beside its edges, in minutes. */
const WIDE = 360;

function Bar({ segment: { hours, fromMinute, toMinute, edges }, id, isLocked, acts, begin }: BarProps) {
  const day = nameOfDay(hours.day);
  const times = timesText(hours);
  const isNarrow = toMinute - fromMinute < WIDE;
  const close = (): void => acts.close(hours);
  const names = { from: t('{day} opens', { day }), to: t('{day} closes', { day }) };
  const onKeyDown = (event: KeyboardEvent & { currentTarget: HTMLElement }, edge: HoursEdge): void => {
    const minute = edge === 'from' ? hours.from : endOf(hours);
    const wanted = minuteByKey(event, minute, getComputedStyle(event.currentTarget).direction === 'rtl');
    const isGone = event.key === 'Delete' || event.key === 'Backspace';
    if (isLocked || (wanted === undefined && !isGone)) return;
    event.preventDefault();
    event.stopPropagation();
    if (wanted === undefined) close();
    else acts.moveBy(hours, edge, wanted);
  };
  return (
    <span
      class={`day-hours${isNarrow ? ' narrow' : ''}`}
      data-hours={id}
      style={{ insetInlineStart: shareOfDay(fromMinute), inlineSize: shareOfDay(toMinute - fromMinute) }}
    >
      <span
        class="day-part"
        title={isLocked ? '' : t('Close {day} {times}', { day, times })}
        onPointerDown={(event) => {
          if (isLocked || event.button !== 0) return;
          event.preventDefault();
          event.stopPropagation();
          begin(event, undefined, close);
        }}
      >
        {hasRoom(times, toMinute - fromMinute) && <span>{times}</span>}
      </span>
      {edges.map((edge) => {
        const minute = edge === 'from' ? hours.from : endOf(hours);
        return (
          <span
            key={edge}
            class="day-edge"
            data-edge={edge}
            role="slider"
            tabIndex={isLocked ? -1 : 0}
            aria-label={names[edge]}
            aria-orientation="horizontal"
            aria-valuemin={edge === 'from' ? 0 : hours.from + QUARTER}
            aria-valuemax={edge === 'from' ? endOf(hours) - QUARTER : hours.from + DAY_MINUTES}
            aria-valuenow={minute}
            aria-valuetext={timeOf(minute > DAY_MINUTES ? minute - DAY_MINUTES : minute)}
            aria-disabled={isLocked}
            aria-keyshortcuts="Delete"
            onKeyDown={(event) => onKeyDown(event, edge)}
            onPointerDown={(event) => {
              if (isLocked || event.button !== 0) return;
              event.preventDefault();
              event.stopPropagation();
              event.currentTarget.focus();
              begin(event, edge, isNarrow ? close : undefined);
            }}
          />
        );
      })}
    </span>
  );
}

/** Widths in pixels: of a track beside a narrow form, of a digit, and of both edges. */
const TRACK_PX = 280;
const DIGIT_PX = 6.5;
const EDGES_PX = 8;

/** True if a bar of this length in minutes has room for a text. */
const hasRoom = (text: string, length: number): boolean =>
  (length / DAY_MINUTES) * TRACK_PX >= text.length * DIGIT_PX + EDGES_PX;

const HOUR = 60;

/** Minute to which a key moves an edge. Undefined for another key. */
function minuteByKey({ key, shiftKey }: KeyboardEvent, minute: number, isReversed: boolean): number | undefined {
  const by = shiftKey ? HOUR : QUARTER;
  switch (key) {
    case isReversed ? 'ArrowLeft' : 'ArrowRight':
    case 'ArrowUp':
      return stepped(minute, by);
    case isReversed ? 'ArrowRight' : 'ArrowLeft':
    case 'ArrowDown':
      return stepped(minute, -by);
    case 'PageUp':
      return stepped(minute, HOUR);
    case 'PageDown':
      return stepped(minute, -HOUR);
    case 'Home':
      return 0;
    case 'End':
      return DAY_MINUTES;
    default:
      return undefined;
  }
}
