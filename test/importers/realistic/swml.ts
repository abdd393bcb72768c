/** SWML as people write it, by hand and in YAML. */
import type { Counts } from '../corpus/counts.ts';
import type { RealisticFlows } from './realistic-flows.ts';

export const counts: Counts = { exact: 78, workaround: 1, todo: 1 };

const document = (sections: string): string => `version: 1.0.0\nsections:\n${sections}`;

export const flows: RealisticFlows['flows'] = {
  // The menu that every introduction has.
  'phone-menu': {
    'menu.yaml': document(`  main:
    - answer: {}
    - set: { tries: 0 }
    - label: menu
    - prompt:
        play: "say: Press 1 for sales, 2 for support, or 3 to leave a message."
        max_digits: 1
        initial_timeout: 8
    - switch:
        variable: prompt_value
        case:
          "1":
            - transfer: sales
          "2":
            - transfer: support
          "3":
            - transfer: voicemail
        default:
          - set: { tries: "%{vars.tries + 1}" }
          - play: "say: Sorry, that is not one of the keys."
    - goto: { label: menu, when: "vars.tries < 3", max: 3 }
    - play: "say: Please call again later."
    - hangup
  sales:
    - play: "say: We connect you with sales."
    - connect:
        to: "+15551230001"
        timeout: 20
        result:
          - when: "connect_result != 'connected'"
            then:
              - transfer: voicemail
    - hangup
  support:
    - play: "say: We connect you with support."
    - connect:
        from: "+15551230000"
        timeout: 20
        serial: [{ to: "sip:desk@pbx.example.com" }, { to: "+15551230002" }]
    - transfer: voicemail
  voicemail:
    - play: "say: Please leave a message after the tone."
    - record: { beep: true, end_silence_timeout: 5, max_length: 120, terminators: "#" }
    - play: "say: Thank you. Goodbye."
    - hangup
`),
  },

  // Looks up the caller.
  'known-callers': {
    'callers.yaml': document(`  main:
    - answer
    - request:
        url: https://crm.example.com/callers
        method: POST
        headers: { X-Source: telephone }
        body: { number: "%{call.from}" }
        timeout: 3
        save_variables: true
    - cond:
        - when: "request_result == 'success' && request_response.name"
          then:
            - play: "say: Welcome back, %{request_response.name}."
        - else:
            - play: "say: Welcome to Example."
    - switch:
        variable: request_response.tier
        case:
          gold:
            - connect: { to: "+15551230009", timeout: 30 }
        default:
          - connect: { to: "+15551230001", timeout: 30 }
    - play: "say: Nobody could take your call."
    - send_sms:
        to_number: "%{call.from}"
        from_number: "+15551230000"
        body: "We missed your call. We call you back."
    - hangup
`),
  },

  // Sections as functions.
  'reading-a-number': {
    'numbers.yaml': document(`  main:
    - execute:
        dest: ask
        params: { question: "Please enter your order number, then press hash.", digits: 6 }
    - set: { order: "%{return_value}" }
    - execute:
        dest: ask
        params: { question: "Please enter your postal code, then press hash.", digits: 5 }
        on_return:
          - set: { postal_code: "%{return_value}" }
    - cond:
        - when: "order && postal_code"
          then:
            - play: "say: Your order %{order} will be delivered to %{postal_code}."
        - else:
            - play: "say: We need both. Goodbye."
    - hangup
  ask:
    - prompt:
        play: "say: %{params.question}"
        max_digits: 6
        terminators: "#"
        digit_timeout: 4
    - return: "%{prompt_value}"
`),
  },

  // Recorded and sent to a program.
  'recorded-support': {
    'support.yaml': document(`  main:
    - answer
    - play: "say: This call is recorded."
    - record_call: { format: wav, stereo: true }
    - tap: { uri: "wss://listen.example.com/support", direction: both }
    - connect:
        parallel:
          - to: "sip:anna@pbx.example.com"
          - to: "sip:bert@pbx.example.com"
        timeout: 25
        result:
          case:
            connected:
              - play: "say: Thank you for calling."
          default:
            - play: "say: Nobody is there."
    - stop_tap: {}
    - stop_record_call: {}
    - hangup
`),
  },

  // By voice.
  'by-voice': {
    'voice.yaml': document(`  main:
    - prompt:
        play:
          - "say: Hello."
          - "silence: 0.5"
          - "say: Which department do you want?"
        say_voice: gcloud.en-US-Wavenet-C
        speech_language: en-US
        speech_end_timeout: 1
        speech_hints: [sales, support, accounts]
    - cond:
        - when: "prompt_result == 'no_input'"
          then:
            - play: "say: We heard nothing. Goodbye."
            - hangup
        - when: "prompt_value.toLowerCase() == 'sales'"
          then:
            - connect: { to: "+15551230001" }
        - when: "prompt_value.toLowerCase() == 'support'"
          then:
            - connect: { to: "+15551230002" }
        - else:
            - play: "say: We connect you with the operator."
            - connect: { to: "+15551230000" }
    - hangup
`),
  },

  // A conference, and a payment.
  'meeting-and-payment': {
    'evening.yaml': document(`  main:
    - answer
    - sleep: 500
    - prompt: { play: "say: For the meeting press 1. To pay press 2.", max_digits: 1 }
    - switch:
        variable: prompt_value
        case:
          "1":
            - join_conference: { name: evening, start_on_enter: true, max_participants: 20 }
          "2":
            - pay:
                payment_connector_url: https://pay.example.com/connector
                charge_amount: "20.00"
                currency: usd
                postal_code: false
            - cond:
                - when: "pay_result == 'success'"
                  then:
                    - play: "say: Thank you for your payment."
                - else:
                    - play: "say: The payment was not taken."
    - hangup
`),
  },

  // An agent of the service, and a fax for those who still have one.
  'agent-and-fax': {
    'agent.yaml': document(`  main:
    - prompt: { play: "say: To talk with our assistant press 1. For our price list by fax press 2.", max_digits: 1 }
    - cond:
        - when: "prompt_value == '1'"
          then:
            - ai:
                prompt: { text: "You answer questions on our products. Be short and friendly." }
        - when: "prompt_value == '2'"
          then:
            - send_fax: { document: "https://example.com/prices.pdf" }
    - sip_refer: { to_uri: "sip:office@carrier.example.com" }
    - hangup
`),
  },
};
