/** What each type of action of Amazon Connect becomes. Neighbour: `connect.ts`, which knows names and routes. */
import type { SourceLocation } from '../core/diagnostic.ts';
import { defined, isObject, type Json, type JsonObject } from '../core/json.ts';
import { casesOf } from './connect-cases.ts';
import { connectExpression, EXTERNAL, QUEUE, STORED } from './connect-names.ts';
import { untranslated, worked } from './fidelity.ts';
import { type FlowWriter, secondsOf, wordOf } from './flow-writer.ts';
import type { ImportContext, ImportedNode } from './imported.ts';
import { missingSound, soundOf, spoken, type Voice } from './spoken.ts';

export interface Action {
  id: string;
  type: string;
  /** What people called it; absent: it has only an id. */
  name?: string | undefined;
  at: SourceLocation;
  parameters: JsonObject;
  transitions: JsonObject;
  metadata: JsonObject;
}

export interface ActionContext {
  readonly flow: FlowWriter;
  readonly options: ImportContext;
  readonly actions: readonly Action[];
  stepOf(id: string | undefined): string;
  next(action: Action): string;
  /** Where the first of these errors leads, or any. */
  onError(action: Action, ...types: string[]): string;
  /** Where a condition with this value leads. */
  onValue(action: Action, value: string): string;
  text(written: Json | undefined): string;
  voice(node: ImportedNode): Voice | undefined;
}

type WriteAction = (context: ActionContext, action: Action & { step: string }, node: ImportedNode) => void;

const isOn = (written: Json | undefined): boolean => String(written).toLowerCase() === 'true';

function promptOf(context: ActionContext, parameters: JsonObject, node: ImportedNode): Json | undefined {
  const { Text: text, SSML: ssml, PromptId: prompt, Media: media } = parameters;
  if (typeof ssml === 'string' && ssml !== '') return { ssml: context.text(ssml) };
  if (typeof text === 'string' && text !== '') {
    const words = context.text(text);
    return /^\s*<speak[\s>]/.test(text) ? { ssml: words } : spoken(words, context.voice(node));
  }
  const url = isObject(media) ? media['Uri'] : prompt;
  if (typeof url !== 'string' || url === '') return undefined;
  return soundOf(url, context.options.sounds) ?? untranslated(missingSound(url));
}

const message: WriteAction = (context, action, node) => {
  const prompt = promptOf(context, action.parameters, node) ?? untranslated('it says nothing');
  context.flow.step(action.step, { play: prompt, next: context.next(action) }, node.notes);
};

/** Messages with pauses between them, again and again. */
const messages: WriteAction = (context, action, node) => {
  const { Messages: listed } = action.parameters;
  const prompts = (Array.isArray(listed) ? listed.filter(isObject) : []).flatMap(
    (each) => promptOf(context, each, node) ?? [],
  );
  if (prompts.length === 0) untranslated('it says nothing');
  worked(node, 'it is said ten times, and nothing interrupts it');
  context.flow.step(action.step, { play: { prompt: prompts, repeat: 10 }, next: context.next(action) }, node.notes);
};

