/** Flows of Amazon Connect as people draw them, in the style of its samples: exported, with those to which they lead. */
import type { Counts } from '../corpus/counts.ts';
import type { RealisticFlows } from './realistic-flows.ts';

export const counts: Counts = { exact: 102, workaround: 2, todo: 0 };

type Case = [value: string, next: string, operator?: string];
interface Block {
  id: string;
  type: string;
  parameters?: object;
  next?: string;
  cases?: readonly Case[];
  errors?: Readonly<Record<string, string>>;
  /** Metadata of the drawing. */
  shown?: object;
}

const ARN = 'arn:aws:connect:eu-west-2:123456789012:instance/0f8f';

function exported(name: string, blocks: readonly Block[]): string {
  const at = { x: 160, y: 40 };
  return JSON.stringify(
    {
      Version: '2019-10-30',
      StartAction: blocks[0]!.id,
      Metadata: {
        name,
        entryPointPosition: at,
        ActionMetadata: Object.fromEntries(
          blocks.map(({ id, shown = {} }) => [id, { position: at, isFriendlyName: true, ...shown }]),
        ),
      },
      Actions: blocks.map(({ id, type, parameters = {}, next, cases = [], errors = {} }) => ({
        Identifier: id,
        Type: type,
        Parameters: parameters,
        Transitions: {
          ...(next !== undefined && { NextAction: next }),
          Conditions: cases.map(([value, to, operator = 'Equals']) => ({
            NextAction: to,
            Condition: { Operator: operator, Operands: [value] },
          })),
          Errors: Object.entries(errors).map(([ErrorType, to]) => ({ NextAction: to, ErrorType })),
        },
      })),
    },
    null,
    2,
  );
}

const failing = (to: string) => ({ NoMatchingError: to });
const say = (id: string, Text: string, next: string): Block => ({
  id,
  type: 'MessageParticipant',
  parameters: { Text },
  next,
  errors: failing(next),
});
const menu = (id: string, Text: string, cases: readonly Case[], otherwise: string): Block => ({
  id,
  type: 'GetParticipantInput',
  parameters: { StoreInput: 'False', InputTimeLimitSeconds: '5', Text },
  next: otherwise,
  cases,
  errors: { InputTimeLimitExceeded: otherwise, NoMatchingCondition: otherwise, NoMatchingError: otherwise },
});
const stored = (id: string, Text: string, most: string, next: string, otherwise: string): Block => ({
  id,
  type: 'GetParticipantInput',
  parameters: {
    Text,
    StoreInput: 'True',
    InputTimeLimitSeconds: '8',
    InputValidation: { CustomValidation: { MaximumLength: most } },
    DTMFConfiguration: { InterdigitTimeLimitSeconds: '5', DisableCancelKey: 'False' },
  },
  next,
  errors: failing(otherwise),
});
const set = (id: string, Attributes: object, next: string): Block => ({
  id,
  type: 'UpdateContactAttributes',
  parameters: { Attributes, TargetContact: 'Current' },
  next,
  errors: failing(next),
});
const compare = (id: string, ComparisonValue: string, cases: readonly Case[], otherwise: string): Block => ({
  id,
  type: 'Compare',
  parameters: { ComparisonValue },
  next: otherwise,
  cases,
  errors: { NoMatchingCondition: otherwise },
});
const lambda = (id: string, name: string, given: object, next: string, otherwise: string): Block => ({
  id,
  type: 'InvokeLambdaFunction',
  parameters: {
    LambdaFunctionARN: `arn:aws:lambda:eu-west-2:123456789012:function:${name}`,
    InvocationTimeLimitSeconds: '4',
    LambdaInvocationAttributes: given,
    ResponseValidation: { ResponseType: 'STRING_MAP' },
  },
  next,
  errors: failing(otherwise),
});
const queueNamed = (name: string) => ({ parameters: { QueueId: { displayName: name } } });
const target = (id: string, queue: string, next: string): Block => ({
  id,
  type: 'UpdateContactTargetQueue',
  parameters: { QueueId: `${ARN}/queue/${queue}` },
  next,
  errors: failing(next),
  shown: queueNamed(queue),
});
const transfer = (id: string, full: string): Block => ({
  id,
  type: 'TransferContactToQueue',
  next: full,
  errors: { QueueAtCapacity: full, NoMatchingError: full },
});
const logging = (id: string, next: string): Block => ({
  id,
  type: 'UpdateFlowLoggingBehavior',
  parameters: { FlowLoggingBehavior: 'Enabled' },
  next,
});
const voice = (id: string, TextToSpeechVoice: string, next: string): Block => ({
  id,
  type: 'UpdateContactTextToSpeechVoice',
  parameters: { TextToSpeechVoice, TextToSpeechEngine: 'Neural' },
  next,
  errors: failing(next),
});
const recorded = (id: string, next: string): Block => ({
  id,
  type: 'UpdateContactRecordingBehavior',
  parameters: { RecordingBehavior: { RecordedParticipants: ['Agent', 'Customer'] } },
  next,
});
const hours = (id: string, name: string, open: string, closed: string): Block => ({
  id,
  type: 'CheckHoursOfOperation',
  parameters: { HoursOfOperationId: `${ARN}/operating-hours/1` },
  next: closed,
  cases: [
    ['True', open],
    ['False', closed],
  ],
  errors: failing(closed),
  shown: { parameters: { HoursOfOperationId: { displayName: name } } },
});
const hooks = (id: string, EventHooks: Readonly<Record<string, string>>, next: string): Block => ({
  id,
  type: 'UpdateContactEventHooks',
  parameters: {
    EventHooks: Object.fromEntries(Object.entries(EventHooks).map(([event]) => [event, `${ARN}/contact-flow/1`])),
  },
  next,
  errors: failing(next),
  shown: {
    parameters: {
      EventHooks: Object.fromEntries(
        Object.entries(EventHooks).map(([event, displayName]) => [event, { displayName }]),
      ),
    },
  },
});
const toFlow = (id: string, name: string, otherwise: string): Block => ({
  id,
  type: 'TransferToFlow',
  parameters: { ContactFlowId: `${ARN}/contact-flow/2` },
  next: otherwise,
  errors: failing(otherwise),
  shown: { parameters: { ContactFlowId: { displayName: name } } },
});
const module = (id: string, name: string, next: string, otherwise: string): Block => ({
  id,
  type: 'InvokeFlowModule',
  parameters: { FlowModuleId: 'bb61' },
  next,
  errors: failing(otherwise),
  shown: { contactFlow: { id: 'bb61', text: name } },
});
const hangUp = (id = 'disconnect'): Block => ({ id, type: 'DisconnectParticipant' });
const end = (id = 'end'): Block => ({ id, type: 'EndFlowExecution' });

