import { describe, expect, it } from 'vitest';
import { checkWhole } from '../check-flow.ts';
import { CLINIC, seeded } from './seeded.ts';

const GREET = 'greet: { play: welcome,';
const saying = (time: string): [string, string] => [GREET, `greet: { play: [welcome, "It is \${ ${time} }."],`];

describe('local time', () => {
  seeded('utc-time?', [
    saying("«$now('[h]:[m01] [P]')"),
    saying("«$now('[H01]:[m01]')"),
    saying("$number(«$now('[H]')) > 12 ? 'late' : 'early'"),
    saying("'about ' & «$now('[hNwo]')"),
    ['whisper: "A patient', "whisper: \"${ «$now('[h] [P]') }: a patient"],
  ]);
  seeded('unknown-timezone', [
    saying("$local('[h]', '«Europe/Pariss')"),
    saying("$local('[h]', '«Paris')"),
    ['locale: en-US', 'locale: en-US\n  timezone: «Europe/Pari'],
    ['locale: en-US', 'locale: en-US\n  timezone: «London'],
    ['timezone: Europe/Paris', 'timezone: «Europe/Paaris'],
  ]);

  it.each([
    ["$local('[h]', 'Paris')", 'did you mean Europe/Paris?'],
    ["$local('[h]', 'Europe/Pariss')", 'did you mean Europe/Paris?'],
    ["$now('[h]', 'America/New York')", 'did you mean America/New_York?'],
  ])('names the zone that was meant: %s', (time, hint) => {
    const [right, wrong] = saying(time);
    const { diagnostics } = checkWhole(CLINIC.replace(right, () => wrong));
    expect(diagnostics.map((each) => each.hint)).toEqual([hint]);
  });

  it('repairs a time in UTC', () => {
    const [right, wrong] = saying("$now('[h]')");
    const text = CLINIC.replace(right, () => wrong);
    const [found] = checkWhole(text).diagnostics;
    expect(found?.fix).toMatchObject({ text: '$local' });
  });
});
