import { describe, expect, it } from 'vitest';
import { CLINIC, findings, seeded } from './seeded.ts';

const NOTE = '        note: "${ vars.note }"\n';
const GOODBYE = '  goodbye: { en-US: Goodbye. }';
const TO = 'to: "${ vars.doctors[$$.vars.pick].phone }"';
const READ = '        pick: "${ vars.pick }"\n';
const ringing = (party: string): string[] => [TO, party, NOTE, NOTE + READ];

describe('text meant as an expression', () => {
  seeded('not-evaluated?', [
    [NOTE, '        note: «vars.note\n'],
    [NOTE, `${NOTE}        name: «"{{ patient }}"\n`],
    [NOTE, '        note: «"the note {vars.note}"\n'],
    [GOODBYE, '  goodbye: { en-US: «"Goodbye, $vars.patient." }'],
    ['set: { note: "${ result.recording_id }" }', 'set: { note: «result.recording_id }'],
    ['/patients/${ $encodeUrlComponent(vars.patient) }"', '/patients/$(vars.patient)"', 'get: "h', 'get: «"h'],
  ]);

  it.each(['event: call.summary', 'event: steps.done', 'event: result.ready'])('is not reported for %s', (event) => {
    expect(findings(CLINIC.replace('event: clinic.call', event))).toEqual([]);
  });
});

describe('destinations that cannot be called', () => {
  seeded('wrong-party?', [
    ringing('to: «anna'),
    ringing('to: ["user:ben", «"anna lee"]'),
    ringing('to: [[«"user:"], "+33144550000"]'),
    ringing('to: «"anna@phones.example"'),
    ringing('to: «"+331445500001234567"'),
  ]);
});

describe('requests', () => {
  const TIMEOUT = '      timeout: 3s\n';
  seeded('get-with-body?', [
    [TIMEOUT, `${TIMEOUT}      «body: { patient: "\${ vars.patient }" }\n`],
    [TIMEOUT, `${TIMEOUT}      «body: "a text"\n`],
    [TIMEOUT, `${TIMEOUT}      «body: []\n`],
    [TIMEOUT, `      «body: "\${ vars.patient }"\n${TIMEOUT}`],
    [TIMEOUT, `${TIMEOUT}      «body: {}\n`],
  ]);
});

describe('schedules of the flow', () => {
  const OPENING = 'opening: { schedule: hours,';
  seeded('misspelt-schedule?', [
    [OPENING, 'opening: { schedule: «hour,'],
    [OPENING, 'opening: { schedule: «houers,'],
    [OPENING, 'opening: { schedule: «Hours,'],
    [OPENING, 'opening: { schedule: «huors,'],
    [OPENING, 'opening: { schedule: «"hourss",'],
  ]);
});

describe('times of the step and of the call', () => {
  const START = 'start: greet';
  const QUEUE =
    'bridge: { to: "${ vars.doctors[$$.vars.pick].phone }", ring_timeout: 20s, whisper: "A patient of ${ vars.ward }" }';
  const queued = (times: string): string[] => [
    ...[QUEUE, `queue: { name: "\${ vars.ward }", agents: [user:anna], ${times} }`],
    ...[
      'exits: { completed: report, failed: message }',
      'exits: { dequeued: report, timeout: message, full: message }',
    ],
    ...[NOTE, NOTE + READ],
    ...['steps.ring.duration ? steps.ring.duration', '$exists(steps.ring) ? 1'],
  ];
  seeded('odd-time?', [
    [...queued('timeout: 20s, ring_timeout: «30s')],
    [...queued('ring_timeout: «1m, timeout: 1m')],
    [START, `limits: { max_duration: 1m }\n${START}`, 'max_length: 2m', 'max_length: «2m'],
    [
      START,
      `limits: { max_duration: 15s }\n${START}`,
      'ring_timeout: 20s',
      'ring_timeout: «20s',
      'max_length: 2m',
      'max_length: 15s',
    ],
    [...queued('timeout: «5h')],
  ]);
});

describe('digits', () => {
  const DIGITS = 'digits: { length: 6 }';
  const SET = 'set: { patient: "${ result.digits }" }';
  const MARKED = 'set: { patient: «"${ result.digits }" }';
  const UNCOUNTED = ['number of six digits', 'number'];
  seeded('never-fits', [
    [DIGITS, 'digits: { length: 5 }', SET, MARKED, ...UNCOUNTED],
    [DIGITS, 'digits: { length: 7 }', SET, MARKED, ...UNCOUNTED],
    [DIGITS, 'digits: { min: 1, max: 4 }', SET, MARKED, ...UNCOUNTED],
    [DIGITS, 'digits: { min: 8 }', SET, MARKED, ...UNCOUNTED],
    ['pattern: "^[0-9]{6}$"', 'pattern: "^[1-9][0-9]{7}$"', SET, MARKED, ...UNCOUNTED],
  ]);
  const SAID = 'For the heart ward press 1, for the bone ward press 2.';
  const PROMPT = 'prompt: ward_menu';
  seeded('said-digit?', [
    [SAID, 'Press 1 for hearts, 3 for bones.', PROMPT, 'prompt: «ward_menu'],
    [SAID, 'Press 1 for hearts, 2 for bones, and 9 for help.', PROMPT, 'prompt: «ward_menu'],
    [SAID, 'Tapez 1 pour le cœur, 4 pour les os.', PROMPT, 'prompt: «ward_menu'],
    [SAID, 'Drücken Sie 1 für Herzen; 5 für Knochen.', PROMPT, 'prompt: «ward_menu'],
    [SAID, 'Press 1 for hearts, or 0 to end.', PROMPT, 'prompt: «ward_menu'],
  ]);
});
