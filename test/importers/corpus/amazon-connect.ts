/** Each construct of Amazon Connect once, and how many are imported how. */
import type { Counts } from './counts.ts';

type Block = [type: string, parameters: object, values?: string[]];
const BLOCKS: Block[] = [
  ['UpdateFlowLoggingBehavior', {}],
  ['UpdateContactTextToSpeechVoice', { TextToSpeechVoice: 'Matthew' }],
  ['MessageParticipant', { Text: 'Welcome, $.Attributes.name.' }],
  ['GetParticipantInput', { Text: 'Press 1 or 2.', InputTimeLimitSeconds: '6' }, ['1', '2']],
  ['GetParticipantInput', { Text: 'Your account.', StoreInput: 'True' }],
  ['Compare', { ComparisonValue: '$.Attributes.tier' }, ['gold']],
  ['DistributeByPercentage', {}, ['31']],
  ['Wait', { TimeLimitSeconds: '5' }, ['WaitCompleted']],
  ['UpdateContactAttributes', { Attributes: { tier: '$.External.tier' } }],
  ['UpdateContactTargetQueue', { QueueId: 'support' }],
  ['TransferParticipantToThirdParty', { ThirdPartyPhoneNumber: '+15551234567' }],
  ['UpdateContactRecordingBehavior', { RecordingBehavior: { RecordedParticipants: [] } }],
  ['CheckOutboundCallStatus', {}, ['CallAnswered']],
  ['CheckHoursOfOperation', {}, ['True', 'False']],
  ['InvokeLambdaFunction', { LambdaFunctionARN: 'arn:aws:lambda:eu-west-1:1:function:find' }],
  ['TransferContactToQueue', {}],
  ['UpdateContactRecordingBehavior', { RecordingBehavior: { RecordedParticipants: ['Agent', 'Customer'] } }],
  ['ConnectParticipantWithLexBot', {}],
  ['TransferToFlow', { ContactFlowId: 'arn:aws:connect:x/contact-flow/7' }],
  ['InvokeFlowModule', { FlowModuleId: 'm' }],
  ['CreateCallbackContact', {}],
  ['CheckMetricData', {}, ['5']],
  ['UpdateContactEventHooks', { EventHooks: { CustomerQueue: 'arn:aws:connect:x/contact-flow/9' } }],
  ['UpdateContactRoutingBehavior', { QueuePriority: '1' }],
  ['DisconnectParticipant', {}],
];

export const text = JSON.stringify({
  ...{ Version: '2019-10-30', StartAction: 'a0', Metadata: {} },
  Actions: BLOCKS.map(([Type, Parameters, values = []], index) => {
    const NextAction = index + 1 < BLOCKS.length ? `a${index + 1}` : undefined;
    const Operator = Type === 'DistributeByPercentage' ? 'NumberLessThan' : 'Equals';
    const Conditions = values.map((value) => ({ NextAction, Condition: { Operator, Operands: [value] } }));
    const Errors = ['NoMatchingCondition', 'NoMatchingError', 'InputTimeLimitExceeded', 'QueueAtCapacity'].map(
      (ErrorType) => ({ ErrorType, NextAction }),
    );
    return { Identifier: `a${index}`, Type, Parameters, Transitions: { NextAction, Conditions, Errors } };
  }),
});

export const counts: Counts = { exact: 25, workaround: 2, todo: 0 };

const flowOf = (...actions: object[]): string =>
  JSON.stringify({ Version: '2019-10-30', StartAction: 'a', Metadata: {}, Actions: actions });

/** The flow and the module that it references, and the flow for waiting callers. */
export const beside: Readonly<Record<string, string>> = {
  '7.json': flowOf({ Identifier: 'a', Type: 'DisconnectParticipant', Parameters: {}, Transitions: {} }),
  'm.json': flowOf({ Identifier: 'a', Type: 'EndFlowModuleExecution', Parameters: {}, Transitions: {} }),
  '9.json': flowOf({
    Identifier: 'a',
    Type: 'MessageParticipantIteratively',
    Parameters: { Messages: [{ Text: 'Please wait for an agent.' }] },
    Transitions: {},
  }),
};
