/** Each construct of Twilio Studio once, and how many are imported how. */
import type { Counts } from './counts.ts';

type Widget = [name: string, type: string, properties: object, events?: string[]];
const WIDGETS: Widget[] = [
  ['say', 'say-play', { say: 'Welcome, {{trigger.call.From}}.' }, ['audioComplete']],
  ['keys', 'say-play', { digits: '12#' }, ['audioComplete']],
  ['ask', 'gather-input-on-call', { say: 'Press 1 for sales.', number_of_digits: 1 }, ['keypress', 'timeout']],
  ['sort', 'split-based-on', { input: '{{widgets.ask.Digits}}' }, ['match', 'noMatch']],
  ['voicemail', 'record-voicemail', { max_length: 60, timeout: 4 }, ['recordingComplete', 'noAudio']],
  ['record', 'record-call', { record_call: true }, ['success', 'failed']],
  ['number', 'connect-call-to', { noun: 'number', to: '+15551234567' }, ['callCompleted']],
  ['phone', 'connect-call-to', { noun: 'client', to: 'alice' }, ['callCompleted']],
  ['sip', 'connect-call-to', { noun: 'sip', sip_endpoint: 'sip:a@b.example' }, ['callCompleted']],
  ['meet', 'connect-call-to', { noun: 'conference', to: 'Room 1' }, ['callCompleted']],
  ['orders', 'make-http-request', { method: 'GET', url: 'https://a.example/orders' }, ['success', 'failed']],
  ['run', 'run-function', { url: 'https://f.example/x', parameters: [{ key: 'a', value: 'b' }] }, ['success', 'fail']],
  ['count', 'set-variables', { variables: [{ key: 'tries', value: '{{flow.variables.tries | plus: 1}}' }] }, ['next']],
  ['send', 'send-message', { body: 'Thank you', to: '{{contact.channel.address}}' }, ['sent', 'failed']],
  ['fork', 'fork-stream', { stream_action: 'start', stream_url: 'wss://a.example' }, ['next']],
  ['wait', 'enqueue-call', { queue_name: 'support' }, ['callComplete']],
  ['reply', 'send-and-wait-for-reply', { body: 'Hi' }, ['incomingMessage']],
  ['pay', 'capture-payments', {}, ['success']],
  ['below', 'run-subflow', { flow_sid: 'FW1' }, ['completed']],
  ['flex', 'send-to-flex', {}, ['callComplete']],
  ['markup', 'add-twiml-redirect', { url: 'https://a.example/twiml' }, ['return']],
];

export const text = JSON.stringify({
  description: 'A flow',
  initial_state: 'Trigger',
  states: [
    {
      name: 'Trigger',
      type: 'trigger',
      properties: {},
      transitions: [{ event: 'incomingCall', next: WIDGETS[0]![0] }],
    },
    ...WIDGETS.map(([name, type, properties, events = []], index) => ({
      ...{ name, type, properties },
      transitions: events.map((event) => ({
        ...{ event, next: WIDGETS[index + 1]?.[0] },
        ...(event === 'match' && { conditions: [{ type: 'equal_to', value: '1' }] }),
      })),
    })),
  ],
});

export const counts: Counts = { exact: 21, workaround: 1, todo: 2 };

/** The flow that it calls. */
export const beside: Readonly<Record<string, string>> = {
  'FW1.json': JSON.stringify({
    initial_state: 'Trigger',
    states: [
      { name: 'Trigger', type: 'trigger', properties: {}, transitions: [{ event: 'incomingParent', next: 'hi' }] },
      { name: 'hi', type: 'say-play', properties: { say: 'Hello there.' }, transitions: [] },
    ],
  }),
};
