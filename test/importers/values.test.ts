/**
 * Numbers and times of a source that are out of range: `check` accepts the flow, which has the value or says in a note
 * which value it has instead.
 */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { importFiles } from '../../src/language/importers/import-files.ts';
import { FORMATS, type Format } from '../../src/language/importers/imported.ts';
import { verbs } from '../../src/verbs/steps.ts';
import { FIELD } from './field.ts';
import { errorsOf, imported } from './imported.ts';

type Files = Readonly<Record<string, string>>;
type Document = [format: Format, what: string, files: Files, otherForm?: (value: number) => number];

/** Stands for the value in a document. */
const VALUE = '@@';
/** Values for which the flow has nothing, as the source. */
const NOTHING = ['a pause 0'];
const VALUES = ['0', '-1', '2.5', '99', '500', '10000', '1e21', 'many'];

const twiml = (content: string): Files => ({ 'a.xml': `<Response>${content}</Response>` });
const vxml = (content: string): Files => ({ 'a.vxml': `<vxml version="2.1"><form>${content}</form></vxml>` });
const json = (document: unknown): Files => ({ 'a.json': JSON.stringify(document) });
const ncco = (...actions: JsonObject[]) => json(actions);
const jambonz = (...list: JsonObject[]) => json(list);
const swml = (...main: JsonObject[]) => json({ version: '1.0.0', sections: { main } });
const studio = (type: string, properties: JsonObject) =>
  json({
    states: [
      { name: 'Trigger', type: 'trigger', transitions: [{ event: 'incomingCall', next: 'a' }], properties: {} },
      { name: 'a', type, transitions: [{ event: 'audioComplete' }], properties },
    ],
    initial_state: 'Trigger',
  });
const connect = (type: string, parameters: JsonObject, transitions: JsonObject = {}) =>
  json({
    ...{ Version: '2019-10-30', StartAction: 'a' },
    Actions: [
      {
        ...{ Identifier: 'a', Type: type, Parameters: parameters },
        Transitions: { NextAction: 'z', Errors: [{ ErrorType: 'NoMatchingError', NextAction: 'z' }], ...transitions },
      },
      { Identifier: 'z', Type: 'DisconnectParticipant', Parameters: {}, Transitions: {} },
    ],
  });

const ASKED = { say: 'Press one now.' };
const LOOPS = {
  Conditions: [
    { NextAction: 'a', Condition: { Operator: 'Equals', Operands: ['ContinueLooping'] } },
    { NextAction: 'z', Condition: { Operator: 'Equals', Operands: ['DoneLooping'] } },
  ],
};

