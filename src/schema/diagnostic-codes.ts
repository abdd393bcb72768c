/**
 * Every code that a diagnostic of a flow may carry: what it means and what to do. `docs/diagnostics.md` is made of it.
 * Codes are part of what others rely on, in reviews and in filters of `check --json`: they are added, never reused.
 */

export interface DiagnosticCode {
  severity: 'error' | 'warning' | 'error or warning';
  means: string;
  fix: string;
}

type Codes = Readonly<Record<string, DiagnosticCode>>;

const error = (means: string, fix: string): DiagnosticCode => ({ severity: 'error', means, fix });
const warning = (means: string, fix: string): DiagnosticCode => ({ severity: 'warning', means, fix });
const either = (means: string, fix: string): DiagnosticCode => ({ severity: 'error or warning', means, fix });

/** By what the mistake is about, in the order in which a flow is checked. */
export const DIAGNOSTIC_CODES: Readonly<Record<string, Codes>> = {
  'The text': {
    unreadable: error('The file cannot be read, or is larger than any flow.', 'Look at its name and its permissions.'),
    empty: error('The file is empty.', 'Begin with `flow: a-name`.'),
    'not-json': error(
      'A flow that came by REST holds something that is not plain JSON.',
      'Send texts, numbers, booleans, lists and maps only.',
    ),
    'too-big': error(
      'The flow has more text, values or levels than a flow may have; an alias counts each time.',
      'Make several flows of it, and call them with `subflow`.',
    ),
    'yaml-syntax': error(
      'This is not valid YAML.',
      'Often a text with `: ` or `${ … }` that is not in quotes, a tab, or indentation that is off by one.',
    ),
    'yaml-comment': error('A ` #` begins a comment, and swallows what was meant as a value.', 'Write `"#"` in quotes.'),
    'yaml-word': error(
      'Some readers of YAML take `on`, `off`, `yes`, `no` for a boolean, others for a text.',
      'Write it in quotes, or `true` and `false`.',
    ),
    'yaml-number': error(
      'Readers of YAML disagree about this number (`08`, `0x1F`, `1_000`), or it cannot be kept exactly.',
      'Write it in quotes.',
    ),
    'yaml-key': error(
      'A key is missing, or is not a plain word.',
      'Write a word before the colon, in quotes where it is not plain.',
    ),
    'yaml-tag': error('A `!` begins a tag, which means nothing here.', 'Remove it, or quote the value.'),
    'yaml-alias': error('A `*` begins an alias, and there is no such anchor.', 'Write `"*"` in quotes.'),
    'yaml-documents': error('There is more than one document in the file.', 'One flow a file: remove the `---`.'),
    'duplicate-key': error('A map has a key twice; one of the two would be lost.', 'Rename or remove one of them.'),
  },
  'Its shape': {
    'unknown-key': error('The language has no such key here.', 'The hint names the nearest one, or all there are.'),
    'missing-key': error('A key that has to be there is not.', 'Add it; [verbs.md](verbs.md) marks what is required.'),
    'wrong-type': error('A text where a number is asked for, a list where a map is, and so on.', 'See the hint.'),
    'wrong-value': error('The type is right, but the value is not allowed here.', 'The message says which are.'),
    'wrong-name': error(
      'A name has characters that are not allowed in names, or is too long.',
      'Use letters, digits and `_`.',
    ),
    'wrong-keys': error('These keys do not go together, or one of several is needed.', 'The message says which.'),
    duration: error('This is not a duration, or it has no unit.', 'Write `6s`, `500ms` or `2m`.'),
    digit: error('This is not a key of the phone, or it is not in quotes.', 'Write `"1"`, `"*"` or `"#"`.'),
    'missing-verb': error('A step has no verb.', 'Give it one verb.'),
    'two-verbs': error('A step has two verbs.', 'Make two steps of it, the first with `next`.'),
    'unknown-verb': error('There is no such verb.', 'The hint names the nearest one; all are in [verbs.md](verbs.md).'),
    'bad-schema': error(
      'The schema of a variable, an input or an answer is not a usable JSON Schema.',
      'Write draft 2020-12, with patterns without look-around and back references.',
    ),
    'wrong-default': error('The default does not fit the schema beside it.', 'Change one of the two.'),
    'missing-file': error('A file that the flow names is not there.', 'Paths begin at the folder of the flow.'),
    'outside-file': error('A path leads out of the folder of the flow.', 'Put the file into that folder or below it.'),
    'no-files': error('A flow that came by REST names a file or a directory.', 'Write in the flow what it would hold.'),
  },
  Routes: {
    'unknown-target': error('A route leads to a step that is not there.', 'Name a step of this flow, or `$end`.'),
    'unrouted-outcome': error(
      'An outcome leads nowhere: callers who get there would hear silence.',
      'Route it in `exits` of the step, or for all steps in `defaults.exits`.',
    ),
    'unknown-outcome': error(
      'The step can never have this outcome.',
      'The hint names its outcomes; `limit` needs `max_visits`.',
    ),
    'no-success': error(
      '`next` or `when` on a step that has several good outcomes, or none.',
      'Route each by `exits`; put a `branch` before the step instead of `when`.',
    ),
    'routed-twice': error('`next` and `exits` both route the success.', 'Remove one of them.'),
    'unreachable-step': warning('Nothing leads to the step.', 'Route an outcome to it, or remove it.'),
  },
  Loops: {
    'busy-loop': either(
      'Steps that never wait for anything run in a circle; a warning where one of them decides.',
      'Give one of them `max_visits` and route its `limit`.',
    ),
    'unbounded-cycle': error(
      'Steps that need no caller run in a circle, also when the caller has hung up.',
      'Give one of them `max_visits` and route its `limit`.',
    ),
    'silent-loop': warning('Steps run in a circle in which the caller hears nothing.', 'Play something in it.'),
    'cycle-without-end': warning(
      'From here no route leads to an end: only the caller can end the call.',
      'Route an outcome to a step that hangs up or returns.',
    ),
  },
  'Asking and saying': {
    'missing-no-input': warning(
      'A caller who says nothing only hears the question again.',
      'Add `no_input`, to the step or to `defaults.input`.',
    ),
    'missing-no-match': warning(
      'A caller who presses something else only hears the question again.',
      'Add `no_match`, to the step or to `defaults.input`.',
    ),
    'digits-range': error('`min` is more than `max`, or `length` stands beside them.', 'Use one of the two ways.'),
    'bad-pattern': error(
      'The pattern is not a regular expression that can be matched in linear time.',
      'Do without look-around and back references.',
    ),
    'same-digit': error('Two choices of a menu have the same key.', 'Give one of them another.'),
    'same-phrase': error('Two choices of a menu have the same words.', 'Remove them from one.'),
    'overlapping-phrases': warning(
      'Phrases of two choices of a menu differ in short words or in their order only: they are easily confused.',
      'Choose words that sound different.',
    ),
    'missing-prompt': either(
      'There is no prompt of this name; a warning as long as the prompts directory that the flow names is not there.',
      'Add it to `prompts`, or write a text: anything with a space is spoken as it is.',
    ),
    'prompt-language': warning(
      'The prompt is there, but in another language than the step’s.',
      'Add the locale to the prompt.',
    ),
    'wrong-ssml': error(
      'A document of SSML is not well-formed, or has an element or a value that is not taken.',
      'Look at the place that the message names; [speech.md](speech.md#ssml) lists what is taken.',
    ),
    'template-here': error(
      'A prompt of the table holds `${ … }`, and is spoken as it is.',
      'Write the text in the step, where it is filled in.',
    ),
  },
  'Calling others': {
    'same-after-talk': warning(
      'Callers who talked with somebody are routed to the same step as callers who reached nobody.',
      'Route the success to another step.',
    ),
    'both-heard': warning(
      'Two flows that run at the same time both speak to the caller.',
      'Let one of them speak, and the others work.',
    ),
  },
  'Branches and schedules': {
    'branch-without-else': error('No case holds for everything else.', 'End the list with `{ else: a_step }`.'),
    'else-not-last': error('Cases after `else` are never looked at.', 'Put `else` last.'),
    'same-case': error('Two cases have the same name.', 'Rename one.'),
    'unknown-schedule': error(
      'There is no such schedule, in the flow or in the configuration.',
      'Add it under `schedules`.',
    ),
    'unknown-timezone': error('There is no such time zone.', 'Write one of the IANA database: `Europe/Paris`.'),
  },
  Expressions: {
    'template-syntax': error('A `${` is never closed.', 'Add the `}`.'),
    'expression-syntax': error('This is not valid JSONata, or too much of it.', 'See https://docs.jsonata.org/.'),
    'expression-regex': error(
      'The regular expression cannot be matched in linear time.',
      'Do without look-around and back references.',
    ),
    'unknown-scope': error(
      'An expression begins with an unknown name.',
      'Write `vars.x`, `input.x`, `steps.x`, `result`, `call.x` or `env.x`.',
    ),
    'unknown-variable': error('No such variable is declared.', 'Declare it under `vars`.'),
    'unknown-input': error('No such input is declared.', 'Declare it under `input`.'),
    'unknown-step': error('`steps.<name>` names a step that is not there.', 'Name a step of this flow.'),
    'unknown-field': warning('`call` has no such field.', 'See [flows.md](flows.md#values-and-expressions).'),
    'unknown-env': error('The configuration has no such value.', 'Add it under `env` of the configuration.'),
    'no-result': error(
      '`result` is what the step finds, and is not there before.',
      'Use it in `set`, or read `steps.<name>` in a later step.',
    ),
    'compare-types': warning(
      'Values of different types are never equal.',
      'Convert one side: `$number(…)`, `$string(…)`.',
    ),
    'compare-order': warning('These values cannot be ordered: the call fails here.', 'Convert one side.'),
    'not-equal-missing': warning(
      'While one side is missing, `!=` is false, as `=` is.',
      'Write `$not(a = b)`, or ask with `$exists`.',
    ),
    'list-collapses': warning('A list of one element becomes that element.', 'Write `[]` behind the path.'),
  },
  Secrets: {
    'secret-place': error(
      '`secrets` outside of headers and `auth`, or in a flow that came by REST.',
      'Use them in headers and `auth` of `request` and `webhook` only.',
    ),
    'sensitive-leak': either(
      'A sensitive value would be said (a warning), logged, sent in an event, put into a URL or kept in a variable that is not.',
      'Send it in a body or header; declare the variable `sensitive: true`.',
    ),
    'sensitive-kept': warning(
      'A recording, a stream or a transcript goes on while a step takes what is sensitive.',
      'Pause or stop it before that step, and go on after it.',
    ),
  },
  'The world outside': {
    'retry-not-idempotent': warning(
      'A POST or PATCH that is tried again may be done twice.',
      'Add `idempotent: true` if that does no harm, or remove `retry`.',
    ),
    'no-meanwhile': warning(
      'While the service thinks, the caller may hear nothing for more than a second.',
      'Add `meanwhile`, or a `timeout` of a second.',
    ),
  },
  'Other flows': {
    'unknown-flow': error('There is no flow of this name.', 'A flow is called by its `flow:`, not by its file.'),
    'cyclic-subflow': error('Flows call each other in a circle.', 'Let one of them return instead.'),
    'duplicate-flow': error('Two files have a flow of the same name.', 'Rename one.'),
  },
};
