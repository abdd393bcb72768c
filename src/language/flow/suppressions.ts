/**
 * Silenced warnings, each with the author's reason: `check: { code: reason }` at a step, or at the flow for its
 * declarations. Errors cannot be silenced: such a flow does not compile.
 */
import { quoting } from '../../base/core/diagnostic.ts';
import { isObject, type JsonObject } from '../../base/core/json.ts';
import { childPointer, type Issue, keyIssue, pointerKeys, severityOf } from '../../base/schema/document.ts';

/** Returns the findings that are not silenced, and reports the suppressions without one. */
export function withoutSuppressed(root: JsonObject, issues: readonly Issue[]): { issues: Issue[]; unused: Issue[] } {
  const suppressions = new Map<string, Set<string>>([['', codesAt(root)]]);
  for (const [name, step] of Object.entries(isObject(root['steps']) ? root['steps'] : {})) {
    if (isObject(step)) suppressions.set(childPointer('/steps', name), codesAt(step));
  }
  const used = new Set<string>();
  const left = issues.filter((issue) => {
    const [section, name] = pointerKeys(issue.pointer);
    const at = section === 'steps' && name !== undefined ? childPointer('/steps', name) : '';
    if (severityOf(issue) === 'error' || suppressions.get(at)?.has(issue.code) !== true) return true;
    used.add(`${at} ${issue.code}`);
    return false;
  });
  const unused = [...suppressions].flatMap(([at, codes]) =>
    [...codes].flatMap((code) => {
      if (used.has(`${at} ${code}`) || JUDGED_ELSEWHERE.includes(code)) return [];
      const message = quoting`there is no warning ${code} here to be silenced`;
      return [
        keyIssue('unused-silence', childPointer(`${at}/check`, code), message, 'remove it; errors cannot be silenced'),
      ];
    }),
  );
  return { issues: left, unused };
}

/**
 * Warnings that depend on data beyond the flow, which is not always available: configuration, clock, files of the
 * folder.
 */
const JUDGED_ELSEWHERE: readonly string[] = [
  ...['unknown-user', 'unknown-number', 'no-route', 'unknown-secret', 'unread-header'],
  ...['unknown-provider', 'misspelt-schedule'],
  ...['past-holidays', 'unused-sound'],
];

const codesAt = ({ check }: JsonObject): Set<string> => new Set(isObject(check) ? Object.keys(check) : []);
