/** Opening hours as bars and in words: each edit has the smallest change of the text, and undo gives the bytes back. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/base/core/json.ts';
import { stateOn } from '../../../src/language/flow/opening-hours.ts';
import { applyEdits, inverseOf, isRefusal } from '../../../src/language/flow/text/edits.ts';
import { readFlow } from '../../../src/language/flow/text/flow-reader.ts';
import { type Path, valueAt } from '../../../src/language/flow/text/flow-source.ts';
import { rewrite } from '../../../src/language/flow/text/rewrite.ts';
import { momentIn, nextChange } from '../../../src/pages/studio/web/form/hours-now.ts';
import {
  closed,
  copied,
  type Hours,
  hoursIn,
  moved,
  opened,
  proposed,
  stepped,
  unreadIn,
  weekChanges,
} from '../../../src/pages/studio/web/form/week.ts';
import { readWeek, sayWeek } from '../../../src/pages/studio/web/form/week-words.ts';
import { DAYS, type Day } from '../../../src/pages/studio/web/settings/schedule.ts';

type Act = (hours: readonly Hours[]) => readonly Hours[];

const at = (day: Day, from: number, to: number): Hours => ({ day, from: from * 60, to: to * 60 });
const OWN: Path = ['steps', 'first', 'schedule', 'open'];

const listIn = (text: string, path: Path): Json[] => valueAt(readFlow(text).value as JsonObject, path) as Json[];

function edit(text: string, act: Act, path: Path = OWN): string {
  const open = listIn(text, path);
  const edits = rewrite(text, weekChanges(open, act(hoursIn(open)), path));
  if (isRefusal(edits)) throw new Error(edits.refused);
  const changed = applyEdits(text, edits);
  // Undo gives the bytes back.
  expect(applyEdits(changed, inverseOf(text, edits))).toBe(text);
  return changed;
}

const flowWith = (schedule: string): string => `flow: a
start: first
steps:
  first:
    schedule:${schedule}
    exits: { open: bye, closed: bye, holiday: bye }
  bye: { hangup: normal }
`;

const BLOCK = flowWith(`
      # The shop.
      open:
        - days: mon-fri # the week
          from: "09:00"
          to: '17:00' # sharp
        # Markets.
        - { days: [sat], from: "10:00", to: "14:00" }`);
const BRACES = flowWith(` { open: [{ days: mon-fri, from: "09:00", to: "17:00" }], timezone: Europe/Paris } # all`);
const DAILY = flowWith(`\n      open:\n        - { from: "08:00", to: "20:00" }`);

describe('the smallest change of the text', () => {
  it.each<[name: string, text: string, act: Act, ...changes: (readonly [before: string, after: string])[]]>([
    [
      'splits the day that differs from an opening',
      BLOCK,
      (hours) => moved(hours, at('mon', 9, 17), 'to', 18 * 60).hours,
      ['mon-fri # the week', 'tue-fri # the week'],
      [`        # Markets.`, `        - { days: mon, from: "09:00", to: "18:00" }\n        # Markets.`],
    ],
    [
      'sets one time of an opening of one day',
      BLOCK,
      (hours) => moved(hours, at('sat', 10, 14), 'to', 15 * 60).hours,
      ['"14:00" }', '"15:00" }'],
    ],
    ['sets one time if all its days change', BLOCK, () => readWeek('Mon–Fri 9–18; Sat 10–14')!, [`'17:00'`, `'18:00'`]],
    ['removes a day', BLOCK, (hours) => closed(hours, at('fri', 9, 17)), ['mon-fri', 'mon-thu']],
    [
      'removes an opening with its comment',
      BLOCK,
      (hours) => closed(hours, at('sat', 10, 14)),
      [`        # Markets.\n        - { days: [sat], from: "10:00", to: "14:00" }\n`, ''],
    ],
    [
      'adds a day to the opening with these hours',
      BLOCK,
      (hours) => opened(hours, at('sun', 10, 14)),
      ['[sat]', '[sat-sun]'],
    ],
    [
      'adds an opening in braces',
      BRACES,
      (hours) => opened(hours, at('sat', 10, 14)),
      ['"17:00" }]', '"17:00" }, { days: sat, from: "10:00", to: "14:00" }]'],
    ],
    [
      'takes up hours that it touches',
      BRACES,
      (hours) => opened(hours, at('mon', 7, 9)),
      ['mon-fri', 'tue-fri'],
      ['"17:00" }]', '"17:00" }, { days: mon, from: "07:00", to: "17:00" }]'],
    ],
    [
      'writes days where every day was meant',
      DAILY,
      (hours) => closed(hours, at('sun', 8, 20)),
      ['{ from', '{ days: mon-sat, from'],
    ],
    ['writes no days for every day', BRACES, () => readWeek('daily 9–17')!, ['days: mon-fri, ', '']],
    ['closes the week', BRACES, () => [], ['[{ days: mon-fri, from: "09:00", to: "17:00" }]', '[]']],
    [
      'writes hours past midnight',
      BLOCK,
      (hours) => moved(hours, at('sat', 10, 14), 'to', 26 * 60).hours,
      ['"14:00" }', '"02:00" }'],
    ],
  ])('changes only the lines of the edit: %s', (_, text, act, ...changes) => {
    for (const end of ['\n', '\r\n']) {
      const ended = (each: string): string => each.replaceAll('\n', end);
      const wanted = changes.reduce((all, [before, after]) => all.replace(before, () => after), text);
      const changed = edit(ended(text), act);
      expect(changed).toBe(ended(wanted));
      // The same hours again change nothing.
      expect(edit(changed, (hours) => hours)).toBe(changed);
    }
  });

  it('works in the named hours of the flow', () => {
    const text = `flow: a\nschedules:\n  office: { open: [{ days: sat, from: "10:00", to: "14:00" }] } # ours\nstart: bye\nsteps: { bye: hangup }\n`;
    const path = ['schedules', 'office', 'open'];
    expect(edit(text, (hours) => moved(hours, at('sat', 10, 14), 'from', 9 * 60 + 30).hours, path)).toBe(
      text.replace('10:00', '09:30'),
    );
  });

  it('never touches an opening that it cannot read', () => {
    const odd = BLOCK.replace('days: [sat], from: "10:00"', 'days: [sat], from: "9 am"');
    expect(unreadIn(listIn(odd, OWN))).toEqual([1]);
    expect(edit(odd, () => readWeek('Sun 9–10')!)).toContain('- { days: [sat], from: "9 am", to: "14:00" }');
  });
});

const someHours = fc
  .array(fc.record({ day: fc.constantFrom(...DAYS), from: fc.nat(95), length: fc.integer({ min: 1, max: 60 }) }), {
    maxLength: 9,
  })
  .map((all) =>
    all.reduce<Hours[]>((hours, { day, from, length }) => {
      const end = from * 15 + length * 15;
      return opened(hours, { day, from: from * 15, to: end > 1440 ? end - 1440 : end });
    }, []),
  );

describe('any week', () => {
  it('is written from any other, and only its hours are', () => {
    fc.assert(
      fc.property(someHours, someHours, fc.constantFrom(BLOCK, BRACES, DAILY), (first, second, text) => {
        const one = edit(text, () => first);
        expect(hoursIn(listIn(one, OWN))).toEqual(first);
        const two = edit(one, () => second);
        expect(hoursIn(listIn(two, OWN))).toEqual(second);
        expect(readFlow(two).value).toMatchObject({ steps: { bye: { hangup: 'normal' } } });
      }),
      { numRuns: 60 },
    );
  });

  it('is read from its words', () => {
    fc.assert(
      fc.property(someHours, (hours) => {
        expect(readWeek(sayWeek(hours))).toEqual(hours);
      }),
      { numRuns: 100 },
    );
  });
});

describe('hours in words', () => {
  it.each([
    ['Mon–Fri 9–17', 'Mon–Fri 9–17'],
    ['monday to friday 9:00 to 5 pm, sat 10-14', 'Mon–Fri 9–17; Sat 10–14'],
    ['Mon, Wed 9-12 and 13-17:30', 'Mon, Wed 9–12, 13–17:30'],
    ['weekdays 8-18; weekend closed', 'Mon–Fri 8–18'],
    ['every day 0-24', 'every day 0–24'],
    ['Fri 22–2', 'Fri 22–2'],
    ['closed', 'closed'],
  ])('are understood as people type them: %s', (typed, said) => {
    expect(sayWeek(readWeek(typed)!)).toBe(said);
  });

  it.each(['9–17', 'Mon', 'Mon 9', 'Mon 9–', 'Someday 9–17', 'Mon 9–25', '', 'Mon 24–3'])(
    'are refused without a day or a time: "%s"',
    (typed) => {
      expect(readWeek(typed)).toBeUndefined();
    },
  );
});

describe('a bar', () => {
  it('moves on the grid of quarters, and stays a quarter long', () => {
    expect([stepped(547, 15), stepped(547, -15), stepped(540, 15), stepped(540, -60)]).toEqual([555, 540, 555, 480]);
    const { now } = moved([at('mon', 9, 17)], at('mon', 9, 17), 'from', 20 * 60);
    expect(now).toEqual({ day: 'mon', from: 16 * 60 + 45, to: 17 * 60 });
  });

  it('keeps the way in which midnight is written', () => {
    const late: Hours = { day: 'fri', from: 1200, to: 0 };
    expect(moved([late], late, 'from', 1260).hours).toEqual([{ day: 'fri', from: 1260, to: 0 }]);
  });

  it('is copied to other days, and proposed from them', () => {
    const monday = [at('mon', 9, 12), at('mon', 13, 17), at('tue', 8, 9)];
    expect(sayWeek(copied(monday, 'mon', DAYS.slice(0, 5)))).toBe('Mon–Fri 9–12, 13–17');
    expect(proposed(monday, 'sun')).toEqual(at('sun', 9, 12));
    expect(proposed([], 'sun')).toEqual(at('sun', 9, 17));
    expect(proposed([at('sun', 0, 24)], 'sun')).toBeUndefined();
  });
});

describe('the state of hours', () => {
  const hours = {
    open: [
      { days: 'mon-fri', from: '09:00', to: '17:00' },
      { days: 'fri', from: '22:00', to: '02:00' },
    ],
    holidays: ['2026-12-25'],
  };

  it.each([
    ['2026-12-04T10:30', 'open', '17:00 2026-12-04'],
    ['2026-12-04T18:00', 'closed', '22:00 2026-12-04'],
    ['2026-12-04T23:00', 'open', '02:00 2026-12-05'],
    ['2026-12-05T10:30', 'closed', '09:00 2026-12-07'],
    ['2026-12-25T10:30', 'holiday', '00:00 2026-12-26'],
  ])('is told for %s, with the next change', (typed, state, next) => {
    const moment = momentIn(typed)!;
    const change = nextChange(hours, moment)!;
    expect([stateOn(hours, moment), `${change.time} ${change.date}`]).toEqual([state, next]);
  });

  it('never changes if no day is open', () => {
    expect(nextChange({ open: [] }, momentIn('2026-12-04T10:30')!)).toBeUndefined();
    expect(momentIn('2026-12-')).toBeUndefined();
  });
});