const input: WriteAction = (context, action, node) => {
  const { parameters, step } = action;
  const prompt = promptOf(context, parameters, node);
  const keys = isObject(parameters['DTMFConfiguration']) ? parameters['DTMFConfiguration'] : {};
  const validation = isObject(parameters['InputValidation']) ? parameters['InputValidation'] : {};
  const custom = isObject(validation['CustomValidation']) ? validation['CustomValidation'] : {};
  const cases = casesOf(action);
  const isStored = isOn(parameters['StoreInput']);
  const start = secondsOf(parameters['InputTimeLimitSeconds']) ?? '5s';
  const isSecret = parameters['InputEncryption'] !== undefined;
  if (isSecret) worked(node, 'the input is masked everywhere, not encrypted with your key');
  const terminator = String(keys['InputTerminationSequence'] ?? '#').slice(0, 1);
  const silent = context.onError(action, 'InputTimeLimitExceeded');
  const common = {
    prompt,
    attempts: 1,
    start_timeout: start,
    inter_digit_timeout: secondsOf(keys['InterdigitTimeLimitSeconds']),
    sensitive: isSecret ? true : undefined,
  };
  if (isStored || cases.length === 0) {
    const most = Number(custom['MaximumLength']);
    const digits = defined<JsonObject>({
      max: most >= 1 ? Math.min(most, 100) : undefined,
      terminator: terminator === '#' || terminator === '' ? undefined : terminator,
    });
    const collect = defined<JsonObject>({ ...common, digits });
    const set = { [context.flow.variable(STORED)]: '${ result.digits }' };
    context.flow.step(
      step,
      { collect, set, exits: { collected: context.next(action), exhausted: silent } },
      node.notes,
    );
    return;
  }
  const choices: Record<string, JsonObject> = {};
  const exits: Record<string, string> = {};
  for (const { value, next } of cases) {
    const name = wordOf(`key_${value.replace('*', 'star').replace('#', 'hash')}`, 'key');
    choices[name] = { dtmf: value };
    exits[name] = context.stepOf(next);
  }
  exits['exhausted.no_input'] = silent;
  exits['exhausted.no_match'] = context.onError(action, 'NoMatchingCondition');
  context.flow.step(step, { menu: defined<JsonObject>({ ...common, choices }), exits }, node.notes);
};

const SIGNS: Readonly<Record<string, string>> = {
  NumberGreaterThan: '>',
  NumberGreaterOrEqualTo: '>=',
  NumberLessThan: '<',
  NumberLessOrEqualTo: '<=',
};

const compare: WriteAction = (context, action) => {
  const tested = connectExpression(context.flow, String(action.parameters['ComparisonValue'] ?? ''));
  const branch: Json[] = casesOf(action).map(({ operator, value, next }) => {
    const right = connectExpression(context.flow, value);
    return { when: conditionOf(operator, tested, right), next: context.stepOf(next) };
  });
  branch.push({ else: context.onError(action, 'NoMatchingCondition') });
  context.flow.step(action.step, { branch });
};

function conditionOf(operator: string, left: string, right: string): string {
  const sign = SIGNS[operator];
  const text = `$string(${left})`;
  if (sign !== undefined) return `$exists(${left}) and $number(${left}) ${sign} $number(${right})`;
  if (operator === 'NumberEquals') return `$exists(${left}) and $number(${left}) = $number(${right})`;
  if (operator === 'TextStartsWith') return `$substring(${text}, 0, $length(${right})) = ${right}`;
  if (operator === 'TextEndsWith') return `$substring(${text}, -$length(${right})) = ${right}`;
  if (operator === 'TextContains') return `$contains(${text}, ${right})`;
  if (operator === 'Equals' || operator === 'TextEquals') return `${text} = ${right}`;
  return untranslated(`the condition ${operator.slice(0, 40)} has no counterpart`);
}

/** By the name that the drawing has, if it has one. */
const displayName = ({ metadata }: Action, parameter: string): string | undefined => {
  const shown = isObject(metadata['parameters']) ? metadata['parameters'][parameter] : undefined;
  const name = isObject(shown) ? (shown['displayName'] ?? shown['text']) : undefined;
  return typeof name === 'string' && name !== '' ? name : undefined;
};

const hours: WriteAction = (context, action, node) => {
  const schedule = wordOf((displayName(action, 'HoursOfOperationId') ?? 'office hours').toLowerCase(), 'office_hours');
  worked(node, `the hours are not in the source: set up the schedule ${schedule}`);
  const closed = context.onValue(action, 'False');
  const exits = { open: context.onValue(action, 'True'), closed, holiday: closed };
  context.flow.step(action.step, { schedule, exits }, node.notes);
};

