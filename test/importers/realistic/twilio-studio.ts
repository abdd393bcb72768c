/** Flows of Twilio Studio as people draw them: as the templates and the documentation have them, exported. */
import type { Counts } from '../corpus/counts.ts';
import type { RealisticFlows } from './realistic-flows.ts';

export const counts: Counts = { exact: 98, workaround: 3, todo: 1 };

type Match = [type: string, value: string, next: string];
type Widget = [
  name: string,
  type: string,
  properties: object,
  routes?: Readonly<Record<string, string>>,
  matches?: readonly Match[],
];

const offset = { x: 120, y: 240 };
const VOICE = { voice: 'Polly.Joanna-Neural', language: 'en-US' };

function exported(description: string, trigger: Readonly<Record<string, string>>, widgets: readonly Widget[]): string {
  const transitions = [
    'incomingMessage',
    'incomingCall',
    'incomingConversationMessage',
    'incomingRequest',
    'incomingParent',
  ];
  const states = widgets.map(([name, type, properties, routes = {}, matches = []]) => ({
    name,
    type,
    transitions: [
      ...Object.entries(routes).map(([event, next]) => (next === '' ? { event } : { event, next })),
      ...matches.map(([kind, value, next]) => ({
        event: 'match',
        next,
        conditions: [
          {
            friendly_name: `If value ${kind} ${value}`,
            arguments: [(properties as { input?: string }).input],
            type: kind,
            value,
          },
        ],
      })),
    ],
    properties: { offset, ...properties },
  }));
  const start = transitions.map((event) =>
    trigger[event] === undefined ? { event } : { event, next: trigger[event] },
  );
  return JSON.stringify(
    {
      description,
      states: [{ name: 'Trigger', type: 'trigger', transitions: start, properties: { offset } }, ...states],
      initial_state: 'Trigger',
      flags: { allow_concurrent_calls: true },
    },
    null,
    2,
  );
}

const say = (name: string, text: string, next = ''): Widget => [
  name,
  'say-play',
  { say: text, loop: 1, ...VOICE },
  { audioComplete: next },
];
const ask = (
  name: string,
  text: string,
  [keypress = '', speech = '', timeout = '']: readonly string[],
  more: object = {},
): Widget => [
  name,
  'gather-input-on-call',
  {
    ...VOICE,
    speech_timeout: 'auto',
    say: text,
    loop: 1,
    hints: '',
    finish_on_key: '#',
    stop_gather: true,
    gather_language: 'en',
    profanity_filter: 'true',
    timeout: 5,
    ...more,
  },
  { keypress, speech, timeout },
];
const split = (name: string, input: string, noMatch: string, matches: readonly Match[]): Widget => [
  name,
  'split-based-on',
  { input },
  { noMatch },
  matches,
];
const dial = (name: string, to: string, after: string, more: object = {}): Widget => [
  name,
  'connect-call-to',
  { noun: 'number', to, caller_id: '{{contact.channel.address}}', timeout: 30, record: false, ...more },
  { callCompleted: after, hangup: '' },
];

