/** Kinds of modules of the older Amazon Connect export, as actions of today. Used by `connect-modules.ts`. */
import { defined, isObject, type Json, type JsonObject } from '../../base/core/json.ts';

/** Parameter of a module. */
export interface ModuleParameter {
  index: number;
  name: string;
  key: Json | undefined;
  /** Literal, or a path such as `$.Attributes.name`. */
  value: Json;
  /** Name that the editor shows. */
  resourceName: Json | undefined;
  /** Keys that no export has. */
  others: JsonObject;
}

export interface ModuleKind {
  /** Type of the action. */
  type: string;
  parameters: JsonObject;
  /** Names of the parameters that `parameters` contains. */
  reads: readonly string[];
  /** Names that the editor shows for parameters. */
  shown?: JsonObject;
  /** True if the values of the branches are shares, which are cumulative in an action. */
  cumulative?: boolean;
  /** Operator and operand of a branch. Undefined if they are those of the branch. */
  conditionOf?(condition: string, operator: string, value: Json | undefined): [string, string] | undefined;
}

interface Module {
  parameters: readonly ModuleParameter[];
  editor: JsonObject;
}

/** Names of the system, as paths of today. */
const SYSTEM: Readonly<Record<string, string>> = {
  'Stored customer input': '$.StoredCustomerInput',
  'Customer Number': '$.CustomerEndpoint.Address',
  'Customer number': '$.CustomerEndpoint.Address',
  'Dialed Number': '$.SystemEndpoint.Address',
  'Dialed number': '$.SystemEndpoint.Address',
  'Contact id': '$.ContactId',
  'Initiation method': '$.InitiationMethod',
  'Queue name': '$.Queue.Name',
};

/** Value of a parameter: a literal, or a path below its namespace. */
export function parameterValue(value: Json | undefined, namespace: Json | undefined): Json {
  if (typeof namespace !== 'string' || namespace === '') return value ?? '';
  const name = String(value ?? '');
  if (namespace === 'System') return SYSTEM[name] ?? `$.${name.replaceAll(/\s+/g, '')}`;
  const scope = namespace === 'User Defined' ? 'Attributes' : namespace.replaceAll(/\s+/g, '');
  return /^\w+$/.test(name) ? `$.${scope}.${name}` : `$.${scope}['${name.replaceAll("'", '')}']`;
}

type Make = (module: Module) => ModuleKind;

const named = ({ parameters }: Module, name: string): Json | undefined =>
  parameters.find((each) => each.name === name)?.value;

/** Name that the editor shows for a parameter. */
function shownName(module: Module, name: string, ...keys: string[]): string | undefined {
  const own = module.parameters.find((each) => each.name === name)?.resourceName;
  const [inEditor] = keys.map((key) => module.editor[key]).filter(isObject);
  const text = own ?? inEditor?.['text'];
  return typeof text === 'string' && text !== '' ? text : undefined;
}

const shownAs = (parameter: string, name: string | undefined): Pick<ModuleKind, 'shown'> =>
  name === undefined ? {} : { shown: { [parameter]: { displayName: name } } };

const PROMPT = ['Text', 'TextToSpeechType', 'AudioPrompt', 'Prompt'];

function promptOf(module: Module): JsonObject {
  const [text, sound] = [named(module, 'Text'), named(module, 'AudioPrompt') ?? named(module, 'Prompt')];
  if (text === undefined) return defined<JsonObject>({ PromptId: sound });
  return named(module, 'TextToSpeechType') === 'ssml' ? { SSML: text } : { Text: text };
}

const say: Make = (module) => ({ type: 'MessageParticipant', parameters: promptOf(module), reads: PROMPT });

/** Parameters of the same meaning, by their names of today. */
const renamed =
  (type: string, names: Readonly<Record<string, string>>, more: JsonObject = {}): Make =>
  (module) => ({
    type,
    parameters: defined<JsonObject>({
      ...more,
      ...Object.fromEntries(
        Object.entries(names).flatMap(([old, today]) => {
          const value = named(module, old);
          return value === undefined ? [] : [[today, value]];
        }),
      ),
    }),
    reads: Object.keys(names),
  });

const ask: Make = (module) => ({
  type: 'GetParticipantInput',
  parameters: defined<JsonObject>({ ...promptOf(module), InputTimeLimitSeconds: named(module, 'Timeout') }),
  // The keys of the branches say how many digits there are.
  reads: [...PROMPT, 'Timeout', 'MaxDigits'],
});

const askBot: Make = (module) => ({
  type: 'ConnectParticipantWithLexBot',
  parameters: { ...promptOf(module), LexBot: defined<JsonObject>({ Name: named(module, 'BotName') }) },
  reads: [...PROMPT, 'BotName', 'BotAlias', 'BotRegion', 'Timeout'],
});

