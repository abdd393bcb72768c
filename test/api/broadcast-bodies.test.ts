/** Parsing of broadcast requests: each accepted spelling gives the same order. */
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/base/core/json.ts';
import { errorBody, toApiError } from '../../src/service/api/api-error.ts';
import { MAX_NUMBERS, readBroadcast, readDoNotCall } from '../../src/service/api/broadcast-bodies.ts';

const NUMBERS = ['+33612345601', '+33612345602'];
const FLOW = { flow: 'reminder' };

const order = (body: JsonObject) => readBroadcast({ from: '1000', broadcast_numbers_array: NUMBERS, ...body }).order;
const callees = (body: JsonObject) => readBroadcast({ from: '1000', ...body }).callees;

/** The answer to a body that is refused. */
function refused(body: Json, read: (body: Json) => unknown = readBroadcast): JsonObject & { status: number } {
  try {
    read(body);
  } catch (error) {
    const problem = toApiError(error);
    return { ...errorBody(problem, { format: 'broadcast' }, ''), status: problem.status };
  }
  throw new Error('it was taken');
}

describe('the numbers of a broadcast', () => {
  const KEYS = ['broadcast_numbers_array', 'broadcast_numbers_json', 'broadcastnumbersjson', 'broadcast_numbers'];
  const WAYS: [what: string, written: Json][] = [
    ['a list of texts', NUMBERS],
    ['a list of objects', NUMBERS.map((phone) => ({ phone }))],
    ['both in one list', [NUMBERS[0]!, { phone: NUMBERS[1]! }]],
    ['a text with a list as JSON', JSON.stringify(NUMBERS)],
    ['a text with a list of objects as JSON', ` ${JSON.stringify(NUMBERS.map((phone) => ({ phone })))}\n`],
    ['a text with commas', NUMBERS.join(',')],
    ['a text with commas and blanks', ` ${NUMBERS.join(' ,  ')}, `],
    ['a text of lines', `${NUMBERS.join('\r\n')}\r\n`],
    ['texts with blanks around', NUMBERS.map((phone) => ` ${phone} `)],
  ];

  it.each(KEYS.flatMap((key) => WAYS.map(([what, written]) => [key, what, written] as const)))(
    'is read as documented: %s is %s',
    (key, _what, written) => {
      expect(callees({ [key]: written })).toEqual(NUMBERS.map((phone) => ({ phone })));
    },
  );

  it('accepts JSON numbers whose digits are kept exactly', () => {
    expect(callees({ broadcast_numbers: [33612345601, { phone: 33612345602 }, 0] })).toEqual([
      { phone: '33612345601' },
      { phone: '33612345602' },
      { phone: '0' },
    ]);
    expect(refused({ from: '1', broadcast_numbers: [1e21, -5, 1.5, 2 ** 60, '1'] })['numbers']).toHaveLength(4);
  });

  it('passes further keys of a number as input to its flow', () => {
    const written: Json = [
      { phone: '1', name: 'Ada', visits: 3, address: { city: 'Lyon' } },
      { phone: '2', name: null },
      '3',
    ];
    const read = readBroadcast({ from: '1000', ...FLOW, broadcast_numbers: written });
    expect(read.callees).toEqual([
      { phone: '1', input: { name: 'Ada', visits: 3, address: { city: 'Lyon' } } },
      { phone: '2', input: { name: null } },
      { phone: '3' },
    ]);
    expect(read.note).toBe('');
  });

  it.each<[string, JsonObject]>([
    ['a flow', FLOW],
    ['action_on_connect.flow', { action_on_connect: FLOW }],
    ['a flow for machines', { amd: { on_machine: FLOW } }],
  ])('is given input of its numbers by %s', (_what, more) => {
    const read = readBroadcast({ from: '1000', broadcast_numbers: [{ phone: '1', name: 'Ada' }], ...more });
    expect([read.callees[0]!.input, read.note]).toEqual([{ name: 'Ada' }, '']);
  });

  it('accepts further keys without a flow, and names them as ignored', () => {
    const keys = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`${index}`.padEnd(100, 'x'), 1]));
    const read = readBroadcast({
      from: '1000',
      broadcast_numbers: [
        { phone: '1', name: 'Ada' },
        { phone: '2', ...keys },
      ],
    });
    expect(read.callees).toEqual([{ phone: '1' }, { phone: '2' }]);
    const [first, second = '', ...others] = read.note.split(/: |, /).slice(1);
    expect([first, second.length, others.length]).toEqual(['name', 64, 8]);
  });

  it.each<[string, JsonObject]>([
    ['nothing', {}],
    ['null', { broadcast_numbers: null }],
    ['an empty text', { broadcast_numbers: ' ' }],
    ['an empty list', { broadcast_numbers_array: [] }],
    ['a text with an empty list', { broadcast_numbers_json: '[]' }],
    ['commas', { broadcast_numbers: ',,' }],
  ])('are refused as %s: there are none', (_what, body) => {
    expect(refused({ from: '1000', ...body })).toMatchObject({
      status: 400,
      error_description: 'the list of numbers is empty or missing',
      hint: expect.any(String),
    });
  });

  it('refuses numbers in two fields; ignores an empty field', () => {
    expect(refused({ from: '1', broadcast_numbers_array: NUMBERS, broadcast_numbers_json: '["1"]' })).toMatchObject({
      status: 400,
      error_description: 'broadcast_numbers_array and broadcast_numbers_json exclude each other: use one of them',
    });
    expect(callees({ broadcast_numbers_array: [], broadcast_numbers_json: '["1"]', broadcast_numbers: '' })).toEqual([
      { phone: '1' },
    ]);
  });

  it.each<[string, Json]>([
    ['an object as JSON', '{"phone": "+33612345601"}'],
    ['a text as JSON', '"+33612345601"'],
    ['half a list', '["+33612345601", '],
    ['a list with a comma at its end', '["+33612345601",]'],
    ['an object', { phone: '+33612345601' }],
    ['true', true],
    ['a number', 33612345601],
  ])('are refused as %s, with an example', (_what, written) => {
    expect(refused({ from: '1000', broadcast_numbers_json: written })).toMatchObject({
      status: 400,
      error_description: expect.stringMatching(/^broadcast_numbers_json: /),
      hint: expect.stringContaining('{"phone": "+33612345678"}'),
    });
  });

  it('names all numbers that cannot be called, whatever is wrong with them', () => {
    const written: Json = [
      '+33612345601',
      '',
      'nobody',
      { name: 'Ada' },
      null,
      [['+33612345601']],
      { phone: { number: '1' } },
      true,
      '٣٣٦١٢٣٤٥٦٠١',
      { phone: 'x'.repeat(500) },
      { phone: '2', deep: nested(100) },
    ];
    const { status, error_description: words, numbers } = refused({ from: '1000', broadcast_numbers: written });
    expect(status).toBe(400);
    expect(words).toMatch(/^10 of 11 numbers are wrong; the first is number 2, "": is empty/);
    expect((numbers as JsonObject[]).map(({ index }) => index)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect((numbers as JsonObject[]).map(({ value }) => value)).toEqual([
      '',
      'nobody',
      '{…}',
      'null',
      '[…]',
      '{…}',
      'true',
      '٣٣٦١٢٣٤٥٦٠١',
      `${'x'.repeat(100)}…`,
      '2',
    ]);
    for (const { message } of numbers as JsonObject[]) expect(message).toMatch(/^(is|has|must) /);
  });

  it('keeps the prototype of the copied object unchanged', () => {
    const text = '[{"phone": "1", "__proto__": {"polluted": true}, "inner": {"__proto__": {"polluted": true}}}]';
    for (const written of [text, JSON.parse(text) as Json]) {
      const [callee] = readBroadcast({ from: '1000', ...FLOW, broadcast_numbers: written }).callees;
      expect(Object.keys(callee!.input!)).toEqual(['inner']);
      expect((callee!.input as JsonObject)['polluted']).toBeUndefined();
      expect(Object.getPrototypeOf(callee!.input)).toBe(Object.prototype);
    }
    const inner = readBroadcast({ from: '1000', ...FLOW, broadcast_numbers: text }).callees[0]!.input!['inner'];
    expect(Object.keys(inner as JsonObject)).toEqual([]);
  });

  it('accepts at most 100,000 numbers', () => {
    const many = Array.from({ length: MAX_NUMBERS }, (_, index) => String(index));
    expect(callees({ broadcast_numbers: many })).toHaveLength(MAX_NUMBERS);
    for (const written of [[...many, '1'], JSON.stringify([...many, '1']), `${many.join(',')},1`]) {
      expect(refused({ from: '1000', broadcast_numbers: written })).toMatchObject({
        status: 400,
        error_description: 'broadcast_numbers: at most 100000 numbers, got 100001',
      });
    }
  });

  // The benchmark of this case is `npm run bench -- reading`.
  it('accepts 100,000 objects as numbers', () => {
    const items = Array.from({ length: MAX_NUMBERS }, (_, index) => ({
      phone: `+336${String(index).padStart(8, '0')}`,
      name: `Customer ${index}`,
      city: 'Villeurbanne',
      due: index / 100,
    }));
    const body = { from: '1000', ...FLOW, broadcast_numbers_json: JSON.stringify(items) };
    expect(body.broadcast_numbers_json.length).toBeGreaterThan(7_000_000);
    expect(readBroadcast(body).callees).toHaveLength(MAX_NUMBERS);
  });
});