const ivr = exported('IVR Menu', { incomingCall: 'greeting' }, [
  say('greeting', 'Hello, and thank you for calling Owl Shoes.', 'menu'),
  ask(
    'menu',
    'For sales press 1 or say sales. For support press 2 or say support. For opening hours press 3.',
    ['split_key', 'split_speech', 'menu_again'],
    {
      number_of_digits: 1,
      hints: 'sales, support, hours',
    },
  ),
  split('split_key', '{{widgets.menu.Digits}}', 'not_understood', [
    ['equal_to', '1', 'sales'],
    ['equal_to', '2', 'support'],
    ['equal_to', '3', 'hours'],
  ]),
  split('split_speech', '{{widgets.menu.SpeechResult}}', 'not_understood', [
    ['contains', 'sales', 'sales'],
    ['contains', 'support', 'support'],
    ['matches_any_of', 'hours,opening hours', 'hours'],
  ]),
  say('not_understood', 'Sorry, we did not understand that.', 'menu'),
  say('menu_again', 'We did not hear from you. Goodbye.'),
  dial('sales', '+15551110001', 'sales_result'),
  split('sales_result', '{{widgets.sales.DialCallStatus}}', 'voicemail_intro', [['equal_to', 'completed', 'bye']]),
  [
    'support',
    'enqueue-call',
    { queue_name: 'support', wait_url: 'https://media.example/hold.mp3' },
    { callComplete: 'bye', failedToEnqueue: 'voicemail_intro', callFailure: '' },
  ],
  say('hours', 'We are open from nine to five, from Monday to Friday.', 'menu'),
  say('voicemail_intro', 'Please leave a message after the beep.', 'voicemail'),
  [
    'voicemail',
    'record-voicemail',
    {
      timeout: 5,
      finish_on_key: '#',
      max_length: 120,
      play_beep: 'true',
      trim: 'trim-silence',
      transcribe: false,
      recording_status_callback_url: '',
    },
    { recordingComplete: 'text_team', noAudio: 'bye', hangup: 'text_team' },
  ],
  [
    'text_team',
    'send-message',
    {
      from: '{{flow.channel.address}}',
      to: '+15551110009',
      body: 'New voicemail from {{trigger.call.From}}.',
      service: '{{trigger.message.InstanceSid}}',
    },
    { sent: 'bye', failed: 'bye' },
  ],
  say('bye', 'Thank you for calling. Goodbye.'),
]);

const reminder = exported('Appointment reminder', { incomingRequest: 'call_patient' }, [
  [
    'call_patient',
    'make-outgoing-call-v2',
    {
      from: '{{flow.channel.address}}',
      to: '{{contact.channel.address}}',
      timeout: 60,
      record: false,
      detect_answering_machine: false,
    },
    { answered: 'remind', busy: 'text_patient', noAnswer: 'text_patient', failed: 'text_patient' },
  ],
  ask(
    'remind',
    'Hi {{flow.data.name}}. You have an appointment on {{flow.data.day}} at {{flow.data.time | default: "noon"}}. Press 1 to confirm, 2 to cancel, or 3 to talk with us.',
    ['answer', '', 'no_answer'],
    { number_of_digits: 1, timeout: 8 },
  ),
  split('answer', '{{widgets.remind.Digits}}', 'remind', [
    ['equal_to', '1', 'confirm'],
    ['equal_to', '2', 'cancel'],
    ['equal_to', '3', 'front_desk'],
  ]),
  [
    'confirm',
    'run-function',
    {
      service_sid: 'default',
      environment_sid: null,
      function_sid: 'ZH1',
      url: 'https://clinic-1234.twil.io/confirm',
      parameters: [
        { key: 'id', value: '{{flow.data.appointment_id}}' },
        { key: 'phone', value: '{{contact.channel.address}}' },
      ],
    },
    { success: 'confirmed', fail: 'front_desk' },
  ],
  say('confirmed', 'Thank you. Your appointment is confirmed. The code is {{widgets.confirm.parsed.code}}.'),
  [
    'cancel',
    'make-http-request',
    {
      method: 'POST',
      content_type: 'application/x-www-form-urlencoded;charset=utf-8',
      url: 'https://clinic.example/cancel',
      parameters: [{ key: 'id', value: '{{flow.data.appointment_id}}' }],
      body: '',
    },
    { success: 'cancelled', failed: 'front_desk' },
  ],
  say('cancelled', 'Your appointment is cancelled. Goodbye.'),
  dial('front_desk', '{{flow.data.desk}}', ''),
  say('no_answer', 'We did not hear from you. We will send you a message.', 'text_patient'),
  [
    'text_patient',
    'send-message',
    {
      from: '{{flow.channel.address}}',
      to: '{{contact.channel.address}}',
      body: 'You have an appointment on {{flow.data.day}}. {% if flow.data.phone %}Call {{flow.data.phone}} to change it.{% endif %}',
    },
    { sent: '', failed: '' },
  ],
]);