const mainMenu = exported('Main menu', [
  logging('logging', 'voice'),
  voice('voice', 'Amy', 'recorded'),
  recorded('recorded', 'welcome'),
  say('welcome', 'Thank you for calling Example Bank.', 'find'),
  lambda('find', 'find-customer', { phone: '$.CustomerEndpoint.Address' }, 'known', 'hours'),
  set('known', { customer: '$.External.name', tier: '$.External.tier', language: 'en' }, 'greet'),
  say('greet', 'Hello $.Attributes.customer.', 'hours'),
  hours('hours', 'Basic Hours', 'choose', 'closed'),
  say('closed', 'We are closed. We are open from eight to six.', 'disconnect'),
  menu(
    'choose',
    'For cards press 1, for accounts press 2, for loans press 3. To hear this again press star.',
    [
      ['1', 'cards'],
      ['2', 'accounts'],
      ['3', 'loans'],
      ['*', 'choose'],
    ],
    'again',
  ),
  {
    id: 'again',
    type: 'Loop',
    parameters: { LoopCount: '2' },
    cases: [
      ['ContinueLooping', 'choose'],
      ['DoneLooping', 'accounts'],
    ],
  },
  target('cards', 'Cards', 'staffed'),
  target('accounts', 'Accounts', 'staffed'),
  target('loans', 'Loans', 'staffed'),
  {
    id: 'staffed',
    type: 'CheckMetricData',
    parameters: { MetricType: 'NumberOfAgentsStaffed' },
    next: 'nobody',
    cases: [['0', 'important', 'NumberGreaterThan']],
    errors: { NoMatchingCondition: 'nobody', NoMatchingError: 'nobody' },
  },
  say('nobody', 'Nobody is there just now. Please call again later.', 'disconnect'),
  compare(
    'important',
    '$.Attributes.tier',
    [
      ['gold', 'first'],
      ['platinum', 'first'],
    ],
    'hooks',
  ),
  { id: 'first', type: 'UpdateContactRoutingBehavior', parameters: { QueuePriority: '1' }, next: 'hooks' },
  hooks(
    'hooks',
    { CustomerQueue: 'Waiting', AgentWhisper: 'Agent whisper', CustomerWhisper: 'Customer whisper' },
    'queue',
  ),
  transfer('queue', 'busy'),
  say('busy', 'All lines are busy. Goodbye.', 'disconnect'),
  hangUp(),
]);
const waiting = exported('Waiting', [
  {
    id: 'loop',
    type: 'MessageParticipantIteratively',
    parameters: {
      Messages: [{ Text: 'Thank you for waiting.' }, { Text: 'An agent will be with you as soon as possible.' }],
    },
  },
]);
const agentWhisper = exported('Agent whisper', [say('say', 'A call for $.Queue.Name.', 'end'), end()]);
const customerWhisper = exported('Customer whisper', [say('say', 'We connect you now.', 'end'), end()]);