describe('the order of a broadcast', () => {
  it('has the defaults of the interface', () => {
    expect(order({})).toEqual({
      name: '',
      from: '1000',
      autoRecord: false,
      pacing: {},
      retry: {
        busy: { retries: 3, intervalMs: 5000 },
        no_answer: { retries: 3, intervalMs: 5000 },
        declined: { retries: 0, intervalMs: 5000 },
        unreachable: { retries: 3, intervalMs: 5000 },
      },
      ringTimeoutMs: 60_000,
      idleTimeoutMs: 10_000,
      redialLost: false,
    });
  });

  it('reads variant A: application_name and a JSON text of numbers', () => {
    const read = readBroadcast({
      application_name: 'reminder',
      owner_ref: 42,
      broadcast_numbers_json: '[{"phone": "+33612345601"}]',
      from: 1000,
      action_on_connect: { play: { text: 'Hello', voice: 'Female', language: 'en-US' } },
      call_param: { interval_between_retries: 30, number_of_retries: 2 },
      event_url: 'https://shop.example/broadcasts',
      call_handler_url: 'https://shop.example/calls',
    });
    expect(read).toMatchObject({
      order: {
        name: 'reminder',
        ownerRef: '42',
        from: '1000',
        action: { type: 'play', play: { text: 'Hello', voice: 'female', language: 'en-US' } },
        retry: { busy: { retries: 2, intervalMs: 30_000 } },
        eventUrl: 'https://shop.example/broadcasts',
        callHandlerUrl: 'https://shop.example/calls',
      },
      callees: [{ phone: '+33612345601' }],
    });
  });

  it('reads variant B: name, and booleans as text', () => {
    const read = readBroadcast({
      name: 'reminder',
      owner_ref: 'x',
      from: '1000',
      auto_record: 'True',
      broadcastnumbersjson: [{ phone: '+33612345601' }],
      action_on_connect: { play: { prompt_name: 'hello', interrupt: 'true', dtmf: 'true', asr: false } },
      call_param: { IntervalBetweenRetries: '7', NumberOfRetries: '1' },
    });
    expect(read).toMatchObject({
      order: {
        name: 'reminder',
        autoRecord: true,
        action: { type: 'play', play: { promptName: 'hello', interrupt: true, dtmf: true, asr: false } },
        retry: { no_answer: { retries: 1, intervalMs: 7000 } },
      },
      callees: [{ phone: '+33612345601' }],
    });
  });

  it.each(['application_name', 'name', 'applicationName'])('is called by %s', (key) => {
    expect(order({ [key]: ' reminder ' }).name).toBe('reminder');
  });

  it('prefers the documented name of a thing that is there twice', () => {
    expect(
      order({
        name: 'no',
        application_name: 'yes',
        callhandler_url: 'http://no.example',
        call_handler_url: 'http://yes.example',
        call_param: { NumberOfRetries: 9, number_of_retries: 1 },
      }),
    ).toMatchObject({ name: 'yes', callHandlerUrl: 'http://yes.example', retry: { busy: { retries: 1 } } });
  });

  it.each(['call_handler_url', 'callhandler_url'])('has its events handled by %s', (key) => {
    expect(order({ [key]: 'http://x.example' }).callHandlerUrl).toBe('http://x.example');
  });

  it.each(['interval_between_retries', 'IntervalBetweenRetries', 'intervalBetweenRetries'])(
    'waits between calls as %s says, in seconds or in milliseconds',
    (key) => {
      const interval = (value: Json) => order({ call_param: { [key]: value } }).retry.busy.intervalMs;
      expect([0, 5, '5', 0.5, 999, 1000, '60000'].map(interval)).toEqual([0, 5000, 5000, 500, 999_000, 1000, 60_000]);
    },
  );

  it.each(['number_of_retries', 'NumberOfRetries', 'numberOfRetries'])('calls again as %s says', (key) => {
    expect([0, '2', 100].map((value) => order({ call_param: { [key]: value } }).retry.no_answer.retries)).toEqual([
      0, 2, 100,
    ]);
  });

  it('retries by reason, and declined calls only on request', () => {
    expect(
      order({
        call_param: {
          number_of_retries: 2,
          interval_between_retries: 10,
          retry: { busy: { interval: 60 }, declined: { retries: 1 }, unreachable: { retries: 0, interval: 3600 } },
        },
      }).retry,
    ).toEqual({
      busy: { retries: 2, intervalMs: 60_000 },
      no_answer: { retries: 2, intervalMs: 10_000 },
      declined: { retries: 1, intervalMs: 10_000 },
      unreachable: { retries: 0, intervalMs: 3_600_000 },
    });
  });

  it('paces, rings and waits as it says', () => {
    expect(
      order({
        call_param: {
          calls_per_second: '0.5',
          max_concurrent: '20',
          ring_timeout: 25,
          idle_timeout: 0,
          redial_lost: 'true',
        },
      }),
    ).toMatchObject({
      pacing: { callsPerSecond: 0.5, maxConcurrent: 20 },
      ringTimeoutMs: 25_000,
      idleTimeoutMs: 0,
      redialLost: true,
    });
  });

  it.each<[string, Json, Json]>([
    ['the name of a schedule', 'office', 'office'],
    [
      'one opening',
      { from: '09:00', to: '20:00', timezone: 'Europe/Paris', days: 'mon-fri', holidays: ['2026-12-25'] },
      {
        timezone: 'Europe/Paris',
        holidays: ['2026-12-25'],
        open: [{ from: '09:00', to: '20:00', days: 'mon-fri' }],
      },
    ],
    ['opening hours', { open: [{ from: '09:00', to: '12:00' }] }, { open: [{ from: '09:00', to: '12:00' }] }],
  ])('calls in a window: %s', (_what, written, window) => {
    expect(order({ call_param: { window: written } }).window).toEqual(window);
  });

  it.each<[string, JsonObject, JsonObject | undefined]>([
    ['nothing', {}, undefined],
    ['false', { answering_machine_detection: 'false' }, undefined],
    ['amd: false', { answering_machine_detection: true, amd: false }, undefined],
    ['true', { answering_machine_detection: 'true' }, { timeoutMs: 5000, awaitBeepMs: 0, onMachine: 'hang_up' }],
    ['amd: true', { amd: true }, { timeoutMs: 5000, awaitBeepMs: 0, onMachine: 'hang_up' }],
    ['an object', { amd: {} }, { timeoutMs: 5000, awaitBeepMs: 0, onMachine: 'hang_up' }],
    [
      'an object by the long name',
      { answering_machine_detection: { timeout: '8', on_machine: 'same' } },
      { timeoutMs: 8000, awaitBeepMs: 30_000, onMachine: 'same' },
    ],
    [
      'a word in other case',
      { amd: { on_machine: 'Hang-Up' } },
      { timeoutMs: 5000, awaitBeepMs: 0, onMachine: 'hang_up' },
    ],
    [
      'no beep',
      { amd: { on_machine: 'same', await_beep: false } },
      { timeoutMs: 5000, awaitBeepMs: 0, onMachine: 'same' },
    ],
    [
      'a beep',
      { amd: { on_machine: { flow: 'leave', input: { x: 1 } }, await_beep: 12 } },
      { timeoutMs: 5000, awaitBeepMs: 12_000, onMachine: { flow: 'leave', input: { x: 1 } } },
    ],
  ])('tells machines from people: %s', (_what, body, detection) => {
    expect(order(body).detection).toEqual(detection);
  });

  it('leaves a machine a message', () => {
    expect(order({ amd: { on_machine: { play: { text: 'Call us' } } } }).detection).toMatchObject({
      awaitBeepMs: 30_000,
      onMachine: { play: { text: 'Call us', dtmf: false } },
    });
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['connect', { action_on_connect: { connect: { from: '1000', to: '4000' } } }, { type: 'connect' }],
    ['room', { action_on_connect: { room: { room_id: 'r' } } }, { type: 'room', room: { roomId: 'r' } }],
    [
      'stream',
      { action_on_connect: { stream: { wss_host: 'wss://x.example/' } } },
      { type: 'stream', stream: { url: 'wss://x.example/' } },
    ],
    ['flow', { flow: 'survey', input: { a: 1 } }, { type: 'flow', flow: 'survey', input: { a: 1 } }],
  ])('does what dial-out does on connect: %s', (_what, body, action) => {
    expect(order(body).action).toMatchObject(action);
  });

  it.each<[string, JsonObject]>([
    ['no from', { from: null }],
    ['a from of many', { from: ['1000'] }],
    ['two actions', { action_on_connect: { play: { text: 'x' }, flow: 'y' } }],
    ['input without a flow', { input: {} }],
    ['a prompt of nothing', { action_on_connect: { play: {} } }],
    ['too many retries', { call_param: { number_of_retries: 101 } }],
    ['fewer than none', { call_param: { NumberOfRetries: -1 } }],
    ['half a retry', { call_param: { number_of_retries: 1.5 } }],
    ['call_param that is none', { call_param: [] }],
    ['a rate of nothing', { call_param: { calls_per_second: 0 } }],
    ['nobody at once', { call_param: { max_concurrent: 0 } }],
    ['a retry that is none', { call_param: { retry: { busy: 3 } } }],
    ['a reason to call again that is none', { call_param: { retry: { buzy: { retries: 1 } } } }],
    ['a retry of something else', { call_param: { retry: { busy: { retrys: 1 } } } }],
    ['a detection of something else', { amd: { on_machin: 'same' } }],
    ['a window without an end', { call_param: { window: { from: '09:00' } } }],
    ['a window at no time', { call_param: { window: { from: '9', to: '25:00' } } }],
    ['a window nowhere', { call_param: { window: { from: '09:00', to: '10:00', timezone: 'Europe/Atlantis' } } }],
    ['a window twice', { call_param: { window: { from: '09:00', to: '10:00', open: [] } } }],
    ['a window of something else', { call_param: { window: { from: '09:00', to: '10:00', until: 'x' } } }],
    ['an event_url that is none', { event_url: 'ftp://x' }],
    ['a call_handler_url that is none', { callhandler_url: 'x' }],
    ['a machine that gets nothing known', { amd: { on_machine: 'sing' } }],
    ['a machine that gets two things', { amd: { on_machine: { play: { text: 'x' }, flow: 'y' } } }],
    ['input for a machine without a flow', { amd: { on_machine: { input: {} } } }],
    ['too much depth', { input: nested(5000), flow: 'x' }],
  ])('is refused with %s', (_what, body) => {
    expect(refused({ from: '1000', broadcast_numbers: NUMBERS, ...body })).toMatchObject({
      status: 400,
      state: 'failed',
      error_description: expect.any(String),
    });
  });

  it.each<[string, JsonObject, string, string?]>([
    ['a window', { from: '9:00', to: '20:00' }, 'at /from: must be a quoted time such as "09:00"'],
    ['half a window', { from: '09:00' }, 'at /: the key `to` is missing', 'add to: …'],
    [
      'a window of something else',
      { from: '09:00', to: '20:00', until: 'x' },
      'at /until: unknown key `until`',
      'the keys are from, to, days, timezone, open, holidays',
    ],
    [
      'opening hours',
      { open: [{ from: '9:00', to: '20:00' }] },
      'at /open/0/from: must be a quoted time such as "09:00"',
    ],
  ])('says what is wrong with %s where it was written', (_what, window, message, hint) => {
    const body = refused({ from: '1000', broadcast_numbers: NUMBERS, call_param: { window } });
    expect([body['error_description'], body['hint']]).toEqual([`call_param.window: ${message}`, hint]);
  });

  it('accepts unknown keys, and names them: a misspelt pace is ignored', () => {
    const read = readBroadcast({
      ...{ from: '1000', name: 'x', timestamp: 1, broadcast_numbers: NUMBERS },
      call_param: { calls_per_sec: 3, NumberOfRetries: 1 },
      action_on_connect: { play: { text: 'x', anything: 1 } },
    });
    expect(read.note).toBe(
      'unknown keys, ignored: timestamp, call_param.calls_per_sec (did you mean calls_per_second?)',
    );
    const keys = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`${index}`.padEnd(100, 'x'), 1]));
    expect(readBroadcast({ from: '1000', broadcast_numbers: NUMBERS, ...keys }).note.split(', ')).toHaveLength(11);
  });

  it.each<[string, Json]>([
    ['a list', NUMBERS],
    ['a text', 'x'],
    ['null', null],
  ])('refuses a list that is %s', (_what, body) => {
    expect(refused(body)).toMatchObject({ status: 400 });
  });
});

describe('the do-not-call list', () => {
  it.each<[string, Json, string[]]>([
    ['one', { number: ' +33 6 12 ' }, ['+33 6 12']],
    ['one as a number', { number: 33612 }, ['33612']],
    ['one by another name', { phone: '1' }, ['1']],
    ['a list', { numbers: ['1', { phone: '2', name: 'Ada' }, 3] }, ['1', '2', '3']],
    ['a text with commas', { numbers: '1, 2' }, ['1', '2']],
  ])('accepts as its body %s', (_what, body, phones) => {
    expect(readDoNotCall(body)).toEqual(phones);
  });

  it.each<[string, Json]>([
    ['nothing', {}],
    ['a list', ['1']],
    ['both', { number: '1', numbers: ['2'] }],
    ['an empty list', { numbers: [] }],
    ['an object', { numbers: { phone: '1' } }],
    ['an item that is none', { numbers: ['1', {}] }],
  ])('are refused as %s', (_what, body) => {
    expect(refused(body, readDoNotCall)).toMatchObject({ status: 400 });
  });
});

function nested(levels: number): Json {
  let value: Json = 1;
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { x: value };
  return value;
}
