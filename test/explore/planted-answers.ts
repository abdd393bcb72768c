/** Flows with one planted defect each in what they expect of answers, lists, times of day and agents. */
import { flow, type Planted } from './planted.ts';

const TYPED = (schema: string): string => `returns: ${schema}`;
const object = (properties: string, required = ''): string =>
  `{ type: object, ${required === '' ? '' : `required: [${required}], `}properties: { ${properties} } }`;

/** A request as the first step, with the schema of its answer. */
const asks = (schema: string, more: string, exits = 'ok: bye, failed: bye'): string => `
  first: { request: { get: "https://shop.example/me", timeout: 3s, ${TYPED(schema)} }, ${more}exits: { ${exits} } }
`;
const TEXT = 'vars: { text: { type: string } }\n';
const SLOTS = `slots: { type: array, items: ${object('time: { type: string }, state: { type: string }', 'time, state')} }`;

const agent = (tool: string, more: string, exits = 'done: bye, limit: bye'): string => `
  first: { assistant: { agent: { adapter: openai, url: "wss://agents.example/", model: small }, instructions: Help., tools: ${tool} }, ${more}exits: { ${exits} } }
`;
const tool = (argument: string): string => `{ book: { description: Books a table., arguments: { ${argument} } } }`;

const day = (hours: string): string => `schedules: { day: { timezone: Europe/Paris, open: [${hours}] } }\n`;
const WEEK = day('{ days: mon-fri, from: "08:00", to: "18:00" }');
const opening = (steps: string, exits = 'open: judge, closed: bye, holiday: bye'): string => `
  first: { schedule: day, exits: { ${exits} } }${steps}
`;
const judge = (when: string, then = 'late'): string => `
  judge: { branch: [{ when: "${when}", next: ${then} }, { else: bye }] }
  late: { play: "It is late.", next: bye }`;
const REST = `
  rest: { play: wait, next: silent }
  silent: { pause: 10s, next: tell }
  tell: { play: "Here we are.", next: bye }
`;
const clock = (picture: string): string => `$local('${picture}', 'Europe/Paris')`;