const status = exported('Order status', { incomingCall: 'init' }, [
  [
    'init',
    'set-variables',
    {
      variables: [
        { key: 'tries', value: '0' },
        { key: 'language', value: 'en' },
      ],
    },
    { next: 'recording' },
  ],
  [
    'recording',
    'record-call',
    { record_call: true, recording_channels: 'dual', trim: 'do-not-trim' },
    { success: 'ask_order', failed: 'ask_order' },
  ],
  ask('ask_order', 'Please enter your order number, followed by the pound key.', ['clean', '', 'count'], {
    timeout: 10,
  }),
  [
    'clean',
    'set-variables',
    { variables: [{ key: 'order', value: '{{widgets.ask_order.Digits | strip | prepend: "A-"}}' }] },
    { next: 'look_up' },
  ],
  [
    'look_up',
    'make-http-request',
    {
      method: 'GET',
      content_type: 'application/json;charset=utf-8',
      url: 'https://shop.example/orders/{{flow.variables.order | url_encode}}',
      body: '',
    },
    { success: 'state', failed: 'count' },
  ],
  split('state', '{{widgets.look_up.parsed.status}}', 'agent', [
    ['equal_to', 'shipped', 'shipped'],
    ['equal_to', 'open', 'open'],
    ['matches_any_of', 'cancelled, returned', 'closed'],
  ]),
  say(
    'shipped',
    'Your order was sent on {{widgets.look_up.parsed.shipped_on | date: "%B %d"}} by {{widgets.look_up.parsed.carrier | capitalize}}.',
    'anything_else',
  ),
  say(
    'open',
    'Your order has {{widgets.look_up.parsed.items | size}} items. It will be sent {% if widgets.look_up.parsed.days == 1 %}tomorrow{% else %}in {{widgets.look_up.parsed.days}} days{% endif %}.',
    'anything_else',
  ),
  say('closed', 'This order is {{widgets.look_up.parsed.status | downcase}}.', 'anything_else'),
  [
    'count',
    'set-variables',
    { variables: [{ key: 'tries', value: '{{flow.variables.tries | plus: 1}}' }] },
    { next: 'too_many' },
  ],
  split('too_many', '{{flow.variables.tries}}', 'try_again', [['greater_than', '2', 'agent']]),
  say('try_again', 'We could not find that order.', 'ask_order'),
  ask('anything_else', 'Press 1 for another order, or 2 for an agent. Or just hang up.', ['what_else', '', 'bye'], {
    number_of_digits: 1,
  }),
  split('what_else', '{{widgets.anything_else.Digits}}', 'bye', [
    ['equal_to', '1', 'ask_order'],
    ['equal_to', '2', 'agent'],
  ]),
  say('bye', 'Goodbye.'),
  [
    'agent',
    'send-to-flex',
    {
      workflow: 'WW0123',
      channel: 'TC0123',
      attributes: '{"type": "inbound", "name": "{{trigger.call.From}}"}',
      priority: '5',
      timeout: '3600',
    },
    { callComplete: '', failedToEnqueue: 'sorry', callFailure: '' },
  ],
  say('sorry', 'All of our agents are busy. Please call again later.'),
]);

