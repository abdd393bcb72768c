/** Defects of queues: their waiting flow is there, speaks alone, and returns what is declared. */
import { describe } from 'vitest';
import type { CompileOptions } from '../../../src/language/flow/compile.ts';
import { seeded } from './seeded.ts';

const GREET = '  greet: { play: welcome, next: opening }';
const knownFlows: NonNullable<CompileOptions['knownFlows']> = new Map([
  ['while-waiting', { returns: ['message', 'done'], calls: [] }],
  ['calls-you', { returns: ['done'], calls: [], input: { since: { type: 'string' } } }],
  ['back-again', { returns: ['done'], calls: ['clinic'] }],
]);

/** A queue with these keys beside its name and agents. */
const queue = (keys: string, exits = ''): [string, string] => [
  GREET,
  `  greet: { play: welcome, next: desk }\n  desk: { queue: { name: desk, agents: ["user:anna"], ${keys} }, exits: { dequeued: opening, full: message${exits} } }`,
];

describe('queues', () => {
  seeded(
    'both-heard?',
    [
      queue('waiting: while-waiting, «position: welcome'),
      queue('«position: welcome, waiting: while-waiting'),
      queue('waiting: { flow: while-waiting }, «position: "Number ${ result.position }."'),
      queue('priority: 1, waiting: while-waiting, «position: [welcome, goodbye]'),
      queue('waiting: while-waiting, outcomes: [message], «position: { text: "Wait." }', ', message: message'),
    ],
    { knownFlows },
  );
  seeded(
    'unknown-flow',
    [
      queue('waiting: «while-wating'),
      queue('waiting: «nobody'),
      queue('waiting: { flow: «music }'),
      queue('waiting: { flow: «whilewaiting, input: {} }'),
      queue('waiting: «"while waiting"'),
    ],
    { knownFlows },
  );
  seeded(
    'never-returned?',
    [
      queue('waiting: while-waiting, outcomes: [«mesage]', ', mesage: message'),
      queue('waiting: while-waiting, outcomes: [message, «callback]', ', message: message, callback: message'),
      queue('waiting: { flow: while-waiting }, outcomes: [«out]', ', out: message'),
      queue('outcomes: [«Message], waiting: while-waiting', ', Message: message'),
      queue('waiting: while-waiting, outcomes: [«left, message]', ', left: message, message: message'),
    ],
    { knownFlows },
  );
  seeded(
    'cyclic-subflow',
    [
      queue('waiting: «back-again'),
      queue('waiting: { flow: «back-again }'),
      queue('waiting: «clinic'),
      queue('waiting: { flow: «clinic }'),
      queue('waiting: { flow: «"clinic" }'),
    ],
    { knownFlows },
  );
  seeded(
    'unknown-flow',
    [
      queue('callback: { flow: «calls-you-back, key: "2" }', ', callback: opening, no_callback: message'),
      queue('callback: { key: "2", flow: «callsyou }', ', callback: opening, no_callback: message'),
      queue(
        'waiting: while-waiting, callback: { flow: «call-you, key: "1" }',
        ', callback: opening, no_callback: message',
      ),
      queue('callback: { flow: «nobody, key: "0", attempts: 1 }', ', callback: opening, no_callback: message'),
      queue('callback: { flow: «"calls you", key: "#" }', ', callback: opening, no_callback: message'),
    ],
    { knownFlows },
  );
  seeded(
    'never-returned?',
    [
      queue('«callback: { flow: calls-you }', ', callback: opening, no_callback: message'),
      queue('«callback: { flow: calls-you, attempts: 5 }', ', callback: opening, no_callback: message'),
      queue('waiting: while-waiting, «callback: { flow: calls-you }', ', callback: opening, no_callback: message'),
      queue(
        '«callback: { flow: calls-you, pause: 1m }, leave_key: "*"',
        ', abandoned: message, callback: opening, no_callback: message',
      ),
      queue(
        'waiting: { flow: while-waiting }, «callback: { flow: calls-you, to: "+33611111111" }',
        ', callback: opening, no_callback: message',
      ),
    ],
    { knownFlows },
  );
  const looked = (look: string, exits: string): [string, string] => [
    GREET,
    `  greet: { play: welcome, next: look }\n  «look: { check_queue: ${look}, exits: { ${exits} } }`,
  ];
  seeded('unrouted-outcome', [
    looked('desk', 'free: opening, busy: opening'),
    looked('{ name: desk }', 'busy: opening, no_agents: opening'),
    looked('{ name: desk, agents: ["user:anna"] }', 'busy: opening'),
    looked('desk', 'no_agents: opening'),
    looked('{ name: "desk ${ input.clinic }" }', 'free: opening'),
  ]);
  seeded(
    'unknown-input',
    [
      queue(
        'callback: { flow: calls-you, key: "2", input: { «sinse: x } }',
        ', callback: opening, no_callback: message',
      ),
      queue(
        'callback: { flow: calls-you, input: { «name: x }, key: "2" }',
        ', callback: opening, no_callback: message',
      ),
      queue(
        'callback: { flow: calls-you, key: "2", input: { since: x, «then: y } }',
        ', callback: opening, no_callback: message',
      ),
      queue(
        'callback: { flow: calls-you, key: "2", input: { «Since: x } }',
        ', callback: opening, no_callback: message',
      ),
      queue(
        'callback: { flow: calls-you, key: "2", input: { «from: "${ call.from }" } }',
        ', callback: opening, no_callback: message',
      ),
    ],
    { knownFlows },
  );
  seeded('unknown-field?', [
    queue('priority: "${ «queue.place }"'),
    [GREET, '  greet: { play: [welcome, "Number ${ «queue.positon }."], next: opening }'],
    [GREET, '  greet: { play: welcome, next: note }\n  note: { log: "${ «queue.estimate }", next: opening }'],
    [
      GREET,
      `  greet: { play: welcome, next: long }\n  long: { branch: [{ when: "«queue.wait > 60", next: message }, { else: opening }] }`,
    ],
    [GREET, '  greet: { play: [welcome, "Wait ${ $ceil(«queue.estimatedWait / 60) } minutes."], next: opening }'],
  ]);
});
