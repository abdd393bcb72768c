/** Flows of Twilio Studio in the shapes of its exports: each widget has all of the keys that the editor writes. */
import { type Random, randomOf } from './generator.ts';

type Properties = Readonly<Record<string, unknown>>;
/** Type, events that lead on, and properties as the editor writes them. */
type Widget = readonly [type: string, events: readonly string[], properties: Properties];

const voice = { voice: 'Polly.Amy', language: 'en-GB' };
const WIDGETS: readonly Widget[] = [
  [
    'say-play',
    ['audioComplete'],
    { ...voice, say: 'Welcome to {{flow.variables.shop}}.', loop: 1, play: '', digits: '' },
  ],
  ['say-play', ['audioComplete'], { play: 'https://media.example.org/{{flow.variables.sound}}.mp3', loop: 1 }],
  [
    'gather-input-on-call',
    ['keypress', 'speech', 'timeout'],
    {
      ...voice,
      ...{
        say: 'Press one for orders, or say orders.',
        loop: 2,
        timeout: 5,
        finish_on_key: '#',
        stop_gather: true,
        number_of_digits: 1,
      },
      ...{
        speech_timeout: 'auto',
        hints: 'orders,returns',
        gather_language: 'en-GB',
        profanity_filter: 'true',
        speech_model: 'default',
      },
    },
  ],
  ['split-based-on', ['noMatch', 'match', 'match'], { input: '{{widgets.w2.Digits}}' }],
  [
    'connect-call-to',
    ['callCompleted', 'hangup'],
    {
      noun: 'number',
      to: '+15085550177',
      caller_id: '{{contact.channel.address}}',
      timeout: 30,
      sip_endpoint: '',
      sip_username: '',
      sip_password: '',
      record: true,
    },
  ],
  [
    'connect-call-to',
    ['callCompleted', 'hangup'],
    { noun: 'sip', sip_endpoint: 'sip:desk@shop.example.org', caller_id: '+15085550155', timeout: 20 },
  ],
  [
    'connect-call-to',
    ['callCompleted'],
    { noun: 'number-multi', to: '+15085550177,+15085550178', caller_id: '{{contact.channel.address}}', timeout: 30 },
  ],
  [
    'record-voicemail',
    ['recordingComplete', 'noAudio', 'hangup'],
    {
      ...{ transcribe: false, play_beep: 'true', trim: 'trim-silence', timeout: 5, finish_on_key: '#', max_length: 60 },
      ...{ recording_status_callback_url: 'https://app.example.org/r', transcription_callback_url: '' },
    },
  ],
  [
    'record-call',
    ['success', 'failed'],
    {
      record_call: true,
      trim: 'do-not-trim',
      recording_channels: 'mono',
      recording_status_callback: 'https://app.example.org/r',
      recording_status_callback_method: 'POST',
      recording_status_callback_events: 'completed',
    },
  ],
  [
    'make-http-request',
    ['success', 'failed'],
    {
      method: 'GET',
      url: 'https://app.example.org/orders',
      content_type: 'application/x-www-form-urlencoded;charset=utf-8',
      parameters: [{ key: 'from', value: '{{contact.channel.address}}' }],
      add_twilio_auth: false,
      timeout: 4000,
    },
  ],
  [
    'make-http-request',
    ['success', 'failed'],
    {
      method: 'POST',
      url: 'https://app.example.org/orders',
      content_type: 'application/json;charset=utf-8',
      body: '{"order": "{{widgets.w2.Digits}}"}',
    },
  ],
  [
    'run-function',
    ['success', 'fail'],
    {
      service_sid: 'ZS0',
      environment_sid: 'ZE0',
      function_sid: 'ZH0',
      url: 'https://shop.twil.example/find',
      parameters: [{ key: 'order', value: '{{widgets.w2.Digits}}' }],
      timeout: 5000,
    },
  ],
  [
    'set-variables',
    ['next'],
    {
      variables: [
        { key: 'shop', value: 'the corner shop', index: '0', type: 'string' },
        { key: 'tries', value: '{{flow.variables.tries | plus: 1}}', index: '1', type: 'number' },
      ],
    },
  ],
  [
    'set-variables',
    ['next'],
    {
      variables: [
        {
          key: 'part',
          value:
            "{% assign hour = 'now' | date: '%H' %}{% case hour %}{% when '09', '10' %}morning{% else %}day{% endcase %}",
        },
      ],
    },
  ],
  [
    'enqueue-call',
    ['callComplete', 'failedToEnqueue', 'callFailure'],
    {
      queue_name: 'orders',
      workflow_sid: '',
      wait_url: 'https://media.example.org/wait.mp3',
      wait_url_method: 'POST',
      priority: 0,
      timeout: 0,
      task_attributes: '',
    },
  ],
  [
    'send-to-flex',
    ['callComplete', 'failedToEnqueue', 'callFailure'],
    {
      workflow: 'WW0',
      channel: 'TC0',
      attributes: '{"type": "order"}',
      priority: 3,
      timeout: 300,
      waitUrl: '',
      waitUrlMethod: 'GET',
    },
  ],
  [
    'fork-stream',
    ['next'],
    {
      stream_action: 'start',
      stream_url: 'wss://bot.example.org/audio',
      stream_track: 'both_tracks',
      stream_name: 's1',
      stream_transport_type: 'websocket',
      stream_connector: '',
      stream_parameters: [{ key: 'a', value: 'b' }],
    },
  ],
  [
    'send-message',
    ['sent', 'failed'],
    {
      service: '{{trigger.message.InstanceSid}}',
      channel: '{{trigger.message.ChannelSid}}',
      from: '{{flow.channel.address}}',
      to: '{{contact.channel.address}}',
      body: 'Your order is on its way.',
    },
  ],
  [
    'capture-payments',
    ['success', 'maxFailedAttempts', 'providerError', 'payInterrupted', 'hangup', 'validationError'],
    {
      ...{
        payment_connector: 'Default',
        payment_method: 'CREDIT_CARD',
        payment_token_type: 'ONE_TIME',
        payment_amount: '12.00',
        currency: 'usd',
      },
      ...{
        description: 'Order',
        timeout: 5,
        max_attempts: 2,
        security_code: true,
        postal_code: 'false',
        valid_card_types: ['visa', 'mastercard'],
        language: 'en-US',
      },
    },
  ],
];