const survey = exported('Customer survey', { incomingCall: 'welcome' }, [
  say('welcome', 'Welcome to our survey. It takes one minute.', 'q1'),
  ask('q1', 'How satisfied are you, from 1 to 5?', ['check_q1', '', 'q1'], { number_of_digits: 1 }),
  split('check_q1', '{{widgets.q1.Digits}}', 'wrong_q1', [['regex', '^[1-5]$', 'save_q1']]),
  say('wrong_q1', 'That is not a number from 1 to 5.', 'q1'),
  ['save_q1', 'set-variables', { variables: [{ key: 'q1', value: '{{widgets.q1.Digits}}' }] }, { next: 'happy' }],
  split('happy', '{{flow.variables.q1}}', 'q2', [['less_than', '3', 'why']]),
  say('why', 'We are sorry. Please tell us what went wrong after the beep.', 'complaint'),
  [
    'complaint',
    'record-voicemail',
    { timeout: 4, max_length: 60, play_beep: 'true', finish_on_key: '#' },
    { recordingComplete: 'q2', noAudio: 'q2', hangup: 'save' },
  ],
  ask('q2', 'Would you recommend us? Say yes or no.', ['', 'check_q2', 'save'], {
    hints: 'yes, no',
    stop_gather: false,
  }),
  split('check_q2', '{{widgets.q2.SpeechResult}}', 'save', [
    ['contains', 'yes', 'save_yes'],
    ['starts_with', 'no', 'save_no'],
  ]),
  ['save_yes', 'set-variables', { variables: [{ key: 'recommends', value: 'yes' }] }, { next: 'save' }],
  ['save_no', 'set-variables', { variables: [{ key: 'recommends', value: 'no' }] }, { next: 'save' }],
  [
    'save',
    'make-http-request',
    {
      method: 'POST',
      content_type: 'application/json;charset=utf-8',
      url: 'https://survey.example/answers',
      body: '{"caller": "{{trigger.call.From}}", "q1": "{{flow.variables.q1}}", "recommends": "{{flow.variables.recommends | default: "unknown"}}"}',
    },
    { success: 'thanks', failed: 'thanks' },
  ],
  say('thanks', 'Thank you. Goodbye.'),
]);

const hunt = exported('Hunt group with hours', { incomingCall: 'is_open' }, [
  [
    'is_open',
    'run-function',
    {
      url: 'https://hours-1234.twil.io/is-open',
      parameters: [{ key: 'zone', value: 'America/New_York' }],
      timeout: 10000,
    },
    { success: 'open_or_not', fail: 'first' },
  ],
  split('open_or_not', '{{widgets.is_open.parsed.open}}', 'closed', [['equal_to', 'true', 'vip']]),
  split('vip', '{{contact.channel.address}}', 'first', [['matches_any_of', '+15552220001, +15552220002', 'second']]),
  dial('first', '+15553330001', 'first_done', { timeout: 15 }),
  split('first_done', '{{widgets.first.DialCallStatus}}', 'second', [
    ['equal_to', 'completed', 'rate'],
    ['equal_to', 'busy', 'second'],
  ]),
  dial('second', '+15553330002,+15553330003', 'second_done', { noun: 'number-multi', timeout: 20, record: true }),
  split('second_done', '{{widgets.second.DialCallStatus}}', 'sip_desk', [['equal_to', 'completed', 'rate']]),
  dial('sip_desk', '', 'sorry', { noun: 'sip', sip_endpoint: 'sip:desk@pbx.example', caller_id: '+15550001000' }),
  say('closed', 'We are closed. Please call again on the next working day.'),
  say('sorry', 'Nobody is free. We will call you back.', 'tell_team'),
  [
    'tell_team',
    'send-message',
    { from: '+15550001000', to: '+15553330001', body: 'Please call {{contact.channel.address}} back.' },
    { sent: '', failed: '' },
  ],
  ask('rate', 'Please rate this call from 1 to 5.', ['save_rate', '', 'bye'], { number_of_digits: 1 }),
  [
    'save_rate',
    'run-function',
    { url: 'https://hours-1234.twil.io/rate', parameters: [{ key: 'stars', value: '{{widgets.rate.Digits}}' }] },
    { success: 'bye', fail: 'bye' },
  ],
  say('bye', 'Thank you. Goodbye.'),
]);