const DOCUMENTS: Document[] = [
  ['twiml', 'the timeout of a question', twiml('<Gather timeout="@@"><Say>Press one.</Say></Gather>')],
  ['twiml', 'the number of digits', twiml('<Gather numDigits="@@"><Say>Press one.</Say></Gather>')],
  ['twiml', 'the silence after speech', twiml('<Gather input="speech" speechTimeout="@@"><Say>Yes?</Say></Gather>')],
  ['twiml', 'repetitions in a question', twiml('<Gather><Say loop="@@">Press one.</Say></Gather>')],
  ['twiml', 'repetitions', twiml('<Say loop="@@">Hello there.</Say>')],
  ['twiml', 'a pause', twiml('<Pause length="@@"/>')],
  ['twiml', 'a pause in a question', twiml('<Gather><Say>Press one.</Say><Pause length="@@"/></Gather>')],
  ['twiml', 'the length of a recording', twiml('<Record maxLength="@@"/>')],
  ['twiml', 'the silence that ends a recording', twiml('<Record timeout="@@"/>')],
  ['twiml', 'the time of ringing', twiml('<Dial timeout="@@">+15551234567</Dial>')],
  ['twiml', 'the length of a conversation', twiml('<Dial timeLimit="@@">+15551234567</Dial>')],
  ['twiml', 'the size of a conference', twiml('<Dial><Conference maxParticipants="@@">a</Conference></Dial>')],
  ['twiml', 'the time to take a caller', twiml('<Dial timeout="@@"><Queue>a</Queue></Dial>')],
  ['twiml', 'the priority of a task', twiml('<Enqueue workflowSid="W"><Task priority="@@"/></Enqueue>')],
  ['twiml', 'the time in a queue', twiml('<Enqueue workflowSid="W"><Task timeout="@@"/></Enqueue>')],
  ['twiml', 'attempts of a payment', twiml('<Pay chargeAmount="5" maxAttempts="@@"/>')],
  ['twiml', 'the time for an answer of a payment', twiml('<Pay chargeAmount="5" timeout="@@"/>')],
  ['twilio-studio', 'the timeout of a question', studio('gather-input-on-call', { ...ASKED, timeout: VALUE })],
  ['twilio-studio', 'the number of digits', studio('gather-input-on-call', { ...ASKED, number_of_digits: VALUE })],
  ['twilio-studio', 'the silence after speech', studio('gather-input-on-call', { ...ASKED, speech_timeout: VALUE })],
  ['twilio-studio', 'repetitions in a question', studio('gather-input-on-call', { ...ASKED, loop: VALUE })],
  ['twilio-studio', 'repetitions', studio('say-play', { say: 'Hello there.', loop: VALUE })],
  ['twilio-studio', 'the time of ringing', studio('connect-call-to', { to: '+15551234567', timeout: VALUE })],
  ['twilio-studio', 'the length of a recording', studio('record-voicemail', { max_length: VALUE })],
  ['twilio-studio', 'the silence that ends a recording', studio('record-voicemail', { timeout: VALUE })],
  [
    'twilio-studio',
    'the time for an answer of a service',
    studio('make-http-request', { method: 'GET', url: 'https://a.example', timeout: VALUE }),
  ],
  ['twilio-studio', 'the priority of a task', studio('enqueue-call', { workflow_sid: 'W', priority: VALUE })],
  ['twilio-studio', 'the time in a queue', studio('enqueue-call', { workflow_sid: 'W', timeout: VALUE })],
  [
    'twilio-studio',
    'attempts of a payment',
    studio('capture-payments', { payment_amount: '5', max_attempts: VALUE, currency: 'usd' }),
  ],
  [
    'amazon-connect',
    'the timeout of a question',
    connect('GetParticipantInput', { Text: 'Press one.', StoreInput: 'True', InputTimeLimitSeconds: VALUE }),
  ],
  [
    'amazon-connect',
    'the time between digits',
    connect('GetParticipantInput', {
      ...{ Text: 'Press one.', StoreInput: 'True', InputTimeLimitSeconds: '5' },
      DTMFConfiguration: { InterdigitTimeLimitSeconds: VALUE },
    }),
  ],
  [
    'amazon-connect',
    'the number of digits',
    connect('GetParticipantInput', {
      ...{ Text: 'Press one.', StoreInput: 'True', InputTimeLimitSeconds: '5' },
      InputValidation: { CustomValidation: { MaximumLength: VALUE } },
    }),
  ],
  [
    'amazon-connect',
    'the time for an answer of a function',
    connect('InvokeLambdaFunction', { LambdaFunctionARN: 'arn:f', InvocationTimeLimitSeconds: VALUE }),
  ],
  [
    'amazon-connect',
    'the time of ringing',
    connect('TransferParticipantToThirdParty', {
      ThirdPartyPhoneNumber: '+15551234567',
      ThirdPartyConnectionTimeLimitSeconds: VALUE,
    }),
  ],
  ['amazon-connect', 'a wait', connect('Wait', { TimeLimitSeconds: VALUE })],
  ['amazon-connect', 'rounds of a loop', connect('Loop', { LoopCount: VALUE }, LOOPS)],
  [
    'amazon-connect',
    'the priority of a caller',
    connect('UpdateContactRoutingBehavior', { QueuePriority: VALUE }),
    // The smallest number comes first there.
    (value) => 5 - value,
  ],
  [
    'amazon-connect',
    'attempts of a callback',
    connect('CreateCallbackContact', { QueueId: 'q', MaximumConnectionAttempts: VALUE }),
  ],
  [
    'amazon-connect',
    'the pause between attempts of a callback',
    connect('CreateCallbackContact', { QueueId: 'q', RetryDelaySeconds: VALUE }),
  ],
  ['ncco', 'repetitions', ncco({ action: 'talk', text: 'Hello there.', loop: VALUE })],
  [
    'ncco',
    'repetitions in a question',
    ncco(
      { action: 'talk', text: 'Press one.', bargeIn: true, loop: VALUE },
      { action: 'input', type: ['dtmf'], eventUrl: ['https://a.example/a.json'] },
    ),
  ],
  ['ncco', 'a wait', ncco({ action: 'wait', timeout: VALUE })],
  ['ncco', 'the timeout of a question', ncco({ action: 'input', type: ['dtmf'], dtmf: { timeOut: VALUE } })],
  ['ncco', 'the number of digits', ncco({ action: 'input', type: ['dtmf'], dtmf: { maxDigits: VALUE } })],
  ['ncco', 'the time to begin to speak', ncco({ action: 'input', type: ['speech'], speech: { startTimeout: VALUE } })],
  ['ncco', 'the silence after speech', ncco({ action: 'input', type: ['speech'], speech: { endOnSilence: VALUE } })],
  ['ncco', 'the length of a recording', ncco({ action: 'record', endOnKey: '#', timeOut: VALUE })],
  ['ncco', 'the silence that ends a recording', ncco({ action: 'record', endOnKey: '#', endOnSilence: VALUE })],
  [
    'ncco',
    'the time of ringing',
    ncco({ action: 'connect', endpoint: [{ type: 'phone', number: '15551234567' }], timeout: VALUE }),
  ],
  [
    'ncco',
    'the length of a conversation',
    ncco({ action: 'connect', endpoint: [{ type: 'phone', number: '15551234567' }], limit: VALUE }),
  ],
  ['jambonz', 'repetitions', jambonz({ verb: 'say', text: 'Hello there.', loop: VALUE })],
  ['jambonz', 'a pause', jambonz({ verb: 'pause', length: VALUE })],
  ['jambonz', 'the timeout of a question', jambonz({ verb: 'gather', say: { text: 'Press 1.' }, timeout: VALUE })],
  [
    'jambonz',
    'the time between digits',
    jambonz({ verb: 'gather', say: { text: 'Press 1.' }, interDigitTimeout: VALUE }),
  ],
  ['jambonz', 'the number of digits', jambonz({ verb: 'gather', say: { text: 'Press 1.' }, numDigits: VALUE })],
  ['jambonz', 'the minimum of digits', jambonz({ verb: 'gather', say: { text: 'Press 1.' }, minDigits: VALUE })],
  ['jambonz', 'the maximum of digits', jambonz({ verb: 'gather', say: { text: 'Press 1.' }, maxDigits: VALUE })],
  ['jambonz', 'repetitions in a question', jambonz({ verb: 'gather', say: { text: 'Press 1.', loop: VALUE } })],
  [
    'jambonz',
    'the time of ringing',
    jambonz({ verb: 'dial', target: [{ type: 'phone', number: '15551234567' }], timeout: VALUE }),
  ],
  [
    'jambonz',
    'the length of a conversation',
    jambonz({ verb: 'dial', target: [{ type: 'phone', number: '15551234567' }], timeLimit: VALUE }),
  ],
  ['jambonz', 'the size of a conference', jambonz({ verb: 'conference', name: 'a', maxParticipants: VALUE })],
  [
    'jambonz',
    'the priority of a caller',
    jambonz({ verb: 'enqueue', name: 'a', priority: VALUE }),
    (value) => 999 - value,
  ],
  ['jambonz', 'the time to take a caller', jambonz({ verb: 'dequeue', name: 'a', timeout: VALUE })],
  ['jambonz', 'the status of a refusal', jambonz({ verb: 'sip:decline', status: VALUE })],
  ['jambonz', 'the length of a tone', jambonz({ verb: 'dtmf', dtmf: '1', duration: VALUE })],
  ['swml', 'the timeout of a question', swml({ prompt: { play: 'say:Press 1.', initial_timeout: VALUE } })],
  ['swml', 'the time between digits', swml({ prompt: { play: 'say:Press 1.', digit_timeout: VALUE } })],
  ['swml', 'the number of digits', swml({ prompt: { play: 'say:Press 1.', max_digits: VALUE } })],
  ['swml', 'the silence after speech', swml({ prompt: { play: 'say:Speak.', speech_end_timeout: VALUE } })],
  ['swml', 'a silence', swml({ play: { url: 'silence:@@' } })],
  ['swml', 'the length of a recording', swml({ record: { max_length: VALUE } })],
  ['swml', 'the silence that ends a recording', swml({ record: { end_silence_timeout: VALUE } })],
  ['swml', 'the length of a recording of the call', swml({ record_call: { max_length: VALUE } })],
  ['swml', 'the time of ringing', swml({ connect: { to: '+15551234567', timeout: VALUE } })],
  ['swml', 'the length of a conversation', swml({ connect: { to: '+15551234567', max_duration: VALUE } })],
  ['swml', 'the time for an answer of a service', swml({ request: { url: 'https://a.example', timeout: VALUE } })],
  ['swml', 'a wait', swml({ sleep: { duration: VALUE } })],
  ['swml', 'jumps', swml({ label: 'a' }, { play: { url: 'say:Hi there.' } }, { goto: { label: 'a', max: VALUE } })],
  ['swml', 'the size of a conference', swml({ join_conference: { name: 'a', max_participants: VALUE } })],
  ['swml', 'the time of detection', swml({ detect_machine: { timeout: VALUE } })],
  ['swml', 'the time in a queue', swml({ enter_queue: { queue_name: 'a', wait_time: VALUE } })],
  ['swml', 'attempts of a payment', swml({ pay: { payment_connector_url: 'https://a.example', max_attempts: VALUE } })],
  [
    'voicexml',
    'the timeout of a question',
    vxml('<field name="a" type="digits"><prompt timeout="@@s">Press one.</prompt></field>'),
  ],
  [
    'voicexml',
    'a property of times',
    vxml(
      '<property name="interdigittimeout" value="@@s"/><field name="a" type="digits"><prompt>Go on.</prompt></field>',
    ),
  ],
  [
    'voicexml',
    'a property of confidence',
    vxml('<property name="confidencelevel" value="@@"/><field name="a" type="digits"><prompt>Go on.</prompt></field>'),
  ],
  ['voicexml', 'the number of digits', vxml('<field name="a" type="digits?length=@@"><prompt>Go on.</prompt></field>')],
  [
    'voicexml',
    'the maximum of digits',
    vxml('<field name="a" type="digits?maxlength=@@"><prompt>Go on.</prompt></field>'),
  ],
  ['voicexml', 'a pause', vxml('<block>Hello there <break time="@@s"/> or here.</block>')],
  ['voicexml', 'the length of a recording', vxml('<record name="a" maxtime="@@s"/>')],
  ['voicexml', 'the silence that ends a recording', vxml('<record name="a" finalsilence="@@s"/>')],
  [
    'voicexml',
    'the time of ringing',
    vxml('<transfer name="a" dest="tel:+15551234567" type="bridge" connecttimeout="@@s"/>'),
  ],
  [
    'voicexml',
    'the length of a conversation',
    vxml('<transfer name="a" dest="tel:+15551234567" type="bridge" maxtime="@@s"/>'),
  ],
  [
    'voicexml',
    'the time for an answer of a service',
    vxml('<block><data src="https://a.example" fetchtimeout="@@s"/></block>'),
  ],
];

