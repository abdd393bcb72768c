import { describe, expect, it } from 'vitest';
import { CLINIC, findings, seeded } from './seeded.ts';

it('accepts the flow without a mistake', () => {
  expect(findings(CLINIC)).toEqual([]);
});

const COUNT = '"${ vars.visits + 1 }"';
const TALKED = '"${ steps.ring.duration ? steps.ring.duration : 0 }"';

describe('expressions without a value', () => {
  seeded('wrong-operand', [
    [COUNT, '"${ vars.ward «+ 1 }"'],
    [COUNT, '"${ vars.visits «+ call.from }"'],
    [COUNT, '"${ vars.visits «* steps.ask_patient.digits }"'],
    [COUNT, '"${ 1 «- vars.insured }"'],
    [TALKED, '"${ «-input.clinic }"'],
    [TALKED, '"${ ($base := vars.note; $base «/ 2) }"'],
  ]);
});

describe('functions', () => {
  seeded('unknown-function', [
    ['$uppercase(', '«$uppercas('],
    ['$uppercase(', '«$toUpperCase('],
    ['$count(', '«$size('],
    ['$string(', '«$str('],
    ['$encodeUrlComponent(', '«$urlencode('],
    ['$string(vars.visits)', "«$eval('1')"],
  ]);
  seeded('wrong-argument', [
    ['$uppercase(input.clinic)', '$uppercase(«input.beds)'],
    ['$uppercase(input.clinic)', '«$uppercase(input.clinic, input.clinic)'],
    ['$uppercase(input.clinic)', '$substring(input.clinic, «vars.note)'],
    ['$uppercase(input.clinic)', '$join(«vars.doctors)'],
    ['$string(vars.visits)', '$length(«vars.visits)'],
    [TALKED, '"${ $sum(«vars.doctors.name) }"'],
    [TALKED, '"${ «$power(2) }"'],
  ]);
  seeded('unknown-local?', [
    [TALKED, '"${ ($n := 1; «$m) }"'],
    [TALKED, '"${ ($total := 1; «$totl + 1) }"'],
    [TALKED, '"${ $map(vars.doctors, function($d) { «$doctor.name }) }"'],
    [TALKED, '"${ «$visits }"'],
    [TALKED, '"${ (vars.visits ~> $string) & «$suffix }"'],
  ]);
});

describe('fields', () => {
  seeded('unknown-field?', [
    ['${ result.digits }', '${ result.«digit }'],
    ['result.body.visits }', 'result.«bdy.visits }'],
    ['result.body.insured =', 'result.body.«insurd ='],
    ['result.recording_id', 'result.«id'],
    ['${ result.choice }', '${ result.«choise }'],
    [TALKED, '"${ steps.ring.«talked }"'],
    [TALKED, '"${ steps.ask_patient.«digit }"'],
    [TALKED, '"${ steps.greet.«duration }"'],
    [TALKED, '"${ steps.look_up.body.«visit }"'],
    [TALKED, '"${ vars.doctors.«fone }"'],
    [TALKED, '"${ vars.patient.«digits }"'],
    [TALKED, '"${ «call.form }"'],
    [TALKED, '"${ vars.doctors[«city = \'Paris\'].name }"'],
    [TALKED, '"${ steps.message.«seconds }"'],
  ]);
  seeded('name-in-item?', [
    ['[$$.vars.pick]', '[«vars.pick]'],
    ['[$$.vars.pick]', '[$$.vars.pick][name = «vars.note]'],
    ['vars.doctors[$$.vars.pick].phone', 'vars.doctors[$$.vars.pick].(name = «vars.note ? phone)'],
    ['[$$.vars.pick]', '[$$.vars.pick][«input.beds]'],
    ['[$$.vars.pick]', '[$$.vars.pick][phone = «call.from]'],
  ]);
});

describe('comparisons', () => {
  const WARD = "vars.ward = 'heart'";
  seeded('compare-value?', [
    [WARD, "vars.ward «= 'hart'"],
    [WARD, "vars.ward «= 'Heart'"],
    [WARD, "'kidney' «= vars.ward"],
    [WARD, "steps.ward.choice «= 'brain'"],
    [WARD, "call.direction «= 'incoming'"],
  ]);
  seeded('compare-types?', [
    [WARD, 'vars.ward «= 1'],
    [WARD, "vars.visits «= '1'"],
    [WARD, 'vars.patient «= null'],
    [WARD, "vars.insured «= 'true'"],
    [WARD, "$count(vars.doctors) «= '2'"],
    [WARD, '$string(vars.visits) «= 2'],
  ]);
  seeded('compare-order?', [
    ['input.beds > 0', "input.beds «> '0'"],
    ['input.beds > 0', 'call.from «> 0'],
    ['input.beds > 0', 'vars.note «>= 10'],
    ['input.beds > 0', "$length(vars.note) «< '3'"],
    ['input.beds > 0', '0 «< $string(input.beds)'],
  ]);
  seeded('not-equal-missing?', [
    [WARD, "vars.ward «!= 'bone'"],
    [WARD, "vars.patient «!= '000000'"],
    [WARD, "steps.ward.choice «!= 'bone'"],
    [WARD, 'steps.look_up.status «!= 200'],
    [WARD, "'bone' «!= vars.ward"],
  ]);
});

describe('assignments', () => {
  seeded('never-fits', [
    ['visits: "${ result.body.visits }"', 'visits: «"${ $string(result.body.visits) }"'],
    ['visits: "${ vars.visits + 1 }"', 'visits: «"${ vars.visits + 1 } times"'],
    ['ward: "${ result.choice }"', 'ward: «surgery'],
    ['ward: "${ result.choice }"', 'ward: «result.choice'],
    ['ward: "${ result.choice }"', "ward: «\"${ result.choice = 'heart' ? 'hart' : 'bones' }\""],
    ['insured: "${ result.body.insured = true }"', 'insured: «"yes"'],
    ['doctors: "${ [result.body.doctors] }"', 'doctors: «"${ $count(result.body.doctors) }"'],
    ['patient: "${ result.digits }"', 'patient: «12'],
    ['pick: "${ $count(vars.doctors) - 1 }"', 'pick: «1.5'],
    ['ring_timeout: 20s', 'ring_timeout: «"${ vars.visits > 1 }"'],
    ['ring_timeout: 20s', 'ring_timeout: «"${ vars.insured }"'],
    ['play: goodbye', 'play: «"${ vars.doctors[0] }"'],
    ['whisper: "A patient of ${ vars.ward }"', 'whisper: «"${ vars.doctors[0] }"'],
  ]);
  seeded(
    'unknown-env',
    [
      [TALKED, '"${ «env.CLINIK }"'],
      [TALKED, '"${ «env.clinic }"'],
      [TALKED, '"${ $uppercase(«env.NAME) }"'],
      ['https://clinic.example/patients/', 'https://${ «env.HOST }/patients/'],
      ['A patient of ${ vars.ward }', 'A patient of ${ «env.WARD }'],
    ],
    { env: ['CLINIC'] },
  );
});
