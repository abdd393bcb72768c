/**
 * Converts each type of Amazon Connect action to steps. `connect.ts` resolves names and routes; actions for queues and
 * other flows are in `connect-queues.ts` and `connect-flows.ts`.
 */
import { defined, isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { casesOf } from './connect-cases.ts';
import type { ConnectActionContext, WriteAction } from './connect-context.ts';
import { bot, callModule, toFlow } from './connect-flows.ts';
import { CALLBACK, connectExpression, EXTERNAL, QUEUE, STORED } from './connect-names.ts';
import { displayName } from './connect-parameters.ts';
import { callback, checkMetric, eventHooks, getMetrics, recording, routing, toQueue } from './connect-queues.ts';
import { noted, untranslated, worked } from './fidelity.ts';
import { END, wordOf } from './flow-writer.ts';
import { countAt, timeAt } from './source-numbers.ts';
import { passOver, whole } from './source-views.ts';
import { localeOf, missingSound, soundOf, spoken, voiceOf } from './spoken.ts';

const isOn = (written: Json | undefined): boolean => String(written).toLowerCase() === 'true';

export function promptOf(
  context: Pick<ConnectActionContext, 'options' | 'text'>,
  parameters: JsonObject,
): Json | undefined {
  const { Text: text, SSML: ssml, PromptId: prompt, Media: media } = parameters;
  if (typeof ssml === 'string' && ssml !== '') return { ssml: context.text(ssml) };
  if (typeof text === 'string' && text !== '') {
    const words = context.text(text);
    return /^\s*<speak[\s>]/.test(text) ? { ssml: words } : spoken(words);
  }
  if (isObject(media)) passOver(media, ['SourceType', 'MediaType']);
  const url = isObject(media) ? media['Uri'] : prompt;
  if (typeof url !== 'string' || url === '') return undefined;
  // The call knows the URL of the sound.
  if (/^\$[.{]/.test(url)) return { audio: context.text(url) };
  return soundOf(url, context.options.sounds) ?? untranslated(missingSound(url));
}

const message: WriteAction = (context, action, node) => {
  const prompt = promptOf(context, action.parameters) ?? untranslated('it has no text or sound to play');
  context.flow.step(action.step, { play: prompt, next: context.next(action) }, node.notes);
};

/** Repeats messages with pauses between them. */
const messages: WriteAction = (context, action, node) => {
  const { Messages: listed } = action.parameters;
  const prompts = (Array.isArray(listed) ? listed.filter(isObject) : []).flatMap(
    (each) => promptOf(context, each) ?? [],
  );
  if (prompts.length === 0) untranslated('it has no text or sound to play');
  passOver(action.parameters, ['InterruptFrequencySeconds']);
  if (action.parameters['InterruptFrequencySeconds'] !== undefined) {
    worked(node, 'it is said once to its end, and not interrupted after a time');
    const interrupted = context.onValue(action, 'MessagesInterrupted');
    return context.flow.step(action.step, { play: prompts, next: interrupted }, node.notes);
  }
  // A waiting flow restarts when it ends, so no repeat is needed.
  if (context.isWaiting) return context.flow.step(action.step, { play: prompts, next: END }, node.notes);
  worked(node, 'it is said a thousand times');
  context.flow.step(action.step, { play: { prompt: prompts, repeat: 1000 }, next: context.next(action) }, node.notes);
};

const input: WriteAction = (context, action, node) => {
  const { parameters, step } = action;
  if (parameters['LexV2Bot'] !== undefined || parameters['LexBot'] !== undefined) return bot(context, action, node);
  const prompt = promptOf(context, parameters);
  const keys = isObject(parameters['DTMFConfiguration']) ? parameters['DTMFConfiguration'] : {};
  const validation = isObject(parameters['InputValidation']) ? parameters['InputValidation'] : {};
  const custom = isObject(validation['CustomValidation']) ? validation['CustomValidation'] : {};
  const cases = casesOf(action);
  const isStored = isOn(parameters['StoreInput']);
  const start = timeAt(node, parameters, 'InputTimeLimitSeconds', { otherwise: '5s' });
  const isSecret = whole(parameters['InputEncryption']) !== undefined;
  const phone = validation['PhoneNumberValidation'];
  if (isObject(phone)) {
    worked(node, 'the number is taken as it is pressed: compare it with the numbers of its country');
    passOver(phone, ['NumberFormat', 'CountryCode']);
  }
  // In Connect the star key cancels the input; here it is a key like others.
  if (isOn(keys['DisableCancelKey']) === false && keys['DisableCancelKey'] !== undefined)
    passOver(keys, ['DisableCancelKey']);
  if (isSecret) worked(node, 'the input is masked everywhere, not encrypted with your key');
  const ending = String(keys['InputTerminationSequence'] ?? '#');
  if (!/^[0-9*#]?$/.test(ending)) worked(node, `# ends the input, not ${ending.slice(0, 40)}`);
  const terminator = /^[0-9*#]/.test(ending) ? ending.slice(0, 1) : ending === '' ? '' : '#';
  const silent = context.onError(action, 'InputTimeLimitExceeded');
  const common = {
    prompt,
    attempts: 1,
    start_timeout: start,
    inter_digit_timeout: timeAt(node, keys, 'InterdigitTimeLimitSeconds'),
    sensitive: isSecret ? true : undefined,
  };
  if (isStored || cases.length === 0) {
    const digits = defined<JsonObject>({
      max: countAt(node, custom, 'MaximumLength', { most: 100 }),
      terminator: terminator === '#' || terminator === '' ? undefined : terminator,
    });
    const collect = defined<JsonObject>({ ...common, digits });
    const stored = isSecret ? context.flow.secret(STORED) : context.flow.variable(STORED);
    const set = { [stored]: '${ result.digits }' };
    context.flow.step(
      step,
      { collect, set, exits: { collected: context.next(action), exhausted: silent } },
      node.notes,
    );
    return;
  }
  const foreign = cases.find(({ value }) => !/^[0-9*#]{1,8}$/.test(value));
  if (foreign !== undefined) untranslated(`take the answer ${foreign.value.slice(0, 60)}, which is not a key`);
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

const hours: WriteAction = (context, action, node) => {
  passOver(action.parameters, ['HoursOfOperationId']);
  const schedule = wordOf((displayName(action, 'HoursOfOperationId') ?? 'office hours').toLowerCase(), 'office_hours');
  noted(node, `the hours are not in the source: the configuration has to have the schedule ${schedule}`);
  const closed = context.onValue(action, 'False');
  const exits = { open: context.onValue(action, 'True'), closed, holiday: closed };
  context.flow.step(action.step, { schedule, exits }, node.notes);
};

/** Event that Connect sends to a Lambda function. */
const eventOf = (context: ConnectActionContext, parameters: JsonObject): JsonObject => ({
  Name: 'ContactFlowEvent',
  Details: {
    ContactData: {
      Attributes: Object.fromEntries(
        context.attributes.map((name) => [name, `\${ vars.${context.flow.variable(name)} }`]),
      ),
      Channel: 'VOICE',
      ContactId: '${ call.id }',
      InitialContactId: '${ call.id }',
      InitiationMethod: "${ call.direction = 'inbound' ? 'INBOUND' : 'OUTBOUND' }",
      CustomerEndpoint: { Address: "${ call.direction = 'inbound' ? call.from : call.to }", Type: 'TELEPHONE_NUMBER' },
      SystemEndpoint: { Address: "${ call.direction = 'inbound' ? call.to : call.from }", Type: 'TELEPHONE_NUMBER' },
    },
    Parameters: parameters,
  },
});

const lambda: WriteAction = (context, action, node) => {
  const { LambdaFunctionARN: arn, LambdaInvocationAttributes: given } = action.parameters;
  const validation = action.parameters['ResponseValidation'];
  // Every answer is JSON here.
  if (isObject(validation)) passOver(validation, ['ResponseType']);
  const name = wordOf(
    displayName(action, 'LambdaFunctionARN') ??
      String(arn ?? '')
        .split(':')
        .at(-1) ??
      '',
    'lambda',
  );
  const url = `lambda_${name}`;
  noted(node, `the function is asked by HTTP, with the event of Connect: set env.${url} to its URL`);
  const parameters = Object.fromEntries(
    Object.entries(isObject(given) ? given : {}).map(([key, value]) => [key, context.text(value)]),
  );
  const body = eventOf(context, parameters);
  const failed = context.onError(action, 'NoMatchingError');
  const timeout = timeAt(node, action.parameters, 'InvocationTimeLimitSeconds', { otherwise: '3s' });
  const request = defined<JsonObject>({ post: `\${ env.${url} }`, body, timeout });
  const set = { [context.flow.variable(EXTERNAL)]: '${ result.body }' };
  context.flow.step(
    action.step,
    { request, set, exits: { ok: context.next(action), not_found: failed, failed } },
    node.notes,
  );
};

const attributes: WriteAction = (context, action, node) => {
  const { Attributes: given, FlowAttributes: ofFlow, TargetContact: target } = action.parameters;
  if (target !== undefined && target !== 'Current') worked(node, 'the attributes are those of this call alone');
  const all = { ...(isObject(given) ? given : {}), ...(isObject(ofFlow) ? ofFlow : {}) };
  const known = Object.entries(all).map(([key, value]): [string, Json] => {
    if (/\$[.[{]/.test(key)) untranslated(`set an attribute whose name only the call knows: ${key.slice(0, 100)}`);
    return [context.flow.variable(key), context.text(isObject(value) ? value['Value'] : value)];
  });
  if (known.length === 0) untranslated('set something that is not an attribute');
  const [, ...more] = context.flow.setAll(action.step, known, context.next(action));
  node.steps.push(...more);
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

const thirdParty: WriteAction = (context, action, node) => {
  const { parameters } = action;
  const caller = isObject(parameters['CallerId']) ? parameters['CallerId'] : {};
  const keys = parameters['ThirdPartyDTMFDigits'];
  // A comma in Connect is a pause.
  const digits = typeof keys === 'string' ? keys.replaceAll(',', 'ww').replaceAll(/[^0-9A-D*#w]/g, '') : '';
  const failed = context.onError(action, 'CallFailed', 'ConnectionTimeLimitExceeded');
  const bridge = defined<JsonObject>({
    to: context.text(parameters['ThirdPartyPhoneNumber']) || untranslated('it has no party to call'),
    from: typeof caller['Number'] === 'string' ? context.text(caller['Number']) : undefined,
    from_name: typeof caller['Name'] === 'string' ? context.text(caller['Name']) : undefined,
    ring_timeout: timeAt(node, parameters, 'ThirdPartyConnectionTimeLimitSeconds'),
    send_digits: digits === '' ? undefined : digits,
  });
  // If the flow is not continued after the transfer, the call ends with the conversation.
  const goesOn = String(parameters['ContinueFlowExecution'] ?? 'True').toLowerCase() === 'true';
  const completed = goesOn ? context.next(action) : END;
  context.flow.step(action.step, { bridge, exits: { completed, failed } }, node.notes);
};

const hangUp: WriteAction = (context, { step }) => context.flow.step(step, { hangup: 'normal' });

const wait: WriteAction = (context, action, node) => {
  if (!(Number(action.parameters['TimeLimitSeconds']) >= 0)) untranslated('wait for something other than time');
  const time = timeAt(node, action.parameters, 'TimeLimitSeconds')!;
  context.flow.step(action.step, { pause: time, next: context.onValue(action, 'WaitCompleted') });
};

const loop: WriteAction = (context, action, node) => {
  if (!(Number(action.parameters['LoopCount']) >= 1)) untranslated('go round as often as an attribute says');
  const times = countAt(node, action.parameters, 'LoopCount', { most: 1000 })!;
  const again = context.onValue(action, 'ContinueLooping');
  const exits = { limit: context.onValue(action, 'DoneLooping') };
  context.flow.step(action.step, { repeat: { do: again, times }, exits });
};

/** Weighted random choice. The conditions of the action are cumulative shares, plus one. */
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

/** Sets the voice of all following prompts. */
const voice: WriteAction = (context, action, node) => {
  const { TextToSpeechVoice: named } = action.parameters;
  // The engine of a voice, and a model of its style.
  passOver(action.parameters, ['TextToSpeechEngine']);
  const style = action.parameters['TextToSpeechStyle'];
  if (style !== undefined && style !== 'None') worked(node, 'the voice has its usual style');
  const known =
    voiceOf(typeof named === 'string' ? named : undefined, node) ??
    untranslated('speak with a voice that is not named');
  context.flow.step(action.step, { set: { 'call.voice': known }, next: context.next(action) }, node.notes);
};

const language: WriteAction = (context, action) => {
  const { LanguageCode: code } = action.parameters;
  const locale =
    localeOf(typeof code === 'string' ? code : undefined) ?? untranslated('change what is known of the contact');
  context.flow.step(action.step, { set: { 'call.locale': locale }, next: context.next(action) });
};

const callbackNumber: WriteAction = (context, action, node) => {
  const number = String(action.parameters['CallbackNumber'] ?? '');
  const set = { [context.flow.variable(CALLBACK)]: context.text(number) };
  const kept = context.flow.reserve(`${action.step}_kept`);
  const when = `$count($match($string(${connectExpression(context.flow, number)}), /^\\+?[0-9]{3,15}$/)) > 0`;
  const invalid = context.onError(action, 'InvalidCallbackNumber', 'CallbackNumberNotDialable');
  context.flow.step(action.step, { branch: [{ when, next: kept }, { else: invalid }] });
  context.flow.step(kept, { set, next: context.next(action) });
  node.steps.push(kept);
};

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
  TransferToFlow: toFlow,
  InvokeFlowModule: callModule,
  ConnectParticipantWithLexBot: bot,
  UpdateContactTextToSpeechVoice: voice,
  UpdateContactData: language,
  UpdateContactCallbackNumber: callbackNumber,
  CreateCallbackContact: callback,
  CheckMetricData: checkMetric,
  GetMetricData: getMetrics,
  UpdateContactEventHooks: eventHooks,
  UpdateContactRoutingBehavior: routing,
};

/** Block types without effect on a call here. The preceding block is routed to the following one. */
export const PASSED_OVER: Readonly<Record<string, string>> = {
  UpdateFlowLoggingBehavior: 'every call has a journal',
  TagContact: 'calls have no tags',
  UnTagContact: 'calls have no tags',
};
