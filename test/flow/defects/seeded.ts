/**
 * A correct flow of a clinic with seeded defects: each replaces a part of its text, with « before the expected position
 * of the finding.
 */
import { expect, it } from 'vitest';
import type { CompileOptions } from '../../../src/language/flow/compile.ts';
import { brief, checkWhole } from '../check-flow.ts';

export const findings = (text: string, options: CompileOptions = {}): string[] =>
  brief(checkWhole(text, options).diagnostics);

export const CLINIC = `flow: clinic
input:
  clinic: { type: string, default: north }
  beds: { type: integer, default: 0 }
vars:
  patient: { type: string, pattern: "^[0-9]{6}$" }
  visits: { type: integer, default: 0 }
  ward: { enum: [heart, bone, child] }
  insured: { type: boolean, default: false }
  doctors: { type: array, items: { type: object, required: [name, phone], properties: { name: { type: string }, phone: { type: string } }, additionalProperties: false } }
  pick: { type: integer, default: 0 }
  note: { type: string, default: none }
prompts:
  welcome: { en-US: Welcome to the clinic. }
  ask_patient: { en-US: Please enter your patient number of six digits. }
  say_again: { en-US: I did not get that. }
  one_moment: { en-US: One moment please. }
  ward_menu: { en-US: "For the heart ward press 1, for the bone ward press 2." }
  leave_message: { en-US: "Please leave a message after the tone, which we record." }
  goodbye: { en-US: Goodbye. }
  broken: { en-US: Something went wrong. Please call again. }
schedules:
  hours: { timezone: Europe/Paris, open: [{ days: mon-fri, from: "08:00", to: "18:00" }] }
defaults:
  locale: en-US
  input: { attempts: 3, start_timeout: 6s, inter_digit_timeout: 3s, no_input: [say_again], no_match: [say_again] }
  exits: { error: apologise }
events: { hangup: report }
start: greet
steps:
  greet: { play: welcome, next: opening }
  opening: { schedule: hours, exits: { open: ask_patient, closed: message, holiday: message } }
  ask_patient:
    collect: { prompt: ask_patient, digits: { length: 6 } }
    set: { patient: "\${ result.digits }" }
    max_visits: 3
    exits: { collected: look_up, exhausted: message, limit: message }
  look_up:
    request:
      get: "https://clinic.example/patients/\${ $encodeUrlComponent(vars.patient) }"
      timeout: 3s
      meanwhile: one_moment
      returns:
        type: object
        required: [visits]
        properties:
          visits: { type: integer }
          insured: { type: boolean }
          doctors: { type: array, items: { type: object, required: [name, phone], properties: { name: { type: string }, phone: { type: string } }, additionalProperties: false } }
    set: { visits: "\${ result.body.visits }", insured: "\${ result.body.insured = true }", doctors: "\${ [result.body.doctors] }" }
    exits: { ok: count, not_found: ask_patient, failed: message }
  count: { set: { visits: "\${ vars.visits + 1 }", pick: "\${ $count(vars.doctors) - 1 }" }, next: ward }
  ward:
    menu:
      prompt: ward_menu
      choices: { heart: { dtmf: "1" }, bone: { dtmf: "2" } }
    set: { ward: "\${ result.choice }" }
    exits: { heart: by_insurance, bone: by_insurance, exhausted: message }
  by_insurance:
    branch:
      - { when: "vars.insured and vars.visits > 1 and vars.ward = 'heart'", next: ring }
      - { when: "input.beds > 0", next: ring }
      - { else: message }
  ring:
    bridge: { to: "\${ vars.doctors[$$.vars.pick].phone }", ring_timeout: 20s, whisper: "A patient of \${ vars.ward }" }
    exits: { completed: report, failed: message }
  message:
    record: { prompt: leave_message, max_length: 2m, end_silence: 4s }
    set: { note: "\${ result.recording_id }" }
    exits: { recorded: thanks, silence: thanks }
  thanks: { play: goodbye, next: report }
  report:
    notify:
      event: clinic.call
      body:
        patient: "\${ vars.patient }"
        note: "\${ vars.note }"
        clinic: "\${ $uppercase(input.clinic) & '-' & $string(vars.visits) }"
        talked: "\${ steps.ring.duration ? steps.ring.duration : 0 }"
    next: bye
  apologise: { play: broken, exits: { done: bye, error: bye } }
  bye: { hangup: normal }
`;

/** Parts of the text, each with what stands there then. */
export type Defect = readonly string[];

function seed(parts: Defect): string {
  let text = CLINIC;
  for (let at = 0; at < parts.length; at += 2) {
    expect(text.split(parts[at]!).length, `${parts[at]} stands in the flow once`).toBe(2);
    text = text.replace(parts[at]!, () => parts[at + 1]!);
  }
  return text;
}

/** Each defect is found, at its place and alone. */
export function seeded(code: string, defects: readonly Defect[], options: CompileOptions = {}): void {
  it.each(defects.map((parts) => [parts.at(-1)!.trim(), parts] as const))(`reports ${code} for %s`, (_name, parts) => {
    const marked = seed(parts);
    const before = marked.split('«')[0]!.split('\n');
    const place = `${before.length}:${before.at(-1)!.length + 1}`;
    expect(findings(marked.replace('«', ''), options)).toEqual([`${place} ${code}`]);
  });
}
