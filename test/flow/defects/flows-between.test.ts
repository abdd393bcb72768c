/** Flows that call flows: inputs that are needed, outcomes and outputs that come back, and figures of a queue. */
import { describe, expect, it } from 'vitest';
import { findings } from '../check-flow.ts';

const HOTEL = `flow: hotel
input: { guest: { type: string, default: none } }
vars:
  room: { type: string, default: none }
  code: { type: string, sensitive: true, default: "0000" }
  names: { type: array, items: { type: string }, default: [Ann] }
  nights: { type: integer, default: 1 }
prompts: { hello: Hello and welcome. }
defaults: { exits: { error: bye } }
start: hello
steps:
  hello: { play: hello, next: book }
  book:
    subflow: { flow: booking, input: { guest: "\${ input.guest }", code: "\${ vars.code }" } }
    set: { room: "\${ result.room ?? 'none' }", nights: "\${ result.nights ?? 0 }" }
    exits: { booked: each, full: sorry }
  each:
    for_each: { list: "\${ vars.names }", flow: greeting, input: { name: "\${ item }" }, outcomes: [stop] }
    exits: { done: wait, empty: wait, stop: wait }
  wait:
    queue: { name: desk, agents: [user:anna], waiting: { flow: waiting }, outcomes: [left] }
    exits: { dequeued: told, full: sorry, left: sorry }
  told: { play: "Your room is \${ vars.room } for \${ vars.nights } nights. The first said \${ steps.each.outputs[0].said }.", next: bye }
  sorry: { play: "I am sorry.", next: bye }
  bye: { hangup: normal }
flows:
  booking:
    input: { guest: { type: string }, code: { type: string, sensitive: true }, floor: { type: integer, default: 1 } }
    vars: { room: { type: string, default: none }, nights: { type: integer, default: 1 } }
    start: ask
    steps:
      ask: { request: { post: "https://hotel.example/rooms", body: { guest: "\${ input.guest }", code: "\${ input.code }", floor: "\${ input.floor }" }, timeout: 1s, returns: { type: object, required: [room], properties: { room: { type: string } } } }, set: { room: "\${ result.body.room }", nights: "\${ vars.nights + 1 }" }, exits: { ok: booked, not_found: full, failed: full } }
      booked: { return: { outcome: booked, output: { room: "\${ vars.room }", nights: "\${ vars.nights }" } } }
      full: { return: full }
  greeting:
    input: { name: { type: string } }
    output: { said: "\${ input.name }" }
    start: say
    steps:
      say: { menu: { prompt: "Hello \${ input.name }, to stop press 1.", choices: { stop: { dtmf: "1" } }, no_input: [hello], no_match: [hello] }, exits: { stop: stop, exhausted: $end, error: $end } }
      stop: { return: stop }
  waiting:
    start: say
    steps:
      say: { play: "You are number \${ queue.position }.", exits: { done: left, error: left } }
      left: { return: left }
`;

it('accepts the flows without a mistake', () => {
  expect(findings(HOTEL)).toEqual([]);
});

/** Parts of the text, each with its replacement. */
type Defect = readonly string[];

function seeded(code: string, defects: readonly Defect[]): void {
  it.each(defects.map((parts) => [parts[1]!, parts] as const))(`reports ${code} for %s`, (_name, parts) => {
    let marked = HOTEL;
    for (let at = 0; at < parts.length; at += 2) {
      expect(marked.split(parts[at]!).length, `${parts[at]} stands in the flow once`).toBe(2);
      marked = marked.replace(parts[at]!, () => parts[at + 1]!);
    }
    const before = marked.split('«')[0]!.split('\n');
    expect(findings(marked.replace('«', ''))).toEqual([`${before.length}:${before.at(-1)!.length + 1} ${code}`]);
  });
}

const ROOM = 'room: "${ result.room ?? \'none\' }"';
const NIGHTS = 'nights: "${ result.nights ?? 0 }"';
const INPUT = '{ flow: booking, input: { guest: "${ input.guest }", code: "${ vars.code }" } }';
const LOOP = '{ list: "${ vars.names }", flow: greeting, input: { name: "${ item }" }, outcomes: [stop] }';
const OUTPUTS = '${ steps.each.outputs[0].said }';

