/** Templates of several steps, which the service has. */
import { request } from '../api.ts';
import { readTemplate, type StepTemplate } from '../text/step-template.ts';
import type { Known } from './answers.ts';

let found: Promise<readonly StepTemplate[]> | undefined;

/** Reads them once. The list of steps has none while the service cannot be reached. */
export function readTemplates(verbs: Known['verbs']): Promise<readonly StepTemplate[]> {
  found ??= request<{ templates: { text: string }[] }>('/admin/v1/templates').then(
    ({ templates }) => templates.flatMap(({ text }) => readTemplate(text, verbs) ?? []),
    () => {
      found = undefined;
      return [];
    },
  );
  return found;
}
