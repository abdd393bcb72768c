import { describe, expect, it } from 'vitest';
import { around, brief, checkWhole } from '../check-flow.ts';
import { CLINIC, findings, seeded } from './seeded.ts';

const OPEN = 'open: [{ days: mon-fri, from: "08:00", to: "18:00" }]';
const GREET = '  greet: { play: welcome, next: opening }';
const BRIDGE = 'ring_timeout: 20s';

describe('opening hours', () => {
  seeded('no-such-day?', [
    [OPEN, `${OPEN}, holidays: [«"2026-02-30"]`],
    [OPEN, `${OPEN}, holidays: ["2026-01-01", «"2027-02-29"]`],
    [OPEN, `${OPEN}, holidays: [«"2026-13-01"]`],
    [OPEN, `${OPEN}, holidays: [«{ date: "2026-06-31" }]`],
    [OPEN, `${OPEN}, holidays: [«"2026-04-00"]`],
  ]);
  const now = () => Date.parse('2026-06-01T00:00:00Z');
  seeded(
    'past-holidays?',
    [
      [OPEN, `${OPEN}, «holidays: ["2026-01-01"]`],
      [OPEN, `${OPEN}, «holidays: ["2025-12-25", "2025-12-26"]`],
      [OPEN, `${OPEN}, «holidays: [{ date: "2024-05-01" }]`],
      [OPEN, `«holidays: ["2026-05-31"], ${OPEN}`],
      [OPEN, `${OPEN}, «holidays: ["2026-01-01", { date: "2026-01-06" }]`],
    ],
    { now },
  );
  const also = (entry: string) => OPEN.replace(' }]', ` }, ${entry}]`);
  seeded('overlapping-hours?', [
    [OPEN, also('{ days: mon, «from: "09:00", to: "12:00" }')],
    [OPEN, also('{ «from: "17:00", to: "20:00" }')],
    [OPEN, also('{ days: [thu-sun], «from: "07:00", to: "08:30" }')],
    [OPEN, also('{ days: mon-fri, «from: "08:00", to: "18:00" }')],
    [OPEN, also('{ days: wed, «from: "16:00", to: "02:00" }')],
  ]);
  seeded('odd-hours?', [
    [OPEN, 'open: [{ days: mon-fri, from: "18:00", to: «"17:00" }]'],
    [OPEN, 'open: [{ from: "09:00", to: «"09:00" }]'],
    [OPEN, 'open: [{ days: sat, from: "10:00", to: «"08:00" }]'],
    [OPEN, also('{ days: sat, from: "12:00", to: «"10:00" }')],
    [OPEN, 'open: [{ days: mon-fri, from: "16:00", to: «"08:30" }]'],
  ]);
});

