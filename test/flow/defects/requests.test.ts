/** Requests whose body cannot be what it says. */
import { describe, expect, it } from 'vitest';
import { CLINIC, findings, seeded } from './seeded.ts';

const GET = '      get: "https://clinic.example/patients/${ $encodeUrlComponent(vars.patient) }"\n';
const POST = '      post: "https://clinic.example/patients"\n';

describe('forms', () => {
  seeded('two-bodies', [
    [GET, `${POST}      body: {}\n      «form: { patient: "\${ vars.patient }" }\n`],
    [GET, `${POST}      «form: { patient: "\${ vars.patient }" }\n      body: text\n`],
    [GET, `      put: "https://clinic.example/"\n      body: [1]\n      «form: { patient: "\${ vars.patient }" }\n`],
    [GET, `      patch: "https://clinic.example/"\n      «form: { all: true }\n      body: 1\n`],
    [GET, `${POST}      body: null\n      «form: {}\n`],
  ]);
  seeded('form-without-body', [
    [GET, `${GET}      «form: { patient: "\${ vars.patient }" }\n`],
    [GET, `      «form: {}\n${GET}`],
    [GET, '      delete: "https://clinic.example/"\n      «form: { patient: 17 }\n'],
    [GET, '      get: "https://clinic.example/"\n      headers: { a: b }\n      «form: { list: [1, 2] }\n'],
    [GET, '      «form: { a: "${ vars.patient }" }\n      delete: "https://clinic.example/"\n'],
  ]);
});

describe('URLs', () => {
  const url = (written: string): [string, string] => [GET, `      get: ${written}\n`];
  seeded('url-joined?', [
    url('"${ «\'https://clinic.example/patients/\' & vars.patient }"'),
    url('"${ «vars.note & \'/patients/\' & vars.patient }"'),
    url("\"${ «vars.insured ? 'https://clinic.example/' : 'https://clinic.example/' & vars.patient }\""),
  ]);
  seeded('url-from-value?', [
    url('"${ «steps.ask_patient.digits }"'),
    url('"${ «call.from }/patients"'),
    url('"https://${ «call.to }/patients"'),
    url('"${ vars.insured ? env.crm : «steps.look_up.body.next }"'),
    [
      'set: { patient: "${ result.digits }" }',
      'set: { patient: "${ result.digits }", note: "${ result.digits }" }',
      ...url('"${ «vars.note }"'),
    ],
  ]);
  it.each([
    ['a host in a literal', 'get: "https://clinic.example/${ call.from }"'],
    ['a host of the configuration', 'get: "${ env.crm }/patients/${ vars.patient }"'],
    ['a choice between literals', `get: "\${ call.from = '1' ? 'https://a.example/' : 'https://b.example/' }"`],
    ['a literal host joined with a value', `get: "\${ 'https://clinic.example/' & $encodeUrlComponent(call.from) }"`],
    ['a variable that no value from outside is assigned to', 'get: "${ vars.note }"'],
    ['an input', 'get: "${ input.clinic }"'],
  ])('takes %s as a host of the author', (_name, written) => {
    const text = CLINIC.replace(GET.trim(), written);
    expect(findings(text, { env: ['crm'] }).filter((found) => found.includes('url-from-value'))).toEqual([]);
  });
  it.each([
    ['an `enum`', '{ enum: ["https://a.example", "https://b.example"] }'],
    ['a `pattern` with a host', '{ type: string, pattern: "^https://clinic\\\\.example/" }'],
  ])('takes a variable with %s, whose value is checked when it is assigned', (_name, schema) => {
    const text = CLINIC.replace('note: { type: string, default: none }', `note: ${schema}`)
      .replace('set: { patient: "${ result.digits }" }', 'set: { note: "${ result.digits }" }')
      .replace(GET.trim(), 'get: "${ vars.note }"');
    expect(findings(text).filter((found) => found.includes('url-from-value'))).toEqual([]);
  });
  seeded('url-encoded-twice?', [url('"https://clinic.example/patients/${ «$encodeUrl(vars.patient) }"')]);
});

describe('exits of what callers enter', () => {
  const EXITS = 'exits: { collected: look_up, exhausted: message, limit: message }';
  const ASKS = 'collect: { prompt: ask_patient, digits: { length: 6 } }';
  const BOTH = 'collect: { prompt: ask_patient, digits: { length: 6 }, speech: { grammar: digits } }';
  seeded('unknown-outcome', [
    [EXITS, 'exits: { collected: look_up, «speech: look_up, exhausted: message, limit: message }'],
    [EXITS, 'exits: { collected: look_up, «digits: look_up, exhausted: message, limit: message }'],
    [ASKS, BOTH, EXITS, 'exits: { collected: look_up, «keys: look_up, exhausted: message, limit: message }'],
    [
      ASKS,
      BOTH,
      EXITS,
      'exits: { collected: look_up, digits: look_up, «words: look_up, exhausted: message, limit: message }',
    ],
    [
      ASKS,
      BOTH,
      EXITS,
      'exits: { digits: look_up, speech: look_up, «collected: look_up, exhausted: message, limit: message }',
    ],
  ]);
});
