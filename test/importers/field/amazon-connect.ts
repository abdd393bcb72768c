/** Flows of Amazon Connect in the shapes of its exports: the flow language of today, and the older list of modules. */
import { type Random, randomOf } from './generator.ts';

type Parameters = Readonly<Record<string, unknown>>;
type Block = readonly [type: string, parameters: Parameters, values?: readonly string[], errors?: readonly string[]];

const arn = (kind: string, id: string): string => `arn:aws:connect:eu-west-2:123456789012:instance/i-1/${kind}/${id}`;
const FAILS = ['NoMatchingError'];
const BLOCKS: readonly Block[] = [
  ['UpdateFlowLoggingBehavior', { FlowLoggingBehavior: 'Enabled' }],
  [
    'UpdateContactTextToSpeechVoice',
    { TextToSpeechVoice: 'Amy', TextToSpeechEngine: 'Neural', TextToSpeechStyle: 'None' },
    [],
    FAILS,
  ],
  ['UpdateContactData', { LanguageCode: 'en-GB' }, [], FAILS],
  ['MessageParticipant', { Text: 'Hello, $.Attributes.name. It is $.External.weather.' }, [], FAILS],
  ['MessageParticipant', { SSML: '<speak>Wait <break time="1s"/> please.</speak>' }, [], FAILS],
  ['MessageParticipant', { PromptId: '$.Attributes.prompt' }, [], FAILS],
  [
    'MessageParticipant',
    { Media: { Uri: 'https://media.example.org/hello.wav', SourceType: 'S3', MediaType: 'Audio' } },
    [],
    FAILS,
  ],
  [
    'GetParticipantInput',
    {
      Text: 'Press one or two.',
      StoreInput: 'False',
      InputTimeLimitSeconds: '5',
      DTMFConfiguration: { DisableCancelKey: 'False', InterdigitTimeLimitSeconds: '3' },
    },
    ['1', '2'],
    ['InputTimeLimitExceeded', 'NoMatchingCondition', 'NoMatchingError'],
  ],
  [
    'GetParticipantInput',
    {
      ...{ Text: 'Your card number, please.', StoreInput: 'True', InputTimeLimitSeconds: '8' },
      InputValidation: { CustomValidation: { MaximumLength: '16' } },
      InputEncryption: { EncryptionKeyId: 'k1', Key: '-----BEGIN CERTIFICATE-----' },
      DTMFConfiguration: { InputTerminationSequence: '#', DisableCancelKey: 'False' },
    },
    [],
    FAILS,
  ],
  [
    'GetParticipantInput',
    {
      ...{ Text: 'Your number, please.', StoreInput: 'True', InputTimeLimitSeconds: '8' },
      InputValidation: { PhoneNumberValidation: { NumberFormat: 'Local', CountryCode: 'GB' } },
    },
    [],
    ['NoMatchingError', 'InvalidPhoneNumber'],
  ],
  [
    'ConnectParticipantWithLexBot',
    {
      Text: 'How can we help?',
      LexV2Bot: { AliasArn: 'arn:aws:lex:eu-west-2:1:bot-alias/B/A' },
      LexSessionAttributes: { tier: '$.Attributes.tier' },
    },
    ['Book', 'Cancel'],
    ['NoMatchingCondition', 'NoMatchingError'],
  ],
  ['Compare', { ComparisonValue: '$.Attributes.tier' }, ['gold', 'silver'], ['NoMatchingCondition']],
  ['CheckHoursOfOperation', { HoursOfOperationId: arn('operating-hours', 'h1') }, ['True', 'False'], FAILS],
  [
    'InvokeLambdaFunction',
    {
      LambdaFunctionARN: 'arn:aws:lambda:eu-west-2:1:function:find',
      InvocationTimeLimitSeconds: '4',
      LambdaInvocationAttributes: { order: '$.StoredCustomerInput' },
      ResponseValidation: { ResponseType: 'STRING_MAP' },
    },
    [],
    FAILS,
  ],
  [
    'UpdateContactAttributes',
    { Attributes: { tier: '$.External.tier', seen: 'yes' }, TargetContact: 'Current' },
    [],
    FAILS,
  ],
  ['UpdateFlowAttributes', { FlowAttributes: { tries: { Value: '1' } } }, [], FAILS],
  ['UpdateContactTargetQueue', { QueueId: arn('queue', 'q1') }, [], FAILS],
  ['UpdateContactRoutingBehavior', { QueuePriority: '2' }, [], FAILS],
  [
    'UpdateContactRecordingBehavior',
    {
      RecordingBehavior: { RecordedParticipants: ['Agent', 'Customer'] },
      AnalyticsBehavior: { Enabled: 'True', AnalyticsLanguage: 'en-GB' },
    },
  ],
  [
    'CheckMetricData',
    { MetricType: 'NumberOfAgentsAvailable', QueueId: arn('queue', 'q1') },
    ['0'],
    ['NoMatchingCondition', 'NoMatchingError'],
  ],
  ['GetMetricData', { QueueId: arn('queue', 'q1') }, [], FAILS],
  [
    'UpdateContactCallbackNumber',
    { CallbackNumber: '$.StoredCustomerInput' },
    [],
    ['InvalidCallbackNumber', 'CallbackNumberNotDialable'],
  ],
  [
    'CreateCallbackContact',
    {
      QueueId: arn('queue', 'q1'),
      InitialCallDelaySeconds: '5',
      RetryDelaySeconds: '600',
      MaximumConnectionAttempts: '2',
    },
    [],
    FAILS,
  ],
  [
    'TransferParticipantToThirdParty',
    {
      ThirdPartyPhoneNumber: '+442071838750',
      ThirdPartyConnectionTimeLimitSeconds: '30',
      ContinueFlowExecution: 'True',
      ThirdPartyDTMFDigits: '1,,2',
      CallerId: { Number: '+442071838751', Name: 'Shop' },
    },
    [],
    ['CallFailed', 'ConnectionTimeLimitExceeded', 'NoMatchingError'],
  ],
  ['DistributeByPercentage', {}, ['31', '61'], ['NoMatchingCondition']],
  ['Loop', { LoopCount: '3' }, ['ContinueLooping', 'DoneLooping']],
  ['Wait', { TimeLimitSeconds: '20' }, ['WaitCompleted'], FAILS],
  ['TransferContactToQueue', {}, [], ['QueueAtCapacity', 'NoMatchingError']],
  ['TagContact', { Tags: { team: 'orders' } }, [], FAILS],
];