/** The documents with a value in its place; in JSON, numbers are without quotes. */
const withValue = (files: Files, value: string): Files =>
  Object.fromEntries(
    Object.entries(files).map(([file, text]) => {
      const written = Number.isNaN(Number(value)) ? JSON.stringify(value) : value;
      return [
        file,
        text.replaceAll(`"${VALUE}"`, file.endsWith('.json') ? written : `"${value}"`).replaceAll(VALUE, value),
      ];
    }),
  );

/** Texts by which a flow or a note has the value: also in other units. */
function formsOf(value: string): string[] {
  const number = Number(value);
  if (Number.isNaN(number)) return [value];
  return [value, String(number), `${number * 1000}ms`, `${number / 1000}s`, `${Math.round(number)}ms`];
}

const isIn = (text: string, form: string): boolean =>
  new RegExp(`(?<![\\w.-])${form.replaceAll(/[.+-]/g, '\\$&')}(?:s|ms)?(?![\\w.])`).test(text);

describe.each(Object.keys(FORMATS) as Format[])('a value out of range in %s', (format) => {
  const rows = DOCUMENTS.filter(([of]) => of === format).map(([, what, files, otherForm]) => ({
    what,
    files,
    otherForm,
  }));

  it.each(rows)('is taken or noted for $what, in a flow that check accepts', ({ what, files, otherForm }) => {
    const dropped = VALUES.flatMap((value) => {
      const result = imported(withValue(files, value), {}, format);
      const refused = errorsOf(result).filter((error) => !error.startsWith('todo: '));
      const forms = [...formsOf(value), ...(otherForm ? [String(otherForm(Number(value)))] : [])];
      // A note on 0 has the words for it: without an end, without a limit.
      const isTold = value === '0' && result.nodes.some(({ notes }) => notes.length > 0);
      const told =
        result.flows.map(({ text }) => text).join('\n') + result.nodes.flatMap(({ notes }) => notes).join('\n');
      return [
        ...refused.map((error) => `${value}: ${error}`),
        ...(isTold || NOTHING.includes(`${what} ${value}`) || forms.some((form) => isIn(told, form))
          ? []
          : [`${value} is dropped`]),
      ];
    });
    expect(dropped).toEqual([]);
  });
});

