import { describe } from 'vitest';
import { seeded } from './seeded.ts';

const NOTE = '  note: { type: string, default: none }\n';
const TALKED = '        talked: "${ steps.ring.duration ? steps.ring.duration : 0 }"\n';
const WELCOME = '  welcome: { en-US: Welcome to the clinic. }\n';

describe('declarations', () => {
  seeded('unused-variable?', [
    [NOTE, `${NOTE}  «plan: { type: string }\n`],
    [NOTE, `${NOTE}  «tries: { type: integer, default: 0 }\n`],
    ['vars:\n', 'vars:\n  «nurse: { type: object }\n'],
    [NOTE, `${NOTE}  «Note: { type: string }\n`],
    [NOTE, `${NOTE}  «wards: { type: array, items: { type: string } }\n`],
  ]);
  const MESSAGE = 'set: { note: "${ result.recording_id }" }';
  seeded('never-read?', [
    ['  note: {', '  «note: {', '        note: "${ vars.note }"\n', ''],
    ['  insured: { type: boolean, default', '  «insured: { type: boolean, default', 'vars.insured and ', ''],
    ['  pick: {', '  «pick: {', '[$$.vars.pick]', '[0]'],
    [NOTE, `${NOTE}  «plan: { type: string }\n`, MESSAGE, `${MESSAGE.slice(0, -2)}, plan: basic }`],
    [
      NOTE,
      `${NOTE}  «seconds: { type: number }\n`,
      MESSAGE,
      `${MESSAGE.slice(0, -2)}, seconds: "\${ result.duration_ms / 1000 }" }`,
    ],
  ]);
  seeded('never-set?', [
    ['  ward: { enum', '  «ward: { enum', '    set: { ward: "${ result.choice }" }\n', ''],
    ['  patient: { type', '  «patient: { type', '    set: { patient: "${ result.digits }" }\n', ''],
    ['false }\n  doctors: {', 'false }\n  «doctors: {', ', doctors: "${ [result.body.doctors] }"', ''],
    [NOTE, `${NOTE}  «plan: { type: string }\n`, TALKED, `${TALKED}        plan: "\${ vars.plan }"\n`],
    [
      NOTE,
      `${NOTE}  «nurse: { type: string }\n`,
      '  thanks: { play: goodbye',
      '  thanks: { play: ["Ask for ${ vars.nurse }.", goodbye]',
    ],
  ]);
  seeded('unused-prompt?', [
    [WELCOME, `${WELCOME}  «hello: { en-US: Hello there. }\n`],
    [WELCOME, `${WELCOME}  «sorry: That is not right.\n`],
    [WELCOME, `${WELCOME}  «jingle: { silence: 1s }\n`],
    [WELCOME, `${WELCOME}  «welcome_again: [welcome]\n`],
    [WELCOME, `${WELCOME}  «ward: { en-US: Your ward. }\n`],
  ]);
  seeded('unused-schedule?', [
    ['schedules:\n', 'schedules:\n  «night: { open: [{ from: "20:00", to: "06:00" }] }\n'],
    ['schedules:\n', 'schedules:\n  «Hours: { open: [] }\n'],
    ['schedules:\n', 'schedules:\n  «weekend: { open: [{ days: [sat, sun], from: "10:00", to: "12:00" }] }\n'],
    ['schedules:\n', 'schedules:\n  «lunch: { open: [{ from: "12:00", to: "13:00" }] }\n'],
    ['schedules:\n', 'schedules:\n  «opening: { open: [{ from: "12:00", to: "13:00" }] }\n'],
  ]);
  seeded('unused-exit?', [
    ['error: apologise }\nevents', 'error: apologise, «timeout: bye }\nevents'],
    ['error: apologise }\nevents', 'error: apologise, «interrupted: bye }\nevents'],
    ['error: apologise }\nevents', 'error: apologise, «limit: message }\nevents'],
    ['error: apologise }\nevents', 'error: apologise, «exhausted: message }\nevents'],
    ['error: apologise }\nevents', 'error: apologise, «failed: message }\nevents'],
  ]);
});

describe('values of steps that cannot have run', () => {
  const GREET = '  greet: { play: welcome, next: opening }';
  seeded('step-not-run?', [
    [GREET, '  greet: { play: [welcome, "Hello ${ «steps.ring.to }."], next: opening }'],
    [GREET, '  greet: { play: welcome, when: "$exists(«steps.ask_patient.digits)", next: opening }'],
    ['$encodeUrlComponent(vars.patient)', '$encodeUrlComponent(vars.patient & «steps.ward.choice)'],
    [
      'set: { patient: "${ result.digits }" }',
      'set: { patient: "${ result.digits }", note: "${ «steps.message.recording_id }" }',
    ],
    ['whisper: "A patient of ${ vars.ward }"', 'whisper: "A patient of ${ «steps.message.recording_id & vars.ward }"'],
  ]);
});