function flowOf(blocks: readonly Block[], random?: Random): string {
  const ids = [...blocks.map((_each, index) => `0000000${index}-1111-2222-3333-444444444444`), 'end'];
  const actions = blocks.map(([Type, Parameters, values = [], errors = []], index) => {
    const next = (): string => (random === undefined ? ids[index + 1]! : random.pick(ids));
    const Operator =
      Type === 'DistributeByPercentage'
        ? 'NumberLessThan'
        : Type === 'CheckMetricData'
          ? 'NumberGreaterThan'
          : 'Equals';
    const Conditions = values.map((value) => ({ NextAction: next(), Condition: { Operator, Operands: [value] } }));
    const Errors = errors.map((ErrorType) => ({ NextAction: next(), ErrorType }));
    return { Parameters, Identifier: ids[index], Type, Transitions: { NextAction: next(), Errors, Conditions } };
  });
  const end = { Parameters: {}, Identifier: 'end', Type: 'DisconnectParticipant', Transitions: {} };
  const position = { position: { x: 40.5, y: 20 } };
  return JSON.stringify(
    {
      ...{ Version: '2019-10-30', StartAction: ids[0] },
      Metadata: {
        ...{
          entryPointPosition: { x: 40, y: 40 },
          name: 'Orders',
          description: '',
          type: 'contactFlow',
          status: 'published',
          hash: {},
        },
        ActionMetadata: Object.fromEntries(ids.map((id) => [id, { ...position, isFriendlyName: false }])),
        Annotations: [],
      },
      Actions: [...actions, end],
    },
    null,
    1,
  );
}

type Branch = readonly [condition: string, type?: string, value?: unknown];
type Module = readonly [type: string, branches: readonly Branch[], parameters: readonly object[], more?: object];