describe('numbers of documents with all keys', () => {
  // Pauses within a text belong to its SSML.
  const NUMBER =
    /(?<!<break )("?\w*(?:time|limit|length|digits|loop|attempts|priority|participants|duration|max|min|count|delay|wait|seconds|silence|level)\w*"?\s*[=:]\s*"?)\d{1,5}(?:\.\d+)?(?=m?s?["\s,}])/gi;

  it.each(Object.keys(FORMATS) as Format[])('accepts any value in %s without an error of check', (format) => {
    const refused = FIELD.filter((each) => each.format === format).flatMap(({ name, sources }) =>
      [0, 3].flatMap((first) => {
        let at = first;
        const files = sources.map(({ file, text }) => ({
          file,
          text: text.replaceAll(NUMBER, (_, key: string) => `${key}${['0', '-1', '2.5', '10000', '1e21'][at++ % 5]}`),
        }));
        const result = importFiles(files, { verbs }, format);
        if (result.format === undefined) return [`${name}: ${JSON.stringify(result.diagnostics)}`];
        return errorsOf(result).flatMap((error) => (error.startsWith('todo: ') ? [] : [`${name}: ${error}`]));
      }),
    );
    expect(refused).toEqual([]);
  });
});

describe('the value in place of one that is out of range', () => {
  it.each<[string, Files, JsonObject, string]>([
    [
      'TwiML',
      twiml('<Record maxLength="10000"/>'),
      { record: { max_length: '3600s' } },
      '`maxLength` is 10000 in the source, and 3600 in the flow',
    ],
    [
      'Twilio Studio',
      studio('gather-input-on-call', { ...ASKED, number_of_digits: 500 }),
      { collect: { digits: { max: 100 } } },
      '`number_of_digits` is 500 in the source, and 100 in the flow',
    ],
    [
      'Amazon Connect',
      connect('CreateCallbackContact', { QueueId: 'q', MaximumConnectionAttempts: 99 }),
      { queue: { callback: { attempts: 10 } } },
      '`MaximumConnectionAttempts` is 99 in the source, and 10 in the flow',
    ],
    [
      'NCCO',
      ncco({ action: 'input', type: ['dtmf'], eventUrl: ['https://a.example/a.json'], dtmf: { maxDigits: 500 } }),
      { collect: { digits: { max: 20 } } },
      '`maxDigits` is 500 in the source, and 20 in the flow',
    ],
    [
      'jambonz',
      jambonz({ verb: 'gather', say: { text: 'Press 1.' }, timeout: -1 }),
      { collect: { start_timeout: '15s' } },
      '`timeout` is -1 in the source, and 15s in the flow',
    ],
    [
      'SWML',
      swml({ pay: { payment_connector_url: 'https://a.example', max_attempts: 99 } }),
      { pay: { attempts: 20 } },
      '`max_attempts` is 99 in the source, and 20 in the flow',
    ],
    [
      'VoiceXML',
      vxml('<block>Hello there <break time="90s"/> or here.</block>'),
      { play: ['Hello there', { silence: '60s' }, 'or here.'] },
      '`time` is 90s in the source, and 60s in the flow',
    ],
  ])('is the nearest of the step, or the default of %s, and is noted', (_, files, step, note) => {
    const { steps, nodes } = imported(files);
    expect(Object.values(steps)).toContainEqual(expect.objectContaining(asPart(step)));
    expect(nodes.flatMap((node) => (node.notes.includes(note) ? [node.fidelity] : []))).toEqual(['workaround']);
  });

  it('is none for a long pause of TwiML, which has a step of its own', () => {
    const { steps, nodes } = imported(twiml('<Say>Hello there.</Say><Pause length="120"/><Say>Good bye now.</Say>'));
    expect(steps['pause']).toMatchObject({ pause: '120s', next: 'say_good_bye_now' });
    expect(nodes.map(({ fidelity }) => fidelity)).toEqual(['exact', 'exact', 'exact']);
  });
});

