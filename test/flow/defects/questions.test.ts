import { describe } from 'vitest';
import { seeded } from './seeded.ts';

const MENU_EXITS = 'exits: { heart: by_insurance, bone: by_insurance, exhausted: message }';
const CHOICES = 'choices: { heart: { dtmf: "1" }, bone: { dtmf: "2" } }';
const DIGITS = 'digits: { length: 6 }';
const WARD_MENU = '  ward_menu: { en-US: "For the heart ward press 1, for the bone ward press 2." }';

describe('callers who are silent', () => {
  seeded('silent-caller?', [
    [MENU_EXITS, 'exits: { heart: by_insurance, bone: by_insurance, «exhausted: ward }'],
    [MENU_EXITS, 'exits: { heart: by_insurance, bone: by_insurance, exhausted: message, «exhausted.no_input: ward }'],
    [
      `${MENU_EXITS}\n`,
      'exits: { heart: by_insurance, bone: by_insurance, «exhausted: hello }\n  hello: { play: welcome, next: ward }\n',
    ],
    [
      `${MENU_EXITS}\n`,
      'exits: { heart: by_insurance, bone: by_insurance, «exhausted: told }\n  told: { log: silent, next: wait }\n  wait: { pause: 2s, next: ward }\n',
    ],
    [
      'exhausted: message, limit: message }',
      'exhausted: message, limit: message }',
      '    max_visits: 3\n',
      '',
      'exhausted: message, limit: message }',
      '«exhausted: ask_patient }',
    ],
  ]);
});

describe('keys', () => {
  seeded('prefix-digit?', [
    [
      CHOICES,
      'choices: { heart: { dtmf: "1" }, bone: { dtmf: «"12" } }',
      'the bone ward press 2',
      'the bone ward press 12',
    ],
    [
      CHOICES,
      'choices: { heart: { dtmf: «"11" }, bone: { dtmf: "1" } }',
      'the heart ward press 1, for the bone ward press 2',
      'hearts press 11, for bones press 1',
    ],
    [CHOICES, 'choices: { heart: { dtmf: "1" }, bone: { dtmf: «"1#" } }', 'the bone ward press 2', 'bones press 1#'],
    [
      CHOICES,
      'choices: { heart: { dtmf: "*" }, bone: { dtmf: «"*2" } }',
      '1, for the bone ward press 2.',
      '*, for bones press *2.',
    ],
    [
      CHOICES,
      'choices: { heart: { dtmf: "9" }, bone: { dtmf: «"911" } }',
      '1, for the bone ward press 2.',
      '9, for bones press 911.',
    ],
  ]);
  seeded('event-digit?', [
    ['hangup: report }', 'hangup: report, dtmf.1: message }', 'heart: { dtmf: "1" }', 'heart: { dtmf: «"1" }'],
    ['hangup: report }', 'hangup: report, dtmf.2: message }', 'bone: { dtmf: "2" }', 'bone: { dtmf: «"2" }'],
    [
      'hangup: report }',
      'hangup: report, dtmf.0: message }',
      'bone: { dtmf: "2" }',
      'bone: { dtmf: "2" }, child: { dtmf: «"0" }',
      ...['bone ward press 2.', 'bone ward press 2, for children press 0.'],
      'bone: by_insurance, ex',
      'bone: by_insurance, child: by_insurance, ex',
    ],
    [
      'hangup: report }',
      'hangup: report, dtmf.*: message }',
      'bone: { dtmf: "2" }',
      'bone: { dtmf: "2" }, child: { dtmf: «"*" }',
      ...['bone ward press 2.', 'bone ward press 2, for children press *.'],
      'bone: by_insurance, ex',
      'bone: by_insurance, child: by_insurance, ex',
    ],
    [
      'hangup: report }',
      'dtmf.#: message, hangup: report }',
      'bone: { dtmf: "2" }',
      'bone: { dtmf: "2" }, child: { dtmf: «"#" }',
      ...['bone ward press 2.', 'bone ward press 2, for children press #.'],
      'bone: by_insurance, ex',
      'bone: by_insurance, child: by_insurance, ex',
    ],
  ]);
  const PROMPT = 'prompt: ward_menu';
  seeded('said-digit?', [
    [WARD_MENU, WARD_MENU.replace('press 2', 'press 3'), PROMPT, 'prompt: «ward_menu'],
    [WARD_MENU, WARD_MENU.replace('press 2', 'press three'), PROMPT, 'prompt: «ward_menu'],
    [WARD_MENU, WARD_MENU.replace('press 2.', 'press 2. To end, press the star key.'), PROMPT, 'prompt: «ward_menu'],
    [PROMPT, 'prompt: «"Hearts press 1, bones dial 9."', `${WARD_MENU}\n`, ''],
    [WARD_MENU, '  ward_menu: { en-US: { text: "Cœur : tapez 1. Os : tapez 4." } }', PROMPT, 'prompt: «ward_menu'],
  ]);
  seeded('pattern-never', [
    [DIGITS, 'digits: { length: 6, pattern: «"[a-f]{6}" }'],
    [DIGITS, 'digits: { length: 6, pattern: «"^[0-9]{5}$" }'],
    [DIGITS, 'digits: { min: 2, max: 4, pattern: «"19[0-9]{4}" }'],
    [DIGITS, 'digits: { length: 6, pattern: «"P[0-9]+" }'],
    [DIGITS, 'digits: { length: 6, pattern: «"(19|20)\\\\d\\\\d" }'],
    [DIGITS, 'digits: { min: 4, pattern: «"1?2?3?" }'],
  ]);
  const ASKING = 'start_timeout: 6s, inter_digit_timeout: 3s';
  seeded('odd-time?', [
    [ASKING, 'start_timeout: «0s, inter_digit_timeout: 3s'],
    [ASKING, 'start_timeout: «1h, inter_digit_timeout: 3s'],
    [ASKING, 'start_timeout: 6s, inter_digit_timeout: «50ms'],
    [ASKING, 'start_timeout: 6s, inter_digit_timeout: «5m'],
    [DIGITS, `${DIGITS}, start_timeout: «100ms`],
    ['timeout: 3s\n', 'timeout: «5m\n'],
    ['timeout: 3s\n', 'timeout: «20s\n      retry: { times: 5 }\n'],
    ['timeout: 3s\n', 'timeout: «0s\n'],
    ['end_silence: 4s', 'end_silence: «3m'],
    ['end_silence: 4s', 'end_silence: «100ms'],
    ['end_silence: 4s', 'min_length: «2m'],
  ]);
  seeded('lost-keys?', [
    [DIGITS, `${DIGITS}, barge_in: false, typeahead: «flush`],
    [DIGITS, `${DIGITS}, typeahead: «flush, barge_in: false`],
    [ASKING, `${ASKING}, barge_in: false, typeahead: «flush`],
    [CHOICES, `${CHOICES}\n      barge_in: false\n      typeahead: «flush`],
    [CHOICES, `${CHOICES}\n      typeahead: «"flush"\n      barge_in: false`],
  ]);
});
