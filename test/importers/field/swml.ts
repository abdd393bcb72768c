/** SWML in the shapes of the public documentation, with the keys that it lists. */
import { type Documented, madeOf, type Random, randomOf } from './generator.ts';

const say = { say_voice: 'gcloud.en-GB-Neural2-B', say_language: 'en-GB', say_gender: 'female', volume: 0 };
const recording = {
  stereo: false,
  format: 'wav',
  direction: 'both',
  beep: true,
  status_url: 'https://app.example.org/status',
};

const METHODS: readonly Documented[] = [
  { name: 'answer', required: {}, optional: { max_duration: 14400, codecs: 'PCMU,PCMA' } },
  {
    name: 'play',
    required: { url: 'say: Thank you for calling the harbour.' },
    optional: { ...say, auto_answer: true },
  },
  {
    name: 'play',
    required: { urls: ['https://media.example.org/bell.mp3', 'silence: 1.5', 'say: Two bells.'] },
    optional: say,
  },
  {
    name: 'prompt',
    required: { play: 'say: Press one for tides, two for weather.' },
    optional: {
      ...say,
      ...{ max_digits: 1, terminators: '#', digit_timeout: 3, initial_timeout: 6, speech_timeout: 30 },
      ...{ speech_end_timeout: 1, speech_language: 'en-GB', speech_hints: ['tides', 'weather'] },
    },
  },
  {
    name: 'record',
    required: {},
    optional: {
      ...recording,
      terminators: '#',
      max_length: 60,
      initial_timeout: 4,
      end_silence_timeout: 3,
      input_sensitivity: 44,
    },
  },
  {
    name: 'record_call',
    required: {},
    optional: { ...recording, control_id: 'all', max_length: 3600, direction: 'speak' },
  },
  { name: 'stop_record_call', required: {}, optional: { control_id: 'all' } },
  {
    name: 'connect',
    required: { to: '+442071838750' },
    optional: {
      ...{ from: '+442071838751', timeout: 20, max_duration: 3600, answer_on_bridge: true, ringback: ['ring:us'] },
      ...{ headers: [{ name: 'X-Berth', value: '7' }], codecs: 'PCMU', webrtc_media: false, session_timeout: 600 },
      ...{ call_state_url: 'https://app.example.org/state', call_state_events: ['answered', 'ended'] },
      result: {
        variable: 'connect_result',
        case: { connected: ['hangup'] },
        default: [{ play: { url: 'say: Nobody is there.' } }],
      },
    },
  },
  {
    name: 'connect',
    required: { serial: [{ to: '+442071838752' }, { to: 'sip:quay@pbx.example.org' }] },
    optional: { timeout: 15, max_duration: 600 },
  },
  {
    name: 'connect',
    required: { parallel: [{ to: '+442071838752' }, { to: '+442071838753' }] },
    optional: { from: '+442071838751' },
  },
  {
    name: 'request',
    required: { url: 'https://app.example.org/tides', method: 'POST' },
    optional: {
      ...{
        headers: { 'X-Key': 'k' },
        body: { port: '%{call.to}' },
        timeout: 5,
        connect_timeout: 2,
        save_variables: true,
      },
      result: [
        Object.fromEntries([
          ['when', 'request_response_code == 200'],
          ['then', [{ play: { url: 'say: It is high water.' } }]],
        ]),
        { else: ['hangup'] },
      ],
    },
  },
  {
    name: 'send_sms',
    required: { to_number: '%{call.from}', from_number: '+442071838751', body: 'High water at nine.' },
    optional: { region: 'us', tags: ['tides'] },
  },
  {
    name: 'tap',
    required: { uri: 'wss://app.example.org/tap' },
    optional: {
      control_id: 't1',
      direction: 'both',
      codec: 'PCMU',
      rtp_ptime: 20,
      status_url: 'https://app.example.org/s',
    },
  },
  { name: 'stop_tap', required: {}, optional: { control_id: 't1' } },
  { name: 'sleep', required: { duration: 1500 }, optional: {} },
  { name: 'send_digits', required: { digits: '12W34#' }, optional: {} },
  {
    name: 'join_conference',
    required: { name: 'bridge-of-the-ship' },
    optional: {
      muted: true,
      beep: 'onEnter',
      start_on_enter: false,
      end_on_exit: true,
      max_participants: 12,
      record: 'do-not-record',
      wait_url: 'https://media.example.org/w.mp3',
      status_callback: 'https://app.example.org/c',
    },
  },
  {
    name: 'sip_refer',
    required: { to_uri: 'sip:pilot@pbx.example.org' },
    optional: {
      status_url: 'https://app.example.org/r',
      result: { variable: 'sip_refer_result', case: { success: ['hangup'] } },
    },
  },
  { name: 'set', required: { berth: 7, ship: '%{vars.name}' }, optional: { tide: 'high' } },
  { name: 'unset', required: { vars: ['berth'] }, optional: {} },
  {
    name: 'execute',
    required: { dest: 'menu' },
    optional: { params: { port: 'west' }, meta: { a: 1 }, on_return: [{ play: { url: 'say: Back again.' } }] },
  },
  {
    name: 'pay',
    required: { payment_connector_url: 'https://app.example.org/pay', charge_amount: '20.45' },
    optional: {
      ...{
        currency: 'gbp',
        description: 'Mooring',
        language: 'en-GB',
        max_attempts: 3,
        postal_code: false,
        security_code: true,
      },
      ...{
        timeout: 8,
        valid_card_types: 'visa mastercard',
        status_url: 'https://app.example.org/p',
        input: 'dtmf',
        voice: 'woman',
      },
      prompts: [
        { for: 'payment-card-number', actions: [{ type: 'Say', phrase: 'Your card number, please.' }], attempts: '1' },
        {
          for: 'payment-card-number',
          error_type: 'invalid-card-number',
          actions: [{ type: 'Say', phrase: 'That is no card number.' }],
        },
      ],
    },
  },
  { name: 'user_event', required: { event: { type: 'moored', berth: 7 } }, optional: {} },
  { name: 'detect_machine', required: {}, optional: { timeout: 20, wait: true, detectors: 'amd,fax' } },
  { name: 'denoise', required: {}, optional: {} },
  {
    name: 'enter_queue',
    required: { queue_name: 'pilots' },
    optional: { wait_url: 'https://media.example.org/w.mp3', status_url: 'https://app.example.org/q' },
  },
];