/** Matcher of objects that have these keys, at each level. */
const asPart = (value: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      typeof each === 'object' && each !== null && !Array.isArray(each) ? expect.objectContaining(asPart(each)) : each,
    ]),
  ) as JsonObject;

describe('a text directly within a container of TwiML', () => {
  it.each<[string, string, string]>([
    ['of a question', '<Gather>Press one for sales.</Gather>', '`Press one for sales.` of `Gather` is not imported'],
    ['of the document', 'Hello there.<Hangup/>', '`Hello there.` of `<Response>` is not imported'],
    [
      'beside the numbers of a call',
      '<Dial>+15550001111<Number>+15551234567</Number></Dial>',
      '`+15550001111` of `Dial` is not imported',
    ],
    [
      'of a stream',
      '<Connect><Stream url="wss://a.example">bot</Stream></Connect>',
      '`bot` of `Stream` is not imported',
    ],
  ])('is reported with the name of its container, %s', (_, content, message) => {
    const { diagnostics } = imported(twiml(content));
    expect(diagnostics.map((each) => each.message)).toEqual([message]);
  });

  it('is not reported for elements whose content it is', () => {
    const { diagnostics } = imported(
      twiml('<Say>Hello <break/> there.</Say><Dial>+15551234567</Dial><Enqueue>support</Enqueue>'),
    );
    expect(diagnostics).toEqual([]);
  });
});