const lambda: WriteAction = (context, action, node) => {
  const {
    LambdaFunctionARN: arn,
    LambdaInvocationAttributes: given,
    InvocationTimeLimitSeconds: seconds,
  } = action.parameters;
  const name = wordOf(
    displayName(action, 'LambdaFunctionARN') ??
      String(arn ?? '')
        .split(':')
        .at(-1) ??
      '',
    'lambda',
  );
  const url = `lambda_${name}`;
  worked(node, `functions are asked by HTTP: set env.${url} to its URL`);
  const body = Object.fromEntries(
    Object.entries(isObject(given) ? given : {}).map(([key, value]) => [key, context.text(value)]),
  );
  const failed = context.onError(action, 'NoMatchingError');
  const request = defined<JsonObject>({ post: `\${ env.${url} }`, body, timeout: secondsOf(seconds) });
  const set = { [context.flow.variable(EXTERNAL)]: '${ result.body }' };
  context.flow.step(
    action.step,
    { request, set, exits: { ok: context.next(action), not_found: failed, failed } },
    node.notes,
  );
};

const attributes: WriteAction = (context, action) => {
  const { Attributes: given, FlowAttributes: ofFlow } = action.parameters;
  const all = { ...(isObject(given) ? given : {}), ...(isObject(ofFlow) ? ofFlow : {}) };
  const set = Object.fromEntries(
    Object.entries(all).map(([key, value]) => [
      context.flow.variable(key),
      context.text(isObject(value) ? value['Value'] : value),
    ]),
  );
  if (Object.keys(set).length === 0) untranslated('set something that is not an attribute');
  context.flow.step(action.step, { set, next: context.next(action) });
};

const targetQueue: WriteAction = (context, action) => {
  const { QueueId: id, AgentId: agent } = action.parameters;
  const name =
    displayName(action, 'QueueId') ??
    displayName(action, 'AgentId') ??
    String(id ?? agent ?? 'queue')
      .split('/')
      .at(-1)!;
  context.flow.step(action.step, {
    set: { [context.flow.variable(QUEUE)]: context.text(name) },
    next: context.next(action),
  });
};

const toQueue: WriteAction = (context, action, node) => {
  worked(node, 'the agents of the queue are the phones of user:agents: name yours');
  const queue = { name: `\${ vars.${context.flow.variable(QUEUE)} }`, agents: ['user:agents'] };
  const exits = { dequeued: context.next(action), full: context.onError(action, 'QueueAtCapacity') };
  context.flow.step(action.step, { queue, exits }, node.notes);
};

const thirdParty: WriteAction = (context, action, node) => {
  const { parameters } = action;
  const caller = isObject(parameters['CallerId']) ? parameters['CallerId'] : {};
  if (parameters['ThirdPartyDTMFDigits'] !== undefined)
    untranslated('call somebody, and press keys when they have answered');
  const failed = context.onError(action, 'CallFailed', 'ConnectionTimeLimitExceeded');
  const bridge = defined<JsonObject>({
    to: context.text(parameters['ThirdPartyPhoneNumber']) || untranslated('it names nobody to call'),
    from: typeof caller['Number'] === 'string' ? context.text(caller['Number']) : undefined,
    from_name: typeof caller['Name'] === 'string' ? context.text(caller['Name']) : undefined,
    ring_timeout: secondsOf(parameters['ThirdPartyConnectionTimeLimitSeconds']),
  });
  context.flow.step(action.step, { bridge, exits: { completed: context.next(action), failed } }, node.notes);
};

const hangUp: WriteAction = (context, { step }) => context.flow.step(step, { hangup: 'normal' });

const wait: WriteAction = (context, action) => {
  const time = secondsOf(action.parameters['TimeLimitSeconds']) ?? untranslated('wait for something other than time');
  context.flow.step(action.step, { pause: time, next: context.onValue(action, 'WaitCompleted') });
};

const loop: WriteAction = (context, action) => {
  const times = Number(action.parameters['LoopCount']);
  if (!(times >= 1)) untranslated('go round as often as an attribute says');
  const again = context.onValue(action, 'ContinueLooping');
  const exits = { limit: context.onValue(action, 'DoneLooping') };
  context.flow.step(action.step, { repeat: { do: again, times: Math.min(times, 1000) }, exits });
};

