/** Flows of Amazon Connect: each block, the paths that they read, and blocks without a counterpart. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import type { Fidelity } from '../../src/language/importers/imported.ts';
import { callweave, folderOf } from '../cli/command.ts';
import { errorsOf, expectTodo, imported, refused } from './imported.ts';

const END = '$end';
interface Block {
  Identifier: string;
  Type: string;
  Parameters?: object;
  Transitions?: object;
}

const connect = (blocks: readonly Block[], more: object = {}): string =>
  JSON.stringify({
    Version: '2019-10-30',
    StartAction: blocks[0]!.Identifier,
    Metadata: {},
    Actions: blocks.map((block) => ({ Parameters: {}, Transitions: {}, ...block })),
    ...more,
  });

const bye: Block = { Identifier: 'bye', Type: 'DisconnectParticipant' };
const error = (ErrorType: string, NextAction = 'bye'): object => ({ ErrorType, NextAction });
const when = (value: string, Operator = 'Equals', NextAction = 'bye'): object => ({
  NextAction,
  Condition: { Operator, Operands: [value] },
});

type Row = [type: string, parameters: object, transitions: object, step: JsonObject, fidelity?: Fidelity];

const BLOCKS: Row[] = [
  [
    'MessageParticipant',
    { Text: 'Hello, $.Attributes.name.' },
    { NextAction: 'bye' },
    { play: 'Hello, ${ vars.name }.', next: 'bye' },
  ],
  ['MessageParticipant', { SSML: '<speak>Hi</speak>' }, {}, { play: { ssml: '<speak>Hi</speak>' }, next: END }],
  [
    'GetParticipantInput',
    { Text: 'Press 1 or 2.', InputTimeLimitSeconds: '6' },
    { Conditions: [when('1'), when('2')], Errors: [error('InputTimeLimitExceeded'), error('NoMatchingCondition')] },
    {
      menu: {
        prompt: 'Press 1 or 2.',
        attempts: 1,
        start_timeout: '6s',
        choices: { key_1: { dtmf: '1' }, key_2: { dtmf: '2' } },
      },
      exits: { key_1: 'bye', key_2: 'bye', 'exhausted.no_input': 'bye', 'exhausted.no_match': 'bye' },
    },
  ],
  [
    'GetParticipantInput',
    {
      Text: 'Your account, please.',
      StoreInput: 'True',
      InputValidation: { CustomValidation: { MaximumLength: '8' } },
      DTMFConfiguration: { InputTerminationSequence: '*', InterdigitTimeLimitSeconds: '4' },
    },
    { NextAction: 'bye', Errors: [error('NoMatchingError')] },
    {
      collect: {
        ...{ prompt: 'Your account, please.', attempts: 1, start_timeout: '5s', inter_digit_timeout: '4s' },
        digits: { max: 8, terminator: '*' },
      },
      set: { stored_input: '${ result.digits }' },
      exits: { collected: 'bye', exhausted: 'bye' },
    },
  ],
  [
    'Compare',
    { ComparisonValue: '$.Attributes.tier' },
    {
      Conditions: [when('gold'), when('5', 'NumberGreaterThan'), when('si', 'TextStartsWith')],
      Errors: [error('NoMatchingCondition')],
    },
    {
      branch: [
        { when: "$string(vars.tier) = 'gold'", next: 'bye' },
        { when: "$exists(vars.tier) and $number(vars.tier) > $number('5')", next: 'bye' },
        { when: "$substring($string(vars.tier), 0, $length('si')) = 'si'", next: 'bye' },
        { else: 'bye' },
      ],
    },
  ],
  [
    'CheckHoursOfOperation',
    {},
    { Conditions: [when('True'), when('False')], Errors: [error('NoMatchingError')] },
    { schedule: 'office_hours', exits: { open: 'bye', closed: 'bye', holiday: 'bye' } },
  ],
  [
    'InvokeLambdaFunction',
    {
      LambdaFunctionARN: 'arn:aws:lambda:eu-west-1:1:function:find-customer',
      InvocationTimeLimitSeconds: '3',
      LambdaInvocationAttributes: { from: '$.CustomerEndpoint.Address' },
    },
    { NextAction: 'bye', Errors: [error('NoMatchingError')] },
    {
      request: {
        post: '${ env.lambda_find_customer }',
        body: {
          Name: 'ContactFlowEvent',
          Details: {
            ContactData: {
              Attributes: {},
              Channel: 'VOICE',
              ContactId: '${ call.id }',
              InitialContactId: '${ call.id }',
              InitiationMethod: "${ call.direction = 'inbound' ? 'INBOUND' : 'OUTBOUND' }",
              CustomerEndpoint: {
                Address: "${ call.direction = 'inbound' ? call.from : call.to }",
                Type: 'TELEPHONE_NUMBER',
              },
              SystemEndpoint: {
                Address: "${ call.direction = 'inbound' ? call.to : call.from }",
                Type: 'TELEPHONE_NUMBER',
              },
            },
            Parameters: { from: '${ call.from }' },
          },
        },
        timeout: '3s',
      },
      set: { external: '${ result.body }' },
      exits: { ok: 'bye', not_found: 'bye', failed: 'bye' },
    },
  ],
  [
    'UpdateContactAttributes',
    { Attributes: { 'first name': '$.External.name' } },
    { NextAction: 'bye' },
    { set: { first_name: '${ vars.external.name }' }, next: 'bye' },
  ],
  [
    'TransferContactToQueue',
    {},
    { NextAction: 'bye', Errors: [error('QueueAtCapacity')] },
    { queue: { name: '${ vars.target_queue }', wait_for_agents: true }, exits: { dequeued: END, full: 'bye' } },
  ],
  [
    'TransferParticipantToThirdParty',
    { ThirdPartyPhoneNumber: '+15551234567', ThirdPartyConnectionTimeLimitSeconds: '20' },
    { NextAction: 'bye', Errors: [error('CallFailed')] },
    { bridge: { to: '+15551234567', ring_timeout: '20s' }, exits: { completed: 'bye', failed: 'bye' } },
  ],
  [
    'UpdateContactRecordingBehavior',
    { RecordingBehavior: { RecordedParticipants: ['Agent', 'Customer'], IVRRecordingBehavior: 'Enabled' } },
    { NextAction: 'bye' },
    { recording: 'start', set: { recorded: true }, exits: { started: 'bye', failed: 'bye' } },
  ],
  [
    'UpdateContactTextToSpeechVoice',
    { TextToSpeechVoice: 'Matthew' },
    { NextAction: 'bye' },
    { set: { 'call.voice': ['Matthew', 'male'] }, next: 'bye' },
  ],
  [
    'UpdateContactData',
    { LanguageCode: 'es-US' },
    { NextAction: 'bye' },
    { set: { 'call.locale': 'es-US' }, next: 'bye' },
  ],
  [
    'UpdateContactRoutingBehavior',
    { QueuePriority: '1' },
    { NextAction: 'bye' },
    { set: { queue_priority: 4 }, next: 'bye' },
  ],
  [
    'GetMetricData',
    {},
    { NextAction: 'bye', Errors: [error('NoMatchingError')] },
    {
      check_queue: '${ vars.target_queue }',
      set: { queue_metrics: '${ result }' },
      exits: { free: 'bye', busy: 'bye', no_agents: 'bye', error: 'bye' },
    },
  ],
  [
    'ConnectParticipantWithLexBot',
    { Text: 'How can I help?', LexBot: { Name: 'Orders', Region: 'x' } },
    { Conditions: [when('TrackOrder')], Errors: [error('NoMatchingCondition')] },
    {
      assistant: {
        agent: 'orders',
        instructions: 'Begin with: How can I help?',
        tools: { TrackOrder: { description: 'The caller wants TrackOrder.' } },
      },
      exits: { TrackOrder: 'bye', done: 'bye', limit: 'bye', error: 'bye' },
    },
    'workaround',
  ],
  ['EndFlowExecution', {}, {}, { hangup: 'normal' }],
  ['Wait', { TimeLimitSeconds: '5' }, { Conditions: [when('WaitCompleted')] }, { pause: '5s', next: 'bye' }],
  [
    'DistributeByPercentage',
    {},
    {
      Conditions: [when('31', 'NumberLessThan'), when('51', 'NumberLessThan')],
      Errors: [error('NoMatchingCondition')],
    },
    {
      split: { arms: { share_1: 30, share_2: 20, rest: 50 }, sticky: false },
      exits: { share_1: 'bye', share_2: 'bye', rest: 'bye' },
    },
  ],
  [
    'UpdateContactRecordingBehavior',
    { RecordingBehavior: { RecordedParticipants: ['Agent', 'Customer'] } },
    { NextAction: 'bye' },
    { set: { recorded: true }, next: 'bye' },
  ],
  [
    'UpdateContactRecordingBehavior',
    { RecordingBehavior: { RecordedParticipants: [] } },
    { NextAction: 'bye' },
    { set: { recorded: false }, next: 'bye' },
  ],
];

describe('a block', () => {
  it.each(BLOCKS)('imports the block %s %j', (Type, Parameters, Transitions, step, fidelity = 'exact') => {
    const source = connect([{ Identifier: 'one', Type, Parameters, Transitions }, bye]);
    const result = imported({ 'shop.json': source });
    expect(result.steps['one']).toEqual(step);
    expect(result.nodes[0]!.fidelity).toBe(fidelity);
    expect(errorsOf(result)).toEqual([]);
  });

  it('repeats Loop as often as it defines', () => {
    const say: Block = {
      Identifier: 'say',
      Type: 'MessageParticipant',
      Parameters: { Text: 'Once more.' },
      Transitions: { NextAction: 'loop' },
    };
    const loop: Block = {
      Identifier: 'loop',
      Type: 'Loop',
      Parameters: { LoopCount: '3' },
      Transitions: { Conditions: [when('ContinueLooping', 'Equals', 'say'), when('DoneLooping')] },
    };
    const { steps } = imported({ 'shop.json': connect([say, loop, bye]) });
    expect(steps['loop']).toMatchObject({ repeat: { do: 'say', times: 3 }, exits: { limit: 'bye' } });
  });

  it.each<[string, object, string]>([
    ['TransferToFlow', { ContactFlowId: 'arn:aws:connect:x/contact-flow/7' }, 'continue with the flow 7'],
    ['CheckMetricData', { MetricType: 'ServiceLevel' }, 'decide by the figure ServiceLevel of a queue'],
    [
      'UpdateContactEventHooks',
      { EventHooks: { CustomerQueue: 'arn:aws:connect:x/contact-flow/9' } },
      'play to those who wait what the flow 9 says: import it together with this one',
    ],
    ['Teleport', {}, 'do what the block Teleport does'],
    ['MessageParticipant', { Text: '$.Lex.Slots.city is it?' }, '$.Lex.Slots.city has no counterpart'],
    [
      'MessageParticipant',
      { PromptId: 'arn:aws:connect:x/prompt/welcome.wav' },
      'play arn:aws:connect:x/prompt/welcome.wav',
    ],
    ['Loop', { LoopCount: '$.Attributes.n' }, 'go round as often as an attribute says'],
  ])('marks %s %j as todo, with its routes', (Type, Parameters, what) => {
    const Transitions = { NextAction: 'bye', Conditions: [when('1')], Errors: [error('NoMatchingError')] };
    const result = imported({ 'shop.json': connect([{ Identifier: 'one', Type, Parameters, Transitions }, bye]) });
    expect(result.steps['one']).toMatchObject({
      todo: { what: expect.stringContaining(what), outcomes: ['is_1', 'no_matching_error', 'done'] },
      exits: { is_1: 'bye', no_matching_error: 'bye', done: 'bye' },
    });
    expectTodo(result, what);
  });

  it('reads UpdateContactCallbackNumber as a number to keep, with a route if there is none', () => {
    const keep: Block = {
      Identifier: 'keep',
      Type: 'UpdateContactCallbackNumber',
      Parameters: { CallbackNumber: '$.StoredCustomerInput' },
      Transitions: { NextAction: 'bye', Errors: [error('InvalidCallbackNumber', 'wrong')] },
    };
    const wrong: Block = { Identifier: 'wrong', Type: 'EndFlowExecution' };
    const result = imported({ 'shop.json': connect([keep, wrong, bye]) });
    expect(errorsOf(result)).toEqual([]);
    expect(result.steps['keep']).toEqual({
      branch: [
        { when: '$count($match($string(vars.stored_input), /^\\+?[0-9]{3,15}$/)) > 0', next: 'keep_kept' },
        { else: 'wrong' },
      ],
    });
    expect(result.steps['keep_kept']).toEqual({ set: { callback_number: '${ vars.stored_input }' }, next: 'bye' });
  });

  it('reads CheckMetricData as a look at the queue, with routes by its figure', () => {
    const check: Block = {
      Identifier: 'check',
      Type: 'CheckMetricData',
      Parameters: { MetricType: 'NumberOfContactsInQueue', QueueId: 'arn:aws:connect:x/queue/support' },
      Transitions: {
        Conditions: [when('5', 'NumberGreaterThan')],
        Errors: [error('NoMatchingCondition'), error('NoMatchingError')],
      },
    };
    const result = imported({ 'shop.json': connect([check, bye]) });
    expect(errorsOf(result)).toEqual([]);
    expect(result.nodes[0]).toMatchObject({ fidelity: 'exact', steps: ['check', 'check_by'] });
    expect(result.steps).toMatchObject({
      check: {
        check_queue: 'support',
        exits: { free: 'check_by', busy: 'check_by', no_agents: 'check_by', error: 'bye' },
      },
      check_by: { branch: [{ when: 'steps.check.waiting > 5', next: 'bye' }, { else: 'bye' }] },
    });
  });

  it('skips blocks without an effect', () => {
    const result = imported({
      'shop.json': connect([
        { Identifier: 'log', Type: 'UpdateFlowLoggingBehavior', Transitions: { NextAction: 'say' } },
        {
          Identifier: 'say',
          Type: 'MessageParticipant',
          Parameters: { Text: 'Good day.' },
          Transitions: { NextAction: 'bye' },
        },
        bye,
      ]),
    });
    expect(result.flows[0]!.text).toContain('start: say\n');
    expect(result.steps['say']).toEqual({ play: 'Good day.', next: 'bye' });
    expect(result.nodes.map(({ fidelity }) => fidelity)).toEqual(['none', 'exact', 'exact']);
  });

  it('is called what people called it', () => {
    const id = '0f8fad5b-d9cb-469f-a165-70867728950e';
    const Metadata = { name: 'Sales line', ActionMetadata: { [id]: { friendlyName: 'Say good-bye' } } };
    const result = imported({ 'x.json': connect([{ Identifier: id, Type: 'DisconnectParticipant' }], { Metadata }) });
    expect(result.flows[0]).toMatchObject({ name: 'Sales-line', text: expect.stringContaining('start: Say_good_bye') });
  });
});

it('imports a whole flow that behaves on a call as the source does', async () => {
  const source = connect([
    {
      Identifier: 'menu',
      Type: 'GetParticipantInput',
      Parameters: { Text: 'Press 1 for your order.', InputTimeLimitSeconds: '5' },
      Transitions: {
        Conditions: [when('1', 'Equals', 'find')],
        Errors: [error('InputTimeLimitExceeded', 'menu'), error('NoMatchingCondition', 'menu')],
      },
    },
    {
      Identifier: 'find',
      Type: 'InvokeLambdaFunction',
      Parameters: { LambdaFunctionARN: 'arn:aws:lambda:x:1:function:orders' },
      Transitions: { NextAction: 'check', Errors: [error('NoMatchingError')] },
    },
    {
      Identifier: 'check',
      Type: 'Compare',
      Parameters: { ComparisonValue: '$.External.state' },
      Transitions: { Conditions: [when('sent', 'Equals', 'tell')], Errors: [error('NoMatchingCondition')] },
    },
    {
      Identifier: 'tell',
      Type: 'MessageParticipant',
      Parameters: { Text: 'It was $.External.state.' },
      Transitions: { NextAction: 'bye' },
    },
    bye,
  ]);
  using folder = folderOf({
    'shop.json': source,
    'shop.test.yaml': `test: an order
flow: shop
env: { lambda_orders: "https://a.example/orders" }
mocks: { find: { status: 200, body: { state: sent } } }
script: [hear: "Press 1 for your order.", press: "9", hear: "Press 1 for your order.", press: "1", hear: It was sent.]
expect: { path: [menu, menu, find, check, tell, bye] }
`,
  });
  const made = await callweave(['import', 'shop.json', '--json'], { cwd: folder.path });
  expect(JSON.parse(made.out)).toMatchObject({
    format: 'amazon-connect',
    fidelity: { exact: 5, workaround: 0, todo: 0 },
  });
  const tested = await callweave(['test', '.'], { cwd: folder.path });
  expect(tested.out, tested.out + tested.err).toMatch(/^1 test passed, 0 failed/m);
});

it.each<[string, string, string[]]>([
  ['another version', connect([bye], { Version: '2031-01-01' }), ['1:12 other-version']],
  ['no actions', '{"StartAction": "a", "Actions": {"a": 1}}', ['1:1 not-connect']],
])('rejects a file: %s', (_, text, expected) => {
  expect(refused(text)).toEqual(expected);
});

it.each(BLOCKS.map(([type]) => type))('imports a block %s with values of any type', (Type) => {
  const values = [null, true, -1, '', '$.', "$['", '${ x', [], {}, ['a'], { Value: {} }, '\u0000', '💥'.repeat(999)];
  const keys = [
    'Text',
    'SSML',
    'PromptId',
    'Media',
    'ComparisonValue',
    'Attributes',
    'LoopCount',
    'TimeLimitSeconds',
    'InputTimeLimitSeconds',
    'StoreInput',
    'DTMFConfiguration',
    'LambdaFunctionARN',
    'LambdaInvocationAttributes',
    'ThirdPartyPhoneNumber',
    'CallerId',
    'RecordingBehavior',
    'InputValidation',
  ];
  for (const value of values) {
    const Parameters = Object.fromEntries(keys.map((key) => [key, value]));
    const Transitions = {
      NextAction: value,
      Conditions: [value, { NextAction: 'a', Condition: { Operator: value, Operands: value } }],
      Errors: value,
    };
    const result = imported({ 'a.json': connect([{ Identifier: 'a', Type, Parameters, Transitions }]) });
    expect(result.findings.filter(({ code }) => code.startsWith('yaml'))).toEqual([]);
  }
});