const CONDITIONS = [
  { type: 'equal_to', value: '1' },
  { type: 'less_than', value: '{{flow.variables.most}}' },
  { type: 'matches_any_of', value: 'orders, returns' },
  { type: 'contains', value: 'ord' },
];

/** Each widget leads to the next one, or to any of them if there is a source of chance. */
function flowOf(widgets: readonly Widget[], random?: Random): string {
  const names = widgets.map((_each, index) => `w${index + 1}`);
  const states = widgets.map(([type, events, properties], index) => {
    const next = (): string => (random === undefined ? names[index + 1] : random.pick(names)) ?? names[0]!;
    const transitions = events.map((event, at) => {
      if (event !== 'match') return random?.once(4) ? { event } : { next: next(), event };
      const condition = CONDITIONS[(index + at) % CONDITIONS.length]!;
      const input = String(properties['input']);
      return { next: next(), event, conditions: [{ friendly_name: 'If it is so', arguments: [input], ...condition }] };
    });
    return { name: names[index], type, transitions, properties: { offset: { x: index * 100, y: 40 }, ...properties } };
  });
  const trigger = {
    ...{ name: 'Trigger', type: 'trigger', properties: { offset: { x: 0, y: 0 } } },
    transitions: [
      { event: 'incomingMessage' },
      { next: 'w1', event: 'incomingCall' },
      { event: 'incomingRequest' },
      { event: 'incomingParent' },
    ],
  };
  return JSON.stringify(
    {
      description: 'A shop',
      states: [trigger, ...states],
      initial_state: 'Trigger',
      flags: { allow_concurrent_calls: true },
    },
    null,
    2,
  );
}

function generated(seed: number): string {
  const random = randomOf(seed);
  const [, , ask] = WIDGETS;
  const picked = Array.from({ length: 9 }, () => random.pick(WIDGETS));
  return flowOf([picked[0]!, ask!, ...picked.slice(1)], random);
}

export const documents: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'each widget with all of its keys': { 'start.json': flowOf([WIDGETS[0]!, WIDGETS[2]!, ...WIDGETS.slice(2)]) },
  ...Object.fromEntries(
    Array.from({ length: 12 }, (_each, index) => [`generated ${index + 1}`, { 'start.json': generated(500 + index) }]),
  ),
};
