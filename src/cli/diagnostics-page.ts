/** Generates `docs/diagnostics.md`: all codes of `callweave check` with meaning and remedy. */
import { DIAGNOSTIC_CODES } from '../schema/diagnostic-codes.ts';
import { page } from './schema-tables.ts';

const SHOWN = `\`\`\`
flows/first.flow.yaml:15:14 error unknown-outcome: \`menu\` has no outcome \`wether\`
  15 |     exits: { wether: weather, time: time, exhausted: bye, error: bye }
     |              ^
  hint: did you mean weather?
\`\`\``;

export function diagnosticsPage(): string {
  return page(
    '# What check says',
    '<!-- Made of src/schema/diagnostic-codes.json by `callweave reference diagnostics`: edit that, then make it again. -->',
    '`callweave check` says what is wrong with a flow, where, and mostly what to do:',
    SHOWN,
    'A flow with an error does not compile, so that it never meets a caller. A warning means that a flow works, but that callers will not like it; `check --strict` refuses it, too. `check --json` gives the same as data, `severity`, `code`, `message`, `file`, `line`, `column`, `hint` and, where the repair is obvious, `fix`, which `check --fix` makes in the file. What a file has in several places is reported once, the other places as `also`. A mistake in the shape of a step keeps that step from being judged, not the others. REST answers a flow that does not compile with the same list. Configurations and tests are checked in the same way.',
    ...Object.entries(DIAGNOSTIC_CODES).flatMap(([title, codes]) => [
      `## ${title}`,
      [
        '| code | | what it means | what to do |',
        '|---|---|---|---|',
        ...Object.entries(codes).map(
          ([code, { severity, means, fix }]) => `| \`${code}\` | ${severity} | ${means} | ${fix} |`,
        ),
      ].join('\n'),
    ]),
  );
}