const store: Make = (module) => {
  const isNumber = named(module, 'CustomerInputType') === 'PhoneNumber';
  const phone = {
    NumberFormat: named(module, 'PhoneNumberFormat') ?? 'Local',
    CountryCode: named(module, 'CountryCode'),
  };
  const custom = { MaximumLength: named(module, 'MaxDigits') ?? 20 };
  return {
    type: 'GetParticipantInput',
    parameters: defined<JsonObject>({
      ...promptOf(module),
      StoreInput: 'True',
      InputTimeLimitSeconds: named(module, 'Timeout'),
      InputValidation: isNumber ? { PhoneNumberValidation: defined<JsonObject>(phone) } : { CustomValidation: custom },
      InputEncryption: named(module, 'EncryptEntry') === true ? { EncryptionKeyId: 'of the source' } : undefined,
      DTMFConfiguration: defined<JsonObject>({
        InputTerminationSequence: named(module, 'TerminatorDigits'),
        DisableCancelKey: named(module, 'DisableCancel'),
      }),
    }),
    reads: [
      ...PROMPT,
      ...['CustomerInputType', 'Timeout', 'MaxDigits', 'PhoneNumberFormat', 'CountryCode', 'DisableCancel'],
      ...['EncryptEntry', 'EncryptionKeyId', 'EncryptionKey', 'TerminatorDigits'],
    ],
  };
};

const compare: Make = (module) => {
  const tested = parameterValue(named(module, 'Attribute'), named(module, 'Namespace'));
  return { type: 'Compare', parameters: { ComparisonValue: tested }, reads: ['Attribute', 'Namespace'] };
};

const attributes: Make = ({ parameters }) => {
  const set = parameters.filter(({ name, key }) => name === 'Attribute' && key !== undefined);
  const [key, value] = ['key', 'value'].map((wanted) => parameters.find(({ name }) => name === wanted)?.value);
  const popped = key === undefined ? [] : [[String(key), value ?? ''] as const];
  const given = Object.fromEntries([...set.map((each) => [String(each.key), each.value] as const), ...popped]);
  return { type: 'UpdateContactAttributes', parameters: { Attributes: given }, reads: ['Attribute', 'key', 'value'] };
};

const queue: Make = (module) => ({
  type: 'UpdateContactTargetQueue',
  parameters: defined<JsonObject>({ QueueId: named(module, 'Queue'), AgentId: named(module, 'Agent') }),
  reads: ['Queue', 'Agent'],
  ...shownAs('QueueId', shownName(module, 'Queue', 'queue')),
});

const toFlow: Make = (module) => ({
  type: 'TransferToFlow',
  parameters: defined<JsonObject>({ ContactFlowId: named(module, 'ContactFlowId') }),
  reads: ['ContactFlowId'],
  ...shownAs('ContactFlowId', shownName(module, 'ContactFlowId', 'ContactFlow', 'contactFlow')),
});

const eventHook: Make = (module) => {
  const event = String(named(module, 'Type') ?? '');
  const name = shownName(module, 'ContactFlowId', 'ContactFlow', 'contactFlow');
  return {
    type: 'UpdateContactEventHooks',
    parameters: { EventHooks: { [event]: named(module, 'ContactFlowId') ?? '' } },
    reads: ['Type', 'ContactFlowId'],
    ...(name !== undefined && { shown: { EventHooks: { [event]: { displayName: name } } } }),
  };
};

const lambda: Make = (module) => {
  const given = module.parameters.filter(({ name, key }) => name === 'Parameter' && key !== undefined);
  const attributes = Object.fromEntries(given.map(({ key, value }) => [String(key), value]));
  return {
    type: 'InvokeLambdaFunction',
    parameters: defined<JsonObject>({
      LambdaFunctionARN: named(module, 'FunctionArn'),
      InvocationTimeLimitSeconds: named(module, 'TimeLimit'),
      LambdaInvocationAttributes: given.length > 0 ? attributes : undefined,
    }),
    reads: ['FunctionArn', 'TimeLimit', 'Parameter'],
  };
};

const PARTICIPANTS: Readonly<Record<string, string[]>> = {
  Both: ['Agent', 'Customer'],
  Agent: ['Agent'],
  Customer: ['Customer'],
};

const recording: Make = (module) => {
  const isOn = named(module, 'RecordingBehaviorOption') === 'Enable';
  const recorded = isOn ? (PARTICIPANTS[String(named(module, 'RecordingParticipantOption'))] ?? []) : [];
  return {
    type: 'UpdateContactRecordingBehavior',
    parameters: { RecordingBehavior: { RecordedParticipants: recorded } },
    reads: ['RecordingBehaviorOption', 'RecordingParticipantOption'],
  };
};

const hours: Make = (module) => ({
  type: 'CheckHoursOfOperation',
  parameters: {},
  reads: ['Hours'],
  ...shownAs('HoursOfOperationId', shownName(module, 'Hours', 'Hours', 'hours')),
});