const orders = exported('Order status', [
  logging('logging', 'voice'),
  voice('voice', 'Joanna', 'record-all'),
  {
    id: 'record-all',
    type: 'UpdateContactRecordingBehavior',
    parameters: { RecordingBehavior: { RecordedParticipants: ['Agent', 'Customer'], IVRRecordingBehavior: 'Enabled' } },
    next: 'tries',
  },
  set('tries', { tries: '0' }, 'ask'),
  stored('ask', 'Please enter your order number.', '8', 'keep', 'sorry'),
  set('keep', { order: '$.StoredCustomerInput' }, 'find'),
  lambda('find', 'order-status', { order: '$.Attributes.order' }, 'state', 'sorry'),
  compare(
    'state',
    '$.External.status',
    [
      ['shipped', 'shipped'],
      ['open', 'open'],
      ['cancelled', 'cancelled'],
    ],
    'sorry',
  ),
  say('shipped', 'Your order was sent on $.External.shipped_on.', 'more'),
  say('open', 'Your order will be sent in $.External.days days.', 'late'),
  compare('late', '$.External.days', [['7', 'apology', 'NumberGreaterThan']], 'more'),
  say('apology', 'We are sorry for the delay.', 'more'),
  say('cancelled', 'Your order was cancelled.', 'more'),
  menu(
    'more',
    'Press 1 for another order, or 2 for an agent.',
    [
      ['1', 'ask'],
      ['2', 'agents'],
    ],
    'thanks',
  ),
  say('sorry', 'We could not find that order.', 'agents'),
  target('agents', 'Orders', 'figures'),
  { id: 'figures', type: 'GetMetricData', parameters: {}, next: 'long', errors: failing('queue') },
  compare('long', '$.Metrics.Queue.Size', [['10', 'many', 'NumberGreaterOrEqualTo']], 'queue'),
  say('many', 'There are $.Metrics.Queue.Size callers before you.', 'queue'),
  transfer('queue', 'thanks'),
  say('thanks', 'Thank you for calling. Goodbye.', 'disconnect'),
  hangUp(),
]);

const callback = exported('Callback', [
  logging('logging', 'choose'),
  menu(
    'choose',
    'To be called back press 1. To wait press 2.',
    [
      ['1', 'which'],
      ['2', 'target'],
    ],
    'choose-again',
  ),
  say('choose-again', 'Please choose.', 'choose'),
  menu(
    'which',
    'To be called at this number press 1. For another number press 2.',
    [
      ['1', 'own'],
      ['2', 'other'],
    ],
    'own',
  ),
  {
    id: 'own',
    type: 'UpdateContactCallbackNumber',
    parameters: { CallbackNumber: '$.CustomerEndpoint.Address' },
    next: 'callback-queue',
    errors: { InvalidCallbackNumber: 'other' },
  },
  stored('other', 'Please enter your number.', '15', 'number', 'target'),
  {
    id: 'number',
    type: 'UpdateContactCallbackNumber',
    parameters: { CallbackNumber: '$.StoredCustomerInput' },
    next: 'callback-queue',
    errors: { InvalidCallbackNumber: 'other' },
  },
  target('callback-queue', 'Callbacks', 'create'),
  {
    id: 'create',
    type: 'CreateCallbackContact',
    parameters: { InitialCallDelaySeconds: '30', MaximumConnectionAttempts: '2', RetryDelaySeconds: '600' },
    next: 'created',
    errors: failing('target'),
  },
  say('created', 'We will call you back. Goodbye.', 'disconnect'),
  target('target', 'Support', 'queue'),
  transfer('queue', 'disconnect'),
  hangUp(),
]);