const methodOf = (random: Random): object => {
  const method = random.pick(METHODS);
  return { [method.name]: madeOf(random, method) };
};

function branchOf(random: Random): object {
  const list = (): object[] => Array.from({ length: 2 }, () => methodOf(random));
  const way = (when: string): object =>
    Object.fromEntries([
      ['when', when],
      ['then', list()],
    ]);
  return random.once(2)
    ? { cond: [way('vars.berth > 3'), way("ship == 'Argo'"), { else: list() }] }
    : { switch: { variable: 'prompt_value', case: { '1': list(), '2': list() }, default: list() } };
}

const menu = [{ play: { url: 'say: The menu of the %{params.port} harbour.' } }, { return: { done: true } }];

function generated(seed: number): Record<string, string> {
  const random = randomOf(seed);
  const main = Array.from({ length: 10 }, () => (random.once(4) ? branchOf(random) : methodOf(random)));
  return {
    'start.json': JSON.stringify({ version: '1.0.0', sections: { main: [{ label: 'top' }, ...main], menu } }, null, 1),
  };
}

export const documents: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'each method with all of its keys': {
    'start.json': JSON.stringify(
      {
        version: '1.0.0',
        sections: {
          main: METHODS.map(({ name, required, optional }) => ({ [name]: { ...required, ...optional } })),
          menu,
        },
      },
      null,
      2,
    ),
  },
  'a transfer by SIP whose result decides': {
    'start.yaml': `version: 1.0.0
sections:
  main:
    - answer: {}
    - sip_refer:
        to_uri: sip:pilot@pbx.example.org
    - switch:
        variable: sip_refer_result
        case:
          success: [hangup]
        default:
          - play: { url: "say: The pilot cannot be reached." }
`,
  },
  ...Object.fromEntries(
    Array.from({ length: 12 }, (_each, index) => [`generated ${index + 1}`, generated(300 + index)]),
  ),
};