/** Times are milliseconds in a module, and seconds in an action. */
const queueStatus: Make = (module) => {
  const conditions = [module.editor['conditionMetadata']].flat().filter(isObject);
  const isTime = conditions.some((each) => JSON.stringify(each).includes('Time in Queue'));
  return {
    type: 'CheckMetricData',
    parameters: defined<JsonObject>({
      MetricType: isTime ? 'OldestContactInQueueAgeSeconds' : 'NumberOfContactsInQueue',
      QueueId: named(module, 'Queue'),
    }),
    reads: ['Queue'],
    conditionOf: (_condition, operator, value) => [
      { LessThan: 'NumberLessThan', GreaterThan: 'NumberGreaterThan' }[operator] ?? 'NumberEquals',
      String(isTime ? Number(value) / 1000 : (value ?? '')),
    ],
  };
};

const METRICS: Readonly<Record<string, string>> = {
  Available: 'NumberOfAgentsAvailable',
  Staffed: 'NumberOfAgentsStaffed',
  Online: 'NumberOfAgentsOnline',
};

const staffing: Make = (module) => ({
  type: 'CheckMetricData',
  parameters: defined<JsonObject>({
    MetricType: METRICS[String(named(module, 'Status'))] ?? 'NumberOfAgentsAvailable',
    QueueId: named(module, 'Queue'),
  }),
  reads: ['Status', 'Queue'],
  conditionOf: (condition) => (condition === 'True' ? ['NumberGreaterThan', '0'] : ['NumberEquals', '0']),
});

const messages: Make = (module) => {
  const listed = module.parameters.flatMap(({ name, value }): Json[] => {
    if (name === 'Text') return [{ Text: value }];
    return name === 'AudioPrompt' || name === 'Prompt' ? [{ PromptId: value }] : [];
  });
  return { type: 'MessageParticipantIteratively', parameters: { Messages: listed }, reads: PROMPT };
};

const thirdParty = renamed(
  'TransferParticipantToThirdParty',
  { PhoneNumber: 'ThirdPartyPhoneNumber', TimeLimit: 'ThirdPartyConnectionTimeLimitSeconds' },
  { ContinueFlowExecution: 'True' },
);

const MODULES: Readonly<Record<string, Make>> = {
  PlayPrompt: say,
  PlayAudio: say,
  'GetUserInput:Digits': ask,
  GetUserInput: ask,
  'GetUserInput:Lex': askBot,
  StoreUserInput: store,
  StoreCustomerInput: store,
  CheckAttribute: compare,
  SetAttributes: attributes,
  SetScreenPop: attributes,
  SetQueue: queue,
  'Transfer:Queue': renamed('TransferContactToQueue', {}),
  CustomerInQueue: renamed('TransferContactToQueue', {}),
  'Transfer:Flow': toFlow,
  TransferToFlow: toFlow,
  'Transfer:PhoneNumber': thirdParty,
  Disconnect: renamed('DisconnectParticipant', {}),
  ResumeContactFlow: renamed('EndFlowExecution', {}),
  CheckHoursOfOperation: hours,
  InvokeExternalResource: lambda,
  SetVoice: renamed('UpdateContactTextToSpeechVoice', { GlobalVoice: 'TextToSpeechVoice' }),
  SetLoggingBehavior: renamed('UpdateFlowLoggingBehavior', { LoggingBehavior: 'FlowLoggingBehavior' }),
  SetRecordingBehavior: recording,
  SetContactFlow: eventHook,
  SetEventHook: eventHook,
  UpdateRoutingPriority: renamed('UpdateContactRoutingBehavior', {
    AbsolutePosition: 'QueuePriority',
    TimeOffset: 'QueueTimeAdjustmentSeconds',
  }),
  CheckQueueStatus: queueStatus,
  CheckStaffing: staffing,
  SetCallBackNumber: renamed('UpdateContactCallbackNumber', { CallBackNumber: 'CallbackNumber' }),
  CreateCallback: renamed('CreateCallbackContact', {
    InitialDelaySeconds: 'InitialCallDelaySeconds',
    RetryDelaySeconds: 'RetryDelaySeconds',
    MaxRetryAttempts: 'MaximumConnectionAttempts',
  }),
  PercentileBranching: (module) => ({ ...renamed('DistributeByPercentage', {})(module), cumulative: true }),
  Loop: renamed('Loop', { LoopCount: 'LoopCount' }),
  LoopPrompts: messages,
  Wait: renamed('Wait', { Timeout: 'TimeLimitSeconds', TimeLimit: 'TimeLimitSeconds' }),
  GetQueueMetrics: renamed('GetMetricData', { Queue: 'QueueId' }),
};

/** Action for a type of module and its target. Undefined if it is not known. */
export function kindOf(type: string, target: Json | undefined, module: Module): ModuleKind | undefined {
  const make = [`${type}:${String(target ?? '')}`, type].find((name) => Object.hasOwn(MODULES, name));
  return make === undefined ? undefined : MODULES[make]!(module);
}