const identify = exported('Main with identification', [
  logging('logging', 'voice'),
  voice('voice', 'Matthew', 'identify'),
  module('identify', 'Identify', 'who', 'agents'),
  compare('who', '$.Attributes.verified', [['yes', 'balance']], 'agents'),
  lambda('balance', 'balance', { account: '$.Attributes.account' }, 'tell', 'agents'),
  say('tell', 'Your balance is $.External.balance pounds.', 'survey'),
  toFlow('survey', 'Survey', 'disconnect'),
  target('agents', 'Service', 'queue'),
  transfer('queue', 'disconnect'),
  hangUp(),
]);
const identifyModule = exported('Identify', [
  stored('account', 'Please enter your account number.', '8', 'keep', 'fail'),
  set('keep', { account: '$.StoredCustomerInput' }, 'pin'),
  stored('pin', 'Please enter your pin.', '4', 'check', 'fail'),
  lambda('check', 'check-pin', { account: '$.Attributes.account', pin: '$.StoredCustomerInput' }, 'right', 'fail'),
  compare('right', '$.External.ok', [['true', 'pass']], 'fail'),
  set('pass', { verified: 'yes' }, 'end-pass'),
  set('fail', { verified: 'no' }, 'end-fail'),
  { id: 'end-pass', type: 'EndFlowModuleExecution' },
  { id: 'end-fail', type: 'EndFlowModuleExecution' },
]);
const survey = exported('Survey', [
  {
    id: 'share',
    type: 'DistributeByPercentage',
    next: 'goodbye',
    cases: [['51', 'rate', 'NumberLessThan']],
    errors: { NoMatchingCondition: 'goodbye' },
  },
  menu(
    'rate',
    'Please rate this call from 1 to 3.',
    [
      ['1', 'low'],
      ['2', 'high'],
      ['3', 'high'],
    ],
    'goodbye',
  ),
  set('low', { rating: 'low' }, 'save'),
  set('high', { rating: 'high' }, 'save'),
  lambda(
    'save',
    'save-rating',
    { account: '$.Attributes.account', rating: '$.Attributes.rating' },
    'goodbye',
    'goodbye',
  ),
  say('goodbye', 'Thank you, and goodbye.', 'disconnect'),
  hangUp(),
]);

const spoken = exported('Languages and bot', [
  logging('logging', 'language'),
  menu(
    'language',
    'For English press 1. Para español, oprima el dos.',
    [
      ['1', 'english'],
      ['2', 'spanish'],
    ],
    'english',
  ),
  voice('english', 'Joanna', 'english-locale'),
  { id: 'english-locale', type: 'UpdateContactData', parameters: { LanguageCode: 'en-US' }, next: 'bot' },
  voice('spanish', 'Lupe', 'spanish-locale'),
  { id: 'spanish-locale', type: 'UpdateContactData', parameters: { LanguageCode: 'es-US' }, next: 'hola' },
  say('hola', 'Bienvenido.', 'desk'),
  {
    id: 'bot',
    type: 'ConnectParticipantWithLexBot',
    parameters: { Text: 'How can I help you?', LexV2Bot: { AliasArn: 'arn:aws:lex:eu-west-2:1:bot-alias/B1/A1' } },
    next: 'desk',
    cases: [
      ['OpenHours', 'open-hours'],
      ['Agent', 'desk'],
    ],
    errors: { NoMatchingCondition: 'desk', NoMatchingError: 'desk' },
    shown: { parameters: { LexV2Bot: { displayName: 'Helper' } } },
  },
  say('open-hours', 'We are open every day.', 'disconnect'),
  {
    id: 'desk',
    type: 'TransferParticipantToThirdParty',
    parameters: {
      ThirdPartyPhoneNumber: '+442079460001',
      ThirdPartyConnectionTimeLimitSeconds: '25',
      ContinueFlowExecution: 'True',
      ThirdPartyDTMFDigits: ',,12',
    },
    next: 'disconnect',
    errors: { CallFailed: 'later', ConnectionTimeLimitExceeded: 'later', NoMatchingError: 'later' },
  },
  say('later', 'Nobody answers. Please call again.', 'disconnect'),
  hangUp(),
]);

const outbound = exported('Outbound reminder', [
  {
    id: 'answered',
    type: 'CheckOutboundCallStatus',
    next: 'disconnect',
    cases: [
      ['CallAnswered', 'remind'],
      ['VoicemailBeep', 'message'],
      ['VoicemailNoBeep', 'message'],
      ['NotDetected', 'remind'],
    ],
    errors: failing('disconnect'),
  },
  { id: 'message', type: 'Wait', parameters: { TimeLimitSeconds: '2' }, cases: [['WaitCompleted', 'leave']] },
  say('leave', 'This is Example Dental. You have an appointment on $.Attributes.day.', 'disconnect'),
  menu(
    'remind',
    'You have an appointment on $.Attributes.day. Press 1 to confirm, or 2 to talk with us.',
    [
      ['1', 'confirm'],
      ['2', 'desk'],
    ],
    'disconnect',
  ),
  lambda('confirm', 'confirm-appointment', { id: '$.Attributes.appointment' }, 'thanks', 'desk'),
  say('thanks', 'Thank you.', 'disconnect'),
  target('desk', 'Desk', 'queue'),
  transfer('queue', 'disconnect'),
  hangUp(),
]);

export const flows: RealisticFlows['flows'] = {
  'main-menu': {
    'main-menu.json': mainMenu,
    'waiting.json': waiting,
    'agent-whisper.json': agentWhisper,
    'customer-whisper.json': customerWhisper,
  },
  'order-status': { 'order-status.json': orders },
  callback: { 'callback.json': callback },
  identification: { 'identification.json': identify, 'identify.json': identifyModule, 'survey.json': survey },
  'languages-and-bot': { 'languages.json': spoken },
  'outbound-reminder': { 'outbound.json': outbound },
};