export const PLANTED_ANSWERS: Planted[] = [
  {
    name: 'the first item of a list that may be empty',
    kind: 'fault',
    flow: flow(asks(object(SLOTS, 'slots'), 'set: { text: "${ result.body.slots[0].time }" }, '), TEXT),
    mend: ['slots: { type: array,', 'slots: { type: array, minItems: 1,'],
  },
  {
    name: 'the second item of a list that may have one',
    kind: 'fault',
    flow: flow(
      asks(
        object(SLOTS.replace('array,', 'array, minItems: 1,'), 'slots'),
        'set: { text: "${ result.body.slots[1].time }" }, ',
      ),
      TEXT,
    ),
    mend: ['slots[1]', 'slots[0]'],
  },
  {
    name: 'a field that an answer may lack',
    kind: 'fault',
    flow: flow(
      asks(
        object('name: { type: string }', 'id').replace('properties: {', 'properties: { id: { type: string },'),
        'set: { text: "${ result.body.name }" }, ',
      ),
      TEXT,
    ),
    mend: ['required: [id]', 'required: [id, name]'],
  },
  {
    name: 'a field that may be null',
    kind: 'fault',
    flow: flow(
      asks(object('name: { type: [string, "null"] }', 'name'), 'set: { text: "${ result.body.name }" }, '),
      TEXT,
    ),
    mend: ['[string, "null"]', '[string]'],
  },
  {
    name: 'an alternative that is null',
    kind: 'fault',
    flow: flow(
      asks(
        object('last: { anyOf: [{ type: string }, { type: "null" }] }', 'last'),
        'set: { text: "${ result.body.last }" }, ',
      ),
      TEXT,
    ),
    mend: [', { type: "null" }', ''],
  },
  {
    name: 'a part of an answer that may lack as a whole',
    kind: 'fault',
    flow: flow(
      asks(
        object(`address: ${object('city: { type: string }', 'city')}`),
        'set: { text: "${ result.body.address.city }" }, ',
      ),
      TEXT,
    ),
    mend: ['{ type: object, properties: { address:', '{ type: object, required: [address], properties: { address:'],
  },
  {
    name: 'a field of the first item that may lack',
    kind: 'fault',
    flow: flow(
      asks(
        object(`orders: { type: array, minItems: 1, items: ${object('number: { type: string }')} }`, 'orders'),
        'set: { text: "${ result.body.orders[0].number }" }, ',
      ),
      TEXT,
    ),
    mend: ['items: { type: object, properties', 'items: { type: object, required: [number], properties'],
  },
  {
    name: 'a list in a list that may be empty',
    kind: 'fault',
    flow: flow(
      asks(
        object(
          `orders: { type: array, minItems: 1, items: ${object('lines: { type: array, items: { type: string } }', 'lines')} }`,
          'orders',
        ),
        'set: { text: "${ result.body.orders[0].lines[0] }" }, ',
      ),
      TEXT,
    ),
    mend: ['lines: { type: array,', 'lines: { type: array, minItems: 1,'],
  },
  {
    name: 'a field of an answer that is kept as a whole first',
    kind: 'fault',
    flow: flow(
      `${asks(object('name: { type: string }'), 'set: { customer: "${ result.body }" }, ', 'ok: keep, failed: bye')}
  keep: { set: { text: "\${ vars.customer.name }" }, next: bye }
`,
      'vars: { text: { type: string }, customer: { type: object } }\n',
    ),
    mend: ['returns: { type: object,', 'returns: { type: object, required: [name],'],
  },
  {
    name: 'an answer that is a list and may be empty',
    kind: 'fault',
    flow: flow(
      asks(
        `{ type: array, items: ${object('phone: { type: string }', 'phone')} }`,
        'set: { text: "${ result.body[0].phone }" }, ',
      ),
      TEXT,
    ),
    mend: ['{ type: array, items', '{ type: array, minItems: 1, items'],
  },
  {
    name: 'a silence that only two items cause',
    kind: 'dead_air',
    flow: flow(`${asks(object(SLOTS, 'slots'), '', 'ok: judge, failed: bye')}
  judge: { branch: [{ when: "$count(steps.first.body.slots) > 1", next: rest }, { else: bye }] }
${REST}`),
    mend: ['pause: 10s', 'pause: 1s'],
  },
  {
    name: 'a silence behind a list without items',
    kind: 'dead_air',
    flow: flow(`${asks(object(SLOTS, 'slots'), '', 'ok: judge, failed: bye')}
  judge: { branch: [{ when: "$count(steps.first.body.slots) = 0", next: rest }, { else: bye }] }
${REST}`),
    mend: ['pause: 10s', 'pause: 1s'],
  },
  {
    name: 'a silence behind an item that a predicate selects',
    kind: 'dead_air',
    flow: flow(`${asks(object(SLOTS, 'slots'), '', 'ok: judge, failed: bye')}
  judge: { branch: [{ when: "$exists(steps.first.body.slots[state = 'free'])", next: rest }, { else: bye }] }
${REST}`),
    mend: ['pause: 10s', 'pause: 1s'],
  },
  {
    name: 'a service that is asked again as long as its list is empty',
    kind: 'endless',
    flow: flow(`${asks(object(SLOTS, 'slots'), '', 'ok: judge, failed: bye')}
  judge: { branch: [{ when: "$count(steps.first.body.slots) = 0", next: rest }, { else: bye }] }
  rest: { play: wait, next: first }
`),
    mend: ['next: first', 'next: bye'],
  },
  {
    name: 'a menu of a list whose item may lack what is kept of it',
    kind: 'fault',
    flow: flow(
      `${asks(
        object(
          `teams: { type: array, items: ${object('name: { type: string }, id: { type: string }', 'name')} }`,
          'teams',
        ),
        'set: { teams: "${ [result.body.teams] }" }, ',
        'ok: pick, failed: bye',
      )}
  pick: { menu: { prompt: Which team?, each: "\${ vars.teams }", say: "For \${ item.name } press \${ key }.", say_more: "For more press 9." }, set: { text: "\${ result.item.id }" }, exits: { chosen: bye, empty: bye, exhausted: bye } }
`,
      'vars: { text: { type: string }, teams: { type: array, default: [] } }\n',
    ),
    mend: ['result.item.id', 'result.item.name'],
  },
  {
    name: 'a loop over items that may lack the input of its flow',
    kind: 'fault',
    flow: `${flow(
      `${asks(
        object(`orders: { type: array, items: ${object('number: { type: string }')} }`, 'orders'),
        'set: { orders: "${ [result.body.orders] }" }, ',
        'ok: each, failed: bye',
      )}
  each: { for_each: { list: "\${ vars.orders }", flow: one, input: { number: "\${ item.number }" } }, exits: { done: bye, empty: bye } }
`,
      'vars: { orders: { type: array, default: [] } }\n',
    )}flows:
  one:
    input: { number: { type: string } }
    vars: { number: { type: string } }
    start: keep
    steps:
      keep: { set: { number: "\${ input.number }" }, exits: { done: tell, error: $end } }
      tell: { play: "Order \${ vars.number }.", exits: { done: $end, error: $end } }
`,
    mend: ['items: { type: object, properties', 'items: { type: object, required: [number], properties'],
  },
  {
    name: 'a loop that is never stopped, because its flow does not return that',
    kind: 'unreachable',
    flow: `${flow(
      `${asks(
        object(`orders: { type: array, items: ${object('days: { type: integer }', 'days')} }`, 'orders'),
        'set: { orders: "${ [result.body.orders] }" }, ',
        'ok: each, failed: bye',
      )}
  each: { for_each: { list: "\${ vars.orders }", flow: one, input: { days: "\${ item.days }" }, outcomes: [stop] }, exits: { done: bye, empty: bye, stop: bye } }
`,
      'vars: { orders: { type: array, default: [] } }\n',
    )}flows:
  one:
    input: { days: { type: integer } }
    start: judge
    steps:
      judge: { branch: [{ when: "input.days > 3 and input.days < 2", next: out }, { else: $end }] }
      out: { return: stop }
`,
    mend: ['input.days > 3 and input.days < 2', 'input.days > -3 and input.days < 2'],
  },
  {
    name: 'an answer that no number fits',
    kind: 'unreachable',
    flow: flow(asks(object('count: { type: integer, minimum: 5, maximum: 3 }', 'count'), '')),
    mend: ['maximum: 3', 'maximum: 30'],
  },
  {
    name: 'an answer with a required field that it may not have',
    kind: 'unreachable',
    flow: flow(
      asks(
        '{ type: object, required: [id, nmae], additionalProperties: false, properties: { id: { type: string }, name: { type: string } } }',
        '',
      ),
    ),
    mend: ['required: [id, nmae], additionalProperties: false', 'required: [id, nmae], additionalProperties: true'],
  },
  {
    name: 'an evening within the opening hours that is after them',
    kind: 'unreachable',
    flow: flow(opening(judge(`$number(${clock('[H]')}) >= 19`)), WEEK),
    mend: ['>= 19', '>= 9'],
  },
  {
    name: 'a weekday on which it is never open',
    kind: 'unreachable',
    flow: flow(opening(judge(`${clock('[FNn]')} = 'Sunday'`)), WEEK),
    mend: ["'Sunday'", "'Monday'"],
  },
  {
    name: 'an hour that no day has, in a variable',
    kind: 'unreachable',
    flow: flow(
      `
  first: { set: { hour: "\${ $number(${clock('[H]')}) }" }, next: judge }${judge('vars.hour > 23')}
`,
      'vars: { hour: { type: integer } }\n',
    ),
    mend: ['hour > 23', 'hour > 8'],
  },
  {
    name: 'opening hours within others that they never meet',
    kind: 'unreachable',
    flow: flow(
      opening('\n  judge: { schedule: late, exits: { open: bye, closed: bye, holiday: bye } }'),
      `schedules: { day: { open: [{ from: "08:00", to: "12:00" }] }, late: { open: [{ from: "13:00", to: "18:00" }] } }\n`,
    ),
    mend: ['from: "13:00"', 'from: "08:15"'],
  },
  {
    name: 'a silence in the evening alone',
    kind: 'dead_air',
    flow: flow(`
  first: { branch: [{ when: "${clock('[H01]:[m01]')} >= '20:30'", next: rest }, { else: bye }] }
${REST}`),
    mend: ['pause: 10s', 'pause: 1s'],
  },
  {
    name: 'a silence in one minute of the day',
    kind: 'dead_air',
    flow: flow(`
  first: { branch: [{ when: "${clock('[H01]:[m01]')} = '12:00'", next: rest }, { else: bye }] }
${REST}`),
    mend: ['pause: 10s', 'pause: 1s'],
  },
  {
    name: 'a silence on one day of the year',
    kind: 'dead_air',
    flow: flow(`
  first: { branch: [{ when: "${clock('[M01]-[D01]')} = '12-25'", next: rest }, { else: bye }] }
${REST}`),
    mend: ['pause: 10s', 'pause: 1s'],
  },
  {
    name: 'a holiday whose announcement is followed by silence',
    kind: 'dead_air',
    flow: flow(
      opening(`${judge(`${clock('[H]')} = '9'`)}\n${REST}`, 'open: judge, closed: bye, holiday: rest'),
      `schedules: { day: { timezone: Europe/Paris, open: [{ days: mon-fri, from: "08:00", to: "18:00" }], holidays: ["2026-12-25"] } }\n`,
    ),
    mend: ['pause: 10s', 'pause: 1s'],
  },
  {
    name: 'a question that is asked again as long as it is closed',
    kind: 'endless',
    flow: flow(
      `
  first: { schedule: day, exits: { open: bye, closed: ask, holiday: bye } }
  ask: { menu: { prompt: "We are closed. Press 1 for a message.", choices: { message: { dtmf: "1" } } }, exits: { message: bye, exhausted: first } }
`,
      WEEK,
    ),
    mend: ['exhausted: first', 'exhausted: bye'],
  },
  {
    name: 'an argument of a tool that may be null',
    kind: 'fault',
    flow: flow(
      agent(
        tool('name: { type: [string, "null"] }'),
        'set: { text: "${ result.arguments.name }" }, ',
        'book: bye, done: bye, limit: bye',
      ),
      TEXT,
    ),
    mend: ['[string, "null"]', '[string]'],
  },
  {
    name: 'a list of an agent that may be empty',
    kind: 'fault',
    flow: flow(
      agent(
        tool('dishes: { type: array, items: { type: string } }'),
        'set: { text: "${ result.arguments.dishes[0] }" }, ',
        'book: bye, done: bye, limit: bye',
      ),
      TEXT,
    ),
    mend: ['type: array,', 'type: array, minItems: 1,'],
  },
  {
    name: 'a tool whose arguments nothing fits',
    kind: 'unreachable',
    flow: flow(
      agent(tool('people: { type: integer, minimum: 10, maximum: 5 }'), '', 'book: bye, done: bye, limit: bye'),
    ),
    mend: ['maximum: 5', 'maximum: 50'],
  },
  {
    name: 'an agent who is called again after each silence',
    kind: 'endless',
    flow: flow(
      agent(
        '{ human: { description: A person is wanted. } }',
        '',
        'human: bye, done: bye, limit.silence: first, limit: bye',
      ),
    ),
    mend: ['limit.silence: first', 'limit.silence: bye'],
  },
  {
    name: 'an argument of a tool that is compared in the wrong spelling',
    kind: 'unreachable',
    flow: flow(`${agent(tool('table: { enum: [inside, garden] }'), '', 'book: judge, done: bye, limit: bye')}
  judge: { branch: [{ when: "steps.first.arguments.table = 'Garden'", next: garden }, { else: bye }] }
  garden: { play: "A table in the garden.", next: bye }
`),
    mend: ["'Garden'", "'inside'"],
  },
  {
    name: 'a limit of visits that a counter is ahead of',
    kind: 'unreachable',
    flow: flow(
      `
  first: { collect: { prompt: "Your number please.", digits: { length: 2 }, attempts: 1 }, max_visits: 5, exits: { collected: bye, exhausted.no_input: count, exhausted.no_match: count, limit: bye } }
  count: { set: { tries: "\${ vars.tries + 1 }" }, next: judge }
  judge: { branch: [{ when: "vars.tries >= 2", next: bye }, { else: first }] }
`,
      'vars: { tries: { type: integer, default: 0 } }\n',
    ),
    mend: ['exhausted.no_input: count', 'exhausted.no_input: first'],
  },
  {
    name: 'a repetition that is left before its last round',
    kind: 'unreachable',
    flow: flow(
      `
  first: { collect: { prompt: "Your number please.", digits: { length: 2 }, attempts: 1 }, exits: { collected: bye, exhausted.no_input: count, exhausted.no_match: count } }
  count: { set: { tries: "\${ vars.tries + 1 }" }, next: judge }
  judge: { branch: [{ when: "vars.tries >= 2", next: bye }, { else: again }] }
  again: { repeat: { do: first, times: 3 }, exits: { limit: bye } }
`,
      'vars: { tries: { type: integer, default: 0 } }\n',
    ),
    mend: ['exhausted.no_input: count', 'exhausted.no_input: again'],
  },
];
