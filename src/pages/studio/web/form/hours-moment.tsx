/** State of opening hours now, and at a moment that the author chooses. */
import { useSignal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';
import type { JsonObject } from '../../../../base/core/json.ts';
import { clockAt, type HoursState, stateOn, type WallClock } from '../../../../language/flow/opening-hours.ts';
import { inSentence, pageLocale, t } from '../../../shared/web/words/translate.ts';
import { useForm } from './context.ts';
import { momentIn, nextChange } from './hours-now.ts';
import { outcomeWords } from './labels.ts';

const MINUTE_MS = 60_000;

/** `hours` with their time zone. `step`: whose routes are followed. */
export function HoursMoment({ hours, step }: { hours: JsonObject; step: string }) {
  const now = useSignal(Date.now());
  const typed = useSignal('');
  const id = useId();
  useEffect(() => {
    const timer = setInterval(() => (now.value = Date.now()), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  const clock = clockOf(hours, now.value);
  const moment = momentIn(typed.value);
  return (
    <span class="hours-moment">
      {clock !== undefined && <HoursSaid hours={hours} clock={clock} />}
      <label for={id}>{t('Test a moment')}</label>
      <input
        id={id}
        type="datetime-local"
        value={typed.value}
        onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
      />
      <span class="hours-test" role="status">
        {moment !== undefined && <LeadsTo moment={moment} state={stateOn(hours, moment)} step={step} />}
      </span>
    </span>
  );
}

/** Undefined for a time zone that does not exist. */
function clockOf(hours: JsonObject, nowMs: number): WallClock | undefined {
  try {
    return clockAt(nowMs, String(hours['timezone']));
  } catch {
    return undefined;
  }
}

function HoursSaid({ hours, clock }: { hours: JsonObject; clock: WallClock }) {
  const state = stateOn(hours, clock);
  const next = nextChange(hours, clock);
  const said = wordsOfState(state);
  return (
    <span class={`hours-now is-${state}`}>
      {next === undefined
        ? t('Now: {state}', { state: said })
        : t('Now: {state}, until {moment}', { state: said, moment: momentText(next, next.date !== clock.date) })}
    </span>
  );
}

function LeadsTo({ moment, state, step }: { moment: WallClock; state: HoursState; step: string }) {
  const { graph } = useForm();
  const exits = graph.steps.find(({ name }) => name === step)?.exits ?? [];
  const target = exits.find(({ outcome, covers }) => outcome === state || covers.includes(state))?.target ?? '';
  const words = { moment: momentText(moment, true), state: wordsOfState(state) };
  return (
    <>
      {target === ''
        ? t('On {moment} it leads to: {state}', words)
        : t('On {moment} it leads to: {state} → {target}', { ...words, target })}
    </>
  );
}

const wordsOfState = (state: HoursState): string => inSentence(outcomeWords(state));

/** `Saturday 10:30`, or the time alone. */
function momentText({ date, time }: WallClock, isWithDay: boolean): string {
  if (!isWithDay) return time;
  const weekday = new Intl.DateTimeFormat(pageLocale() ?? 'en', { weekday: 'long', timeZone: 'UTC' });
  return `${weekday.format(Date.parse(`${date}T00:00:00Z`))} ${time}`;
}