describe('callers', () => {
  const BYE = '  bye: { hangup: normal }';
  const QUIT = `${BYE}\n  quit: { hangup: «normal }`;
  seeded('silent-hangup?', [
    [
      GREET,
      '  greet: { pause: 1s, next: opening }\n  hi: { play: welcome, next: ask_patient }',
      'open: ask_patient, closed: message',
      'open: hi, closed: quit',
      BYE,
      QUIT,
    ],
    [
      GREET,
      '  greet: { log: "a call", next: opening }\n  hi: { play: welcome, next: ask_patient }',
      'open: ask_patient, closed: message, holiday: message',
      'open: hi, closed: message, holiday: quit',
      BYE,
      QUIT,
    ],
    [
      GREET,
      `  greet: { split: { arms: { now: 1, never: 1 } }, exits: { now: hi, never: quit } }\n  hi: { play: welcome, next: opening }`,
      BYE,
      QUIT,
    ],
    [
      GREET,
      `  greet: { branch: [{ when: "call.from = 'anonymous'", next: quit }, { else: hi }] }\n  hi: { play: welcome, next: opening }`,
      BYE,
      QUIT,
    ],
    [
      GREET,
      `  greet: { answer: {}, next: known }\n  known: { branch: [{ when: "input.beds = 0", next: quit }, { else: hi }] }\n  hi: { play: welcome, next: opening }`,
      BYE,
      QUIT,
    ],
  ]);
  const PLAYS = '  hi: { play: { text: Hello }, next: bye }';
  it.each([
    'wait_for: { events: [go], timeout: 9s }, exits: { go: bye, timeout: bye }',
    'webhook: { url: "https://app.example/", outcomes: [ok] }, exits: { ok: bye, timeout: bye }',
    'stream: { action: start, url: "wss://bot.example/", wait: true }, exits: { done: bye, failed: bye }',
    'detect_machine: {}, exits: { human: bye, machine: bye, fax: bye, beep: bye, unknown: bye }',
  ])('lets a call end after a step in which others may play audio: %s', (step) => {
    const { flow, diagnostics } = checkWhole(around(`  first: { ${step} }\n${PLAYS}`));
    expect(flow).toBeDefined();
    expect(brief(diagnostics).filter((found) => found.endsWith('silent-hangup?'))).toEqual([]);
  });
  const APOLOGY = [
    '  apologise: { play: broken, exits: { done: bye, error: bye } }\n',
    '',
    '  broken: { en-US: Something went wrong. Please call again. }\n',
    '',
  ];
  const LOOK = 'exits: { ok: count, not_found: ask_patient, failed: message }';
  const noted = (steps: string): string => `${steps}\n  bye: { hangup: normal }`;
  seeded('silent-end?', [
    [LOOK, 'exits: { ok: count, not_found: ask_patient, «failed: bye }'],
    [LOOK, 'exits: { ok: count, not_found: ask_patient, «failed: $end }'],
    [LOOK, 'exits: { ok: count, not_found: ask_patient, «failed.5xx: bye, failed: message }'],
    [LOOK, 'exits: { ok: count, «not_found: noted, failed: message }', BYE, noted('  noted: { log: lost, next: bye }')],
    [LOOK, 'exits: { ok: count, not_found: ask_patient, failed: message, «error: bye }'],
    [
      LOOK,
      'exits: { ok: count, not_found: ask_patient, «failed: noted }',
      BYE,
      noted(`  noted: { branch: [{ when: "vars.visits > 1", next: message }, { else: bye }] }`),
    ],
    [
      GREET,
      '  greet: { play: welcome, next: told }\n  told: { message: { to: "+33199001122", text: Welcome, timeout: 1s }, exits: { sent: opening, «refused: bye } }',
    ],
    [
      GREET,
      '  greet: { play: welcome, next: asked }\n  asked: { webhook: { outcomes: [open], timeout: 1s }, exits: { open: opening, «timeout: bye } }',
    ],
    [
      GREET,
      '  greet: { play: welcome, next: paid }\n  paid: { pay: { amount: 5, currency: EUR, meanwhile: one_moment }, exits: { paid: opening, declined: opening, cancelled: bye, «exhausted: bye, failed: bye } }',
    ],
  ]);

  it.each([
    [
      'a report after the goodbye',
      '  bye: { hangup: normal }',
      `  sent: { request: { post: "https://clinic.example/calls", timeout: 1s }, exits: { ok: bye, not_found: bye, failed: bye } }\n${BYE}`,
      '    next: bye\n  apologise',
      '    next: sent\n  apologise',
    ],
    ['a default for all steps', 'exits: { error: apologise }\nevents', 'exits: { error: bye }\nevents', ...APOLOGY],
  ])('accepts an end of the call by %s', (_name, ...parts) => {
    let text = CLINIC;
    for (let at = 0; at < parts.length; at += 2) {
      expect(text).toContain(parts[at]);
      text = text.replace(parts[at]!, () => parts[at + 1]!);
    }
    expect(findings(text)).toEqual([]);
  });

  const START = '  keep: { recording: «start, exits: { started: opening, failed: opening } }';
  seeded('unannounced-recording?', [
    [GREET, `  greet: { play: welcome, next: keep }\n${START}`],
    [
      GREET,
      `  greet: { play: welcome, next: keep }\n  keep: { recording: { «action: start }, exits: { started: opening, failed: opening } }`.replace(
        '{ «action',
        '«{ action',
      ),
    ],
    [BRIDGE, `${BRIDGE}, record: «dual`, 'the tone, which we record', 'the tone'],
    [BRIDGE, `${BRIDGE}, record: «true`],
    [GREET, `  greet: { play: welcome, locale: en-GB, next: keep }\n${START}`],
  ]);
  const HANGUP = 'events: { hangup: report }';
  const EVENT = '  report:\n';
  seeded('nobody-hears?', [
    [HANGUP, 'events: { hangup: «thanks }'],
    [HANGUP, 'events: { hangup: «message }'],
    [HANGUP, 'events: { hangup: «left }', EVENT, `  left: { log: gone, next: thanks }\n${EVENT}`],
    ['exits: { completed: report, failed: message }', 'exits: { completed: report, failed: message, hangup: «thanks }'],
    ['error: apologise }\nevents', 'error: apologise, hangup: «thanks }\nevents'],
  ]);
  const URL = '"https://clinic.example/patients/${ $encodeUrlComponent(vars.patient) }"';
  const CLEAR = '«"http://clinic.example/patients/${ $encodeUrlComponent(vars.patient) }"';
  const TIMEOUT = '      timeout: 3s\n';
  seeded('secret-in-clear?', [
    [URL, CLEAR, TIMEOUT, `${TIMEOUT}      auth: { bearer: "\${ secrets.token }" }\n`],
    [URL, CLEAR, TIMEOUT, `${TIMEOUT}      auth: { basic: { username: me, password: "\${ secrets.token }" } }\n`],
    [URL, CLEAR, TIMEOUT, `${TIMEOUT}      headers: { x-key: "\${ secrets.token }" }\n`],
    [URL, CLEAR, TIMEOUT, `${TIMEOUT}      headers: { Authorization: "Token abc" }\n`],
    [URL, CLEAR, TIMEOUT, `${TIMEOUT}      auth: { bearer: abc }\n`],
  ]);
});

describe('keys for the party that answers', () => {
  seeded('digit', [
    [BRIDGE, `${BRIDGE}, send_digits: «"12 34"`],
    [BRIDGE, `${BRIDGE}, send_digits: «"wait 1"`],
    [BRIDGE, `${BRIDGE}, send_digits: «""`],
    [BRIDGE, `${BRIDGE}, send_digits: «"p123"`],
    [BRIDGE, `${BRIDGE}, send_digits: «"12,34"`],
  ]);
});
