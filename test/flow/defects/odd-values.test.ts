/** Conditions, schemas, time zones, recordings and questions that are correct in form and probably a mistake. */
import { describe, expect, it } from 'vitest';
import { CLINIC, type Defect, findings, seeded } from './seeded.ts';

const CASE = '      - { when: "input.beds > 0", next: ring }\n';
const HOURS = '  hours: { timezone: Europe/Paris, open';
const REQUIRED = 'required: [visits]';

describe('cases of a branch', () => {
  const then = (when: string): Defect => [CASE, `${CASE}      - { when: ${when}, next: message }\n`];
  seeded('dead-case?', [
    then('«"input.beds > 0"'),
    then('«"input.beds  >  0"'),
    then('«"vars.insured and vars.visits > 1 and vars.ward = \'heart\'"'),
    then('«"\'gold\'"'),
    then('«"1"'),
  ]);
});

describe('schemas', () => {
  seeded('undescribed-required?', [
    [REQUIRED, 'required: [visits, «insurd]'],
    [REQUIRED, 'required: [«doctor, visits]'],
    [REQUIRED, 'required: [visits, «"Visits"]'],
    [`        ${REQUIRED}\n`, '        required:\n          - visits\n          - «age\n'],
    [REQUIRED, 'required: [visits, «name]'],
  ]);
});

describe('time zones', () => {
  const zone = (name: string): Defect => [
    ...['  locale: en-US\n  input:', `  locale: en-US\n  timezone: ${name}\n  input:`],
    ...[HOURS, '  hours: { timezone: «Europe/Paris, open'],
  ];
  seeded('other-timezone?', ['Europe/London', 'UTC', 'America/New_York', 'Asia/Tokyo', 'Europe/Berlin'].map(zone));
  seeded('no-timezone?', [
    [HOURS, '  «hours: { open'],
    [HOURS, '  «hours: { holidays: [2030-12-25], open'],
    [HOURS, '  «hours: { holidays: [{ date: 2030-12-25, name: Christmas }], open'],
    [HOURS, '  «"hours": { open'],
    ['mon-fri, from: "08:00"', 'mon-sat, from: "09:00"', HOURS, '  «hours: { open'],
  ]);
});

describe('a recording without an end by silence', () => {
  it.each(['0s', '0ms'])('is accepted with end_silence: %s', (silence) => {
    expect(findings(CLINIC.replace('end_silence: 4s', `end_silence: ${silence}`))).toEqual([]);
  });
});

describe('a paused recording', () => {
  const paused = (step: string): Defect => [
    '  greet: { play: welcome, next: opening }',
    `  greet: { play: [welcome, "This call is recorded."], next: kept }
  kept: { recording: start, exits: { started: quiet, failed: opening } }
  quiet: { ${step}, exits: { done: opening, failed: opening } }`,
  ];
  seeded('never-resumed?', [
    paused('recording: «pause'),
    paused('recording: «"pause"'),
    paused('recording: «{ action: pause }'),
    paused('label: Quiet, recording: «pause'),
    paused('section: Greeting, recording: «{ action: "pause" }'),
  ]);
});

describe('a question for a code', () => {
  const door = (ask: string, exits = 'ok: open, not_found: again, failed: sorry', head = ''): string[] => {
    const marked = `flow: door
vars: { pin: { type: string, sensitive: true } }
prompts: { code: Please enter your code., wrong: That is not the code., sorry: Please call again later., open: It is open. }
defaults: { input: { no_input: [code], no_match: [code] }, exits: { error: bye } }
${head}start: ask
steps:
  ${ask}
  look: { request: { post: "https://door.example/open", body: { pin: "\${ vars.pin }" }, timeout: 1s }, exits: { ${exits} } }
  again: { play: wrong, next: ask }
  open: { play: open, next: bye }
  sorry: { play: sorry, next: bye }
  bye: { hangup: normal }
`;
    const before = marked.split('«')[0]!.split('\n');
    const place = `${before.length}:${before.at(-1)!.length + 1}`;
    return findings(marked.replace('«', '')).map((each) => each.replace(place, 'here'));
  };
  const ASK = 'collect: { prompt: code, digits: { length: 4 } }, set: { pin: "${ result.digits }" }';
  const EXITS = 'exits: { collected: look, exhausted: sorry }';

  it.each([
    door(`«ask: { ${ASK}, ${EXITS} }`),
    door(`«ask: { ${ASK}, sensitive: true, ${EXITS} }`),
    door(`«ask: { ${ASK}, ${EXITS} }`, 'ok: open, not_found: ask, failed: sorry').filter(
      (each) => !each.includes('unreachable'),
    ),
    door(`«ask: { ${ASK}, ${EXITS} }`, 'ok: open, not_found: sorry, failed.4xx: again, failed: sorry'),
    door(
      `«ask: { ${ASK}, ${EXITS} }`,
      'ok: judge, not_found: sorry, failed: sorry } }\n  judge: { branch: [{ when: "steps.look.body.ok = true", next: open }, { else: again }], exits: { error: bye',
    ),
  ])('reports tries without a limit: case %#', (...found) => {
    expect(found).toEqual(['here endless-tries?']);
  });

  it.each([
    door(`ask: { ${ASK}, max_visits: 3, exits: { collected: look, exhausted: sorry, limit: sorry } }`),
    door(`ask: { ${ASK}, ${EXITS} }`, undefined, 'limits: { max_duration: 5m }\n'),
    door(`ask: { ${ASK}, ${EXITS} }`, 'ok: open, not_found: sorry, failed: sorry').filter(
      (each) => !each.includes('unreachable'),
    ),
  ])('accepts tries with a limit: case %#', (...found) => {
    expect(found).toEqual([]);
  });
});

describe('parts that a flow declares', () => {
  const flow = (prompts: string) =>
    findings(`flow: a
prompts: { ${prompts} }
defaults: { locale: en-US, exits: { error: bye } }
start: say
steps:
  say: { play: [closed, closed], next: bye }
  bye: { hangup: normal }
`);

  it.each([
    ['broken SSML', 'closed: { ssml: "<speak><bad>" }', ['2:28 wrong-ssml']],
    ['correct SSML', 'closed: { ssml: "<speak>We are closed.</speak>" }', []],
    ['SSML in one language', 'closed: { en-US: { ssml: "<speak>We are closed." } }', ['2:37 wrong-ssml']],
  ])('has one finding with %s', (_what, prompts, expected) => {
    expect(flow(prompts)).toEqual(expected);
  });

  it('accepts hours that only a callback names', () => {
    const text = `flow: a
schedules: { hours: { timezone: Europe/Paris, open: [{ from: "08:00", to: "18:00" }] } }
defaults: { exits: { error: bye } }
start: wait
steps:
  wait:
    queue: { name: desk, agents: [user:anna], callback: { key: "1", flow: back, hours: hours } }
    exits: { dequeued: bye, callback: bye, no_callback: busy, full: busy }
  busy: { play: "Everybody is busy.", next: bye }
  bye: { hangup: normal }
`;
    expect(findings(text)).toEqual([]);
  });
});
