/** Generates `docs/diagnostics.md`: all codes of `callweave check` with meaning and remedy. */
import { DIAGNOSTIC_CODES } from '../base/schema/diagnostic-codes.ts';
import { page } from './schema-tables.ts';

const SHOWN = `\`\`\`
flows/first.flow.yaml:15:14 error unknown-outcome: \`menu\` has no outcome \`wether\`
  15 |     exits: { wether: weather, time: time, exhausted: bye, error: bye }
     |              ^
  hint: did you mean weather?
\`\`\``;

export function diagnosticsPage(): string {
  return page(
    '# Diagnostics',
    '<!-- Made of src/base/schema/diagnostic-codes.json by `callweave reference diagnostics`: edit that, then make it again. -->',
    '`callweave check` reports errors and warnings of flows with their location and usually a hint:',
    SHOWN,
    'A flow with an error does not compile, and calls cannot use it. A flow with a warning works, but callers are likely to have a problem; `check --strict` treats warnings as errors. `check --json` prints the same data: `severity`, `code`, `message`, `file`, `line`, `column`, `hint` and, for an obvious repair, `fix`, which `check --fix` applies. A diagnostic that occurs in several places of a file is reported once, with the other places in `also`. A step with a syntax error is not checked further; the other steps are. REST returns the same list for a flow that does not compile. Configurations and tests are checked in the same way.',
    ...Object.entries(DIAGNOSTIC_CODES).flatMap(([title, codes]) => [
      `## ${title}`,
      [
        '| code | severity | meaning | fix |',
        '|---|---|---|---|',
        ...Object.entries(codes).map(
          ([code, { severity, means, fix }]) => `| \`${code}\` | ${severity} | ${means} | ${fix} |`,
        ),
      ].join('\n'),
    ]),
  );
}
