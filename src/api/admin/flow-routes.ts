/** Flows as the studio reads, checks and writes them. */
import type { FlowCheck } from '../../calls/flow-files/flow-check.ts';
import { defined, type JsonObject } from '../../core/json.ts';
import { bodyReader } from '../body-reader.ts';
import { type AdminRoute, adminRoute, one, signalOf } from './admin-route.ts';

const readCheck = bodyReader('admin/flow-check');

export const FLOW_ROUTES: readonly AdminRoute[] = [
  adminRoute('GET', '/language', {
    summary: 'describes the language of flows: verbs, keys and outcomes, for completion and help',
    response: one('language'),
    handle: (_request, { language }) => language as unknown as JsonObject,
  }),
  adminRoute('POST', '/flows/check', {
    summary: 'checks the text of a flow, with the other flows in sight; nothing is saved',
    body: 'flow-check',
    response: one('flow-check'),
    errors: ['superseded', 'workbench_busy'],
    async handle({ body, res, who }, { flowFiles }) {
      const { name, text, session } = readCheck(body);
      const options = { signal: signalOf(res), ...(session !== undefined && { session: `${who} ${session}` }) };
      return checkBody(await flowFiles.check(name, text, options));
    },
  }),
];

const checkBody = ({ diagnostics, name, hash, exits }: FlowCheck): JsonObject =>
  defined({ diagnostics: diagnostics.map((one) => ({ ...one })), name, hash, exits: exits as JsonObject | undefined });
