/** Each construct of SWML once, and how many are imported how. */
import type { Counts } from './counts.ts';

export const text = `version: 1.0.0
sections:
  main:
    - answer
    - label: top
    - play: { url: "say: Welcome to Example." }
    - prompt: { play: "say: Press 1 for sales." }
    - set: { tries: 3 }
    - cond: [{ when: "prompt_value == 1", then: [hangup] }]
    - switch: { variable: prompt_value, case: { "2": [hangup] } }
    - request: { url: "https://a.example/x", save_variables: true }
    - connect: { to: "+15557654321" }
    - record: { max_length: 30, end_silence_timeout: 3 }
    - record_call: {}
    - tap: { uri: "wss://a.example/s" }
    - sleep: 1500
    - send_digits: { digits: "1w2#" }
    - join_conference: { name: Room 1 }
    - sip_refer: { to_uri: "sip:bob@example.com" }
    - execute: { dest: other }
    - ai: { prompt: { text: Hello } }
    - pay: { payment_connector_url: "https://a.example/pay" }
    - send_sms: { to_number: "+15551234567", from_number: "+15551234560", body: Hi }
    - send_fax: { document: "https://a.example/a.pdf" }
    - goto: { label: top, max: 3 }
    - transfer: other
  other:
    - return: 1
`;

export const counts: Counts = { exact: 24, workaround: 1, todo: 1 };