const billing = exported('Pay a bill', { incomingCall: 'hello' }, [
  ['hello', 'say-play', { play: 'https://media.example/jingle.mp3', loop: 1 }, { audioComplete: 'account' }],
  ask('account', 'Please enter your eight digit account number.', ['identify', '', 'account_again'], {
    number_of_digits: 8,
  }),
  say('account_again', 'We did not hear you.', 'account'),
  [
    'identify',
    'run-subflow',
    {
      flow_sid: 'FW00000000000000000000000000000001',
      flow_revision: 'LatestPublished',
      parameters: [{ key: 'account', value: '{{widgets.account.Digits}}' }],
    },
    { completed: 'balance', failed: 'desk' },
  ],
  [
    'balance',
    'make-http-request',
    {
      method: 'GET',
      content_type: 'application/json;charset=utf-8',
      url: 'https://bank.example/balance',
      parameters: [{ key: 'account', value: '{{widgets.account.Digits}}' }],
    },
    { success: 'owes', failed: 'desk' },
  ],
  split('owes', '{{widgets.balance.parsed.due}}', 'nothing_due', [['greater_than', '0', 'confirm_amount']]),
  say('nothing_due', 'There is nothing to pay. Goodbye.'),
  ask(
    'confirm_amount',
    'You owe {{widgets.balance.parsed.due | round: 2}} dollars. Press 1 to pay by card.',
    ['wants', '', 'desk'],
    { number_of_digits: 1 },
  ),
  split('wants', '{{widgets.confirm_amount.Digits}}', 'desk', [['equal_to', '1', 'pay']]),
  [
    'pay',
    'capture-payments',
    {
      payment_connector: 'Default',
      payment_method: 'CREDIT_CARD',
      payment_amount: '{{widgets.balance.parsed.due}}',
      currency: 'usd',
      security_code: true,
      postal_code: 'false',
      max_attempts: 2,
      timeout: 10,
      payment_token_type: 'reusable',
      valid_card_types: ['visa', 'mastercard'],
    },
    { success: 'paid', maxFailedAttempts: 'desk', providerError: 'desk', payInterrupted: 'desk', hangup: '' },
  ],
  say('paid', 'Thank you for your payment.', 'receipt'),
  [
    'receipt',
    'send-message',
    { from: '{{flow.channel.address}}', to: '{{contact.channel.address}}', body: 'We received your payment.' },
    { sent: '', failed: '' },
  ],
  dial('desk', '+15554440001', ''),
]);

const identify = exported('Identify a customer', { incomingParent: 'find' }, [
  [
    'find',
    'make-http-request',
    {
      method: 'POST',
      content_type: 'application/json;charset=utf-8',
      url: 'https://bank.example/find',
      body: '{"account": "{{trigger.parent.parameters.account}}"}',
    },
    { success: 'pin', failed: 'unknown' },
  ],
  ask('pin', 'Please enter your pin.', ['check', '', 'unknown'], { number_of_digits: 4 }),
  split('check', '{{widgets.pin.Digits}}', 'unknown', [['equal_to', '{{widgets.find.parsed.pin}}', 'right']]),
  say('right', 'Thank you.'),
  say('unknown', 'We could not find you.'),
]);

const bot = exported('Stream and conference', { incomingCall: 'notice' }, [
  say('notice', 'This call is transcribed.', 'fork'),
  [
    'fork',
    'fork-stream',
    {
      stream_action: 'start',
      stream_name: 'notes',
      stream_transport_type: 'websocket',
      stream_url: 'wss://notes.example/media',
      stream_track: 'both_tracks',
    },
    { next: 'extension' },
  ],
  ['extension', 'say-play', { digits: 'w1w2#' }, { audioComplete: 'room' }],
  [
    'room',
    'connect-call-to',
    { noun: 'conference', to: 'Standup {{flow.data.team | upcase}}', timeout: 30 },
    { callCompleted: 'stop', hangup: '' },
  ],
  ['stop', 'fork-stream', { stream_action: 'stop', stream_name: 'notes' }, { next: 'client' }],
  [
    'client',
    'connect-call-to',
    { noun: 'client', to: 'front-desk', caller_id: '{{contact.channel.address}}' },
    { callCompleted: 'answer', hangup: '' },
  ],
  [
    'answer',
    'add-twiml-redirect',
    { url: 'https://app.example/twiml', method: 'POST', timeout: '14400' },
    { return: '', timeout: '', fail: '' },
  ],
]);

export const flows: RealisticFlows['flows'] = {
  ivr: { 'ivr.json': ivr },
  reminder: { 'reminder.json': reminder },
  'order-status': { 'order-status.json': status },
  survey: { 'survey.json': survey },
  'hunt-group': { 'hunt-group.json': hunt },
  billing: { 'billing.json': billing, 'FW00000000000000000000000000000001.json': identify },
  'stream-and-conference': { 'stream-and-conference.json': bot },
};