describe('the result of a subflow', () => {
  seeded('unknown-field?', [
    [ROOM, 'room: "${ result.«rom }"'],
    [ROOM, 'room: "${ result.«number ?? \'none\' }"'],
    [ROOM, 'room: "${ $uppercase(result.«Room) }"'],
    ['Your room is ${ vars.room }', 'Your room is ${ steps.book.«romm }'],
    [OUTPUTS, '${ steps.each.outputs[0].«sad }'],
    [OUTPUTS, "${ $join(steps.each.outputs.«words, ', ') }"],
  ]);
  seeded('never-fits', [
    [NIGHTS, 'nights: «"${ result.room ?? \'none\' }"'],
    [ROOM, 'room: «"${ result.nights ?? 0 }"'],
    [ROOM, 'room: «"${ $length(result.room) }"'],
    [NIGHTS, 'nights: «"${ $string(result.nights) }"'],
    [NIGHTS, 'nights: «"${ result.nights } nights"'],
  ]);
  seeded('may-be-missing?', [
    [ROOM, 'room: "${ «result.room }"'],
    [NIGHTS, 'nights: "${ «result.nights }"'],
    [NIGHTS, 'nights: "${ «result.nights + 1 }"'],
    [ROOM, 'room: "${ $trim(«result.room) }"'],
    ['{ play: "I am sorry.", next: bye }', '{ play: "No room ${ «steps.book.room }.", next: bye }'],
    ['{ play: "I am sorry.", next: bye }', '{ play: ["There is no", "${ «steps.book.room }"], next: bye }'],
  ]);
});

describe('an input of a flow', () => {
  seeded('missing-input?', [
    [INPUT, '{ flow: «booking, input: { code: "${ vars.code }" } }'],
    [INPUT, '{ flow: «booking, input: { guest: "${ input.guest }" } }'],
    [INPUT, '{ flow: «booking }'],
    [`subflow: ${INPUT}`, 'subflow: «booking'],
    [LOOP, '{ list: "${ vars.names }", flow: «greeting, outcomes: [stop] }'],
    [LOOP, '{ list: "${ vars.names }", flow: «greeting, input: {}, outcomes: [stop] }'],
  ]);
  seeded('sensitive-leak', [
    [INPUT, '{ flow: booking, input: { guest: "${ «vars.code }", code: "${ vars.code }" } }'],
    [INPUT, '{ flow: booking, input: { guest: "guest ${ «vars.code }", code: "${ vars.code }" } }'],
    [INPUT, '{ flow: booking, input: { guest: "${ $substring(«vars.code, 0, 2) }", code: "${ vars.code }" } }'],
    [INPUT, '{ flow: booking, input: { guest: "${ input.guest & «vars.code }", code: "${ vars.code }" } }'],
    [LOOP, '{ list: "${ vars.names }", flow: greeting, input: { name: "${ item & «vars.code }" }, outcomes: [stop] }'],
  ]);
  seeded('sensitive-leak?', [
    [
      '{ play: "I am sorry.", next: bye }',
      '{ message: { to: "${ call.from }", text: "Code ${ «vars.code }", timeout: 1s }, exits: { sent: said, refused: said } }\n  said: { play: "I am sorry.", next: bye }',
    ],
  ]);
});

describe('outcomes of a flow', () => {
  const listed = (outcomes: string) => INPUT.replace(' } }', ` }, ${outcomes} }`);
  const STOP = 'exits: { done: wait, empty: wait, stop: wait }';
  const BOOKED = 'exits: { booked: each, full: sorry }';
  seeded('never-returned?', [
    [LOOP, LOOP.replace('[stop]', '[stop, «stopp]'), STOP, STOP.replace(' }', ', stopp: wait }')],
    [LOOP, LOOP.replace('[stop]', '[«left, stop]'), STOP, STOP.replace(' }', ', left: wait }')],
    [INPUT, listed('outcomes: [booked, full, «fulll]'), BOOKED, BOOKED.replace(' }', ', fulll: bye, done: bye }')],
    [INPUT, listed('outcomes: [booked, full, «none]'), BOOKED, BOOKED.replace(' }', ', none: bye, done: bye }')],
    ['outcomes: [left]', 'outcomes: [left, «gone]', 'left: sorry }', 'left: sorry, gone: sorry }'],
  ]);
  seeded('unlisted-return?', [
    [INPUT, listed('«outcomes: [booked]'), BOOKED, 'exits: { booked: each, done: sorry }'],
    [INPUT, INPUT.replace('{ flow', '{ «outcomes: [booked], flow'), BOOKED, 'exits: { booked: each, done: sorry }'],
    [LOOP, LOOP.replace('outcomes: [stop]', '«outcomes: []'), STOP, 'exits: { done: wait, empty: wait }'],
  ]);
});

describe('figures of a queue', () => {
  const READ = '{ play: "I am sorry.", next: bye }';
  seeded('no-queue?', [
    [READ, '{ play: "You were number ${ «queue.position }.", next: bye }'],
    [READ, '{ log: "${ «queue.waiting }", next: said }\n  said: { play: "I am sorry.", next: bye }'],
    [READ, '{ play: "${ \'Wait \' & $string(«queue.estimated_wait) }", next: bye }'],
    ['"Hello ${ input.name }, to stop press 1."', '"Hello ${ input.name }, ${ «queue.name }, to stop press 1."'],
    ['nights: "${ vars.nights + 1 }"', 'nights: "${ «queue.position + 1 }"'],
  ]);
});
