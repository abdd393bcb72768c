import { describe, expect, it } from 'vitest';
import { replayJournal } from '../../src/proof/testkit/replay.ts';
import { flowOf, succeeds } from './rehearse.ts';

const flow = (zone: string, time = "$local('[h]:[m01] [P]')") => `
flow: clock
defaults: { ${zone}exits: { error: bye } }
start: say
steps:
  say: { play: "It is \${ ${time} }.", next: bye }
  bye: { hangup: normal }
`;
const PARIS = 'timezone: Europe/Paris, ';

describe('the local time', () => {
  it.each([
    ['in winter', '2026-01-15T08:00:00Z', '9:00 am'],
    ['a second before summer time', '2026-03-29T00:59:59Z', '1:59 am'],
    ['as summer time begins', '2026-03-29T01:00:00Z', '3:00 am'],
    ['a second before it ends', '2026-10-25T00:59:59Z', '2:59 am'],
    ['as it ends', '2026-10-25T01:00:00Z', '2:00 am'],
    ['on the next day already', '2026-07-31T22:30:00Z', '12:30 am'],
  ])('uses the zone of the flow: %s', async (_when, at, said) => {
    const { journal } = await succeeds(flow(PARIS), `at: ${at}\nexpect: { heard: ["It is ${said}."] }`);
    expect(await replayJournal(journal, () => flowOf(flow(PARIS)))).toMatchObject({ ok: true });
  });

  it.each([
    ['the configuration says the zone where the flow does not', '', 'timezone: Asia/Kolkata', '1:30 pm'],
    ['the flow’s comes first', PARIS, 'timezone: Asia/Kolkata', '9:00 am'],
    ['without any it is UTC', '', '', '8:00 am'],
  ])('chooses the zone: %s', async (_what, zone, configured, said) => {
    const { journal } = await succeeds(
      flow(zone),
      `at: 2026-01-15T08:00:00Z\n${configured}\nexpect: { heard: ["It is ${said}."] }`,
    );
    expect(await replayJournal(journal, () => flowOf(flow(zone)))).toMatchObject({ ok: true });
  });

  it.each([
    ["$local('[h] [P]', 'America/New_York')", '3 am'],
    ["$local('[H01]:[m01]', '+0545')", '13:45'],
    ["$local('[Y]-[M01]-[D01]', 'Pacific/Auckland')", '2026-01-15'],
  ])('is formatted as expected: %s', async (time, said) => {
    await succeeds(flow(PARIS, time), `at: 2026-01-15T08:00:00Z\nexpect: { heard: ["It is ${said}."] }`);
  });

  it('is an error of the step for an unknown time zone', async () => {
    const unknown = flow(PARIS, "$local('[h]', $join(['Europe', 'Pariss'], '/'))");
    await succeeds(unknown, 'expect: { outcomes: { say: error } }');
  });
});

describe('opening hours', () => {
  const shop = (hours: string, schedule = 'shop') => `
flow: shop
defaults: { timezone: Europe/Paris, exits: { error: bye } }
schedules: { shop: ${hours} }
start: hours
steps:
  hours: { schedule: ${schedule}, exits: { open: bye, closed: bye, holiday: bye } }
  bye: { hangup: normal }
`;
  const NINE_TO_FIVE = '{ open: [{ from: "09:00", to: "17:00" }] }';
  it.each([
    ['of the flow are in its zone', shop(NINE_TO_FIVE), 'open'],
    ['of the step, too', shop(NINE_TO_FIVE, NINE_TO_FIVE), 'open'],
    ['in a zone of their own stay there', shop('{ timezone: UTC, open: [{ from: "09:00", to: "17:00" }] }'), 'closed'],
    ['of the configuration are in theirs', shop(NINE_TO_FIVE, 'desk'), 'closed'],
  ])('uses the zone of opening hours: %s', async (_what, text, outcome) => {
    const more = `at: 2026-01-15T08:30:00Z\nschedules: { desk: ${NINE_TO_FIVE} }\n`;
    await succeeds(text, `${more}expect: { outcomes: { hours: ${outcome} } }`);
  });
});