/** Its conditions are the sums of the shares so far, plus one. */
const distribute: WriteAction = (context, action) => {
  const arms: Record<string, number> = {};
  const exits: Record<string, string> = {};
  let before = 0;
  for (const { value, next } of casesOf(action)) {
    const upTo = Number(value) - 1;
    if (!(upTo > before && upTo <= 100)) untranslated('divide the calls by shares that do not add up');
    const name = `share_${Object.keys(arms).length + 1}`;
    arms[name] = upTo - before;
    exits[name] = context.stepOf(next);
    before = upTo;
  }
  if (before < 100) {
    arms['rest'] = 100 - before;
    exits['rest'] = context.onError(action, 'NoMatchingCondition');
  }
  context.flow.step(action.step, { split: { arms, sticky: false }, exits });
};

const recording: WriteAction = (context, action, node) => {
  const { RecordingBehavior: behaviour } = action.parameters;
  const voice = isObject(behaviour)
    ? (behaviour['RecordedParticipants'] ?? behaviour['VoiceRecordingBehavior'])
    : undefined;
  const isStarted = Array.isArray(voice) ? voice.length > 0 : isObject(voice);
  if (isStarted) worked(node, 'the whole call is recorded from here on, not only what is said with an agent');
  const next = context.next(action);
  const exits = { [isStarted ? 'started' : 'done']: next, failed: next };
  context.flow.step(action.step, { recording: isStarted ? 'start' : 'stop', exits }, node.notes);
};

const answered: WriteAction = (context, action) => {
  const exits = {
    human: context.onValue(action, 'CallAnswered'),
    machine: context.onValue(action, 'VoicemailNoBeep'),
    beep: context.onValue(action, 'VoicemailBeep'),
    fax: context.onValue(action, 'NotDetected'),
    unknown: context.onValue(action, 'NotDetected'),
  };
  context.flow.step(action.step, { detect_machine: {}, exits });
};

const endModule: WriteAction = (context, { step }) => context.flow.step(step, { return: 'ended' });

const todo =
  (what: (parameters: JsonObject) => string): WriteAction =>
  (_context, { parameters }) =>
    untranslated(what(parameters));

const shown = (written: Json | undefined): string =>
  String(written ?? '')
    .split('/')
    .at(-1)!
    .slice(0, 100);

export const ACTIONS: Readonly<Record<string, WriteAction>> = {
  MessageParticipant: message,
  MessageParticipantIteratively: messages,
  GetParticipantInput: input,
  Compare: compare,
  CheckHoursOfOperation: hours,
  InvokeLambdaFunction: lambda,
  UpdateContactAttributes: attributes,
  UpdateFlowAttributes: attributes,
  UpdateContactTargetQueue: targetQueue,
  TransferContactToQueue: toQueue,
  TransferParticipantToThirdParty: thirdParty,
  DisconnectParticipant: hangUp,
  EndFlowExecution: hangUp,
  EndFlowModuleExecution: endModule,
  Wait: wait,
  Loop: loop,
  DistributeByPercentage: distribute,
  UpdateContactRecordingBehavior: recording,
  UpdateContactRecordingAndAnalyticsBehavior: recording,
  CheckOutboundCallStatus: answered,
  TransferToFlow: todo(
    ({ ContactFlowId: id }) => `go on with the flow ${shown(id)}: import it too, and name it in a \`subflow\``,
  ),
  InvokeFlowModule: todo(
    ({ FlowModuleId: id }) => `call the module ${shown(id)}: import it too, and name it in a \`subflow\``,
  ),
  ConnectParticipantWithLexBot: todo(() => 'let the bot talk with the caller'),
  CreateCallbackContact: todo(() => 'call the caller back when an agent is free'),
  CheckMetricData: todo(() => 'decide by the figures of a queue'),
  UpdateContactEventHooks: todo(() => 'set a flow for the time in the queue, for whispers or for holding'),
  UpdateContactRoutingBehavior: todo(() => 'change the priority in the queue'),
};

/** Blocks that change nothing on a call of ours: the block before leads on to the next. */
export const PASSED_OVER: Readonly<Record<string, string>> = {
  UpdateFlowLoggingBehavior: 'every call has a journal',
  UpdateContactTextToSpeechVoice: 'the voice is written at each prompt',
  TagContact: 'calls have no tags',
  UnTagContact: 'calls have no tags',
};