const text = (value: string): object[] => [
  { name: 'Text', value, namespace: null },
  { name: 'TextToSpeechType', value: 'text' },
];
const DONE: readonly Branch[] = [['Success'], ['Error']];
const MODULES: readonly Module[] = [
  ['SetLoggingBehavior', [['Success']], [{ name: 'LoggingBehavior', value: 'Enable' }]],
  ['SetVoice', [['Success']], [{ name: 'GlobalVoice', value: 'Amy' }]],
  ['PlayPrompt', [['Success']], text('Thank you for calling the theatre.')],
  [
    'SetAttributes',
    DONE,
    [
      { name: 'Attribute', value: 'true', key: 'greeted', namespace: null },
      { name: 'Attribute', value: 'Name', key: 'name', namespace: 'External' },
    ],
  ],
  [
    'CheckAttribute',
    [['Evaluate', 'Equals', 'true'], ['Evaluate', 'Contains', 'yes'], ['NoMatch']],
    [
      { name: 'Attribute', value: 'greeted' },
      { name: 'Namespace', value: 'User Defined' },
    ],
  ],
  [
    'GetUserInput',
    [['Evaluate', 'Equals', '1'], ['Evaluate', 'Equals', '2'], ['Timeout'], ['NoMatch'], ['Error']],
    [...text('Press one for tickets.'), { name: 'Timeout', value: '5' }, { name: 'MaxDigits', value: '1' }],
    { target: 'Digits' },
  ],
  [
    'StoreUserInput',
    DONE,
    [
      ...text('Your booking number, please.'),
      { name: 'CustomerInputType', value: 'Custom' },
      { name: 'Timeout', value: '6' },
      { name: 'MaxDigits', value: 8 },
      { name: 'EncryptEntry', value: false },
    ],
  ],
  [
    'InvokeExternalResource',
    DONE,
    [
      { name: 'FunctionArn', value: 'arn:aws:lambda:eu-west-2:1:function:book', namespace: null },
      { name: 'TimeLimit', value: '4' },
      { name: 'Parameter', key: 'number', value: 'Stored customer input', namespace: 'System' },
    ],
    { target: 'Lambda' },
  ],
  [
    'SetRecordingBehavior',
    [['Success']],
    [
      { name: 'RecordingBehaviorOption', value: 'Enable' },
      { name: 'RecordingParticipantOption', value: 'Both' },
    ],
  ],
  ['CheckHoursOfOperation', [['True'], ['False'], ['Error']], []],
  ['CheckStaffing', [['True'], ['False'], ['Error']], [{ name: 'Status', value: 'Available' }]],
  [
    'CheckQueueStatus',
    [['CheckQueueTime', 'LessThan', 300000], ['NoMatch'], ['Error']],
    [],
    { metadata: { conditionMetadata: [{ attribute: { name: 'Time in Queue' } }] } },
  ],
  ['UpdateRoutingPriority', [['Success']], [{ name: 'AbsolutePosition', value: 1 }]],
  [
    'PercentileBranching',
    [
      ['Evaluate', 'Equals', '40'],
      ['Evaluate', 'Equals', '30'],
      ['NoMatch', 'Equals', '30'],
    ],
    [],
  ],
  ['Loop', [['Looping'], ['Complete']], [{ name: 'LoopCount', value: '2' }]],
  [
    'SetCallBackNumber',
    [['Success'], ['InvalidPhoneNumber'], ['NonDialableNumber']],
    [{ name: 'CallBackNumber', value: 'Stored customer input', namespace: 'System' }],
  ],
  [
    'CreateCallback',
    DONE,
    [
      { name: 'InitialDelaySeconds', value: 5 },
      { name: 'RetryDelaySeconds', value: 600 },
      { name: 'MaxRetryAttempts', value: 1 },
    ],
  ],
  ['SetQueue', DONE, [{ name: 'Queue', value: arn('queue', 'q1'), namespace: null, resourceName: 'Box office' }]],
  ['Transfer', [['AtCapacity'], ['Error']], [], { target: 'Queue' }],
];

/** The older export, with identifiers in place of names. */
function modulesOf(modules: readonly Module[], random?: Random): string {
  const ids = [
    ...modules.map((_each, index) => `1111111${index}-aaaa-bbbb-cccc-dddddddddddd`),
    'ffffffff-aaaa-bbbb-cccc-dddddddddddd',
  ];
  const made = modules.map(([type, branches, parameters, more = {}], index) => {
    const next = (): string => (random === undefined ? ids[index + 1]! : random.pick(ids));
    return {
      ...{ id: ids[index], type },
      branches: branches.map(([condition, conditionType, conditionValue]) => ({
        ...{ condition, ...(conditionType !== undefined && { conditionType, conditionValue }) },
        transition: next(),
      })),
      ...{ parameters, metadata: { position: { x: 100 * index, y: 20 } }, ...more },
    };
  });
  const end = {
    id: ids.at(-1),
    type: 'Disconnect',
    branches: [],
    parameters: [],
    metadata: { position: { x: 0, y: 0 } },
  };
  return JSON.stringify(
    {
      ...{ modules: [...made, end], version: '1', type: 'contactFlow', start: ids[0] },
      metadata: {
        entryPointPosition: { x: 15, y: 15 },
        snapToGrid: false,
        name: 'Box office',
        description: null,
        type: 'contactFlow',
        status: 'published',
        hash: 'ab',
      },
    },
    null,
    1,
  );
}

function generated(seed: number): string {
  const random = randomOf(seed);
  if (random.once(3))
    return modulesOf(
      Array.from({ length: 9 }, () => random.pick(MODULES)),
      random,
    );
  return flowOf(
    Array.from({ length: 10 }, () => random.pick(BLOCKS)),
    random,
  );
}

export const documents: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'each block with all of its parameters': { 'start.json': flowOf(BLOCKS) },
  'each module of the older export': { 'start.json': modulesOf(MODULES) },
  ...Object.fromEntries(
    Array.from({ length: 12 }, (_each, index) => [`generated ${index + 1}`, { 'start.json': generated(600 + index) }]),
  ),
};
