/** Admin routes for flows: list, read, check, write and history. */
import { hasErrors } from '../../../base/core/diagnostic.ts';
import { defined, type Json, type JsonObject } from '../../../base/core/json.ts';
import { snakeCased } from '../../../base/core/key-case.ts';
import { CallError } from '../../calls/call-error.ts';
import { type Canary, stateOf } from '../../calls/canaries/canary.ts';
import { etagOf } from '../../calls/flow-files/atomic-write.ts';
import type { FlowCheck } from '../../calls/flow-files/flow-check.ts';
import type { ListedFlow } from '../../calls/flow-files/flow-files.ts';
import type { ListedVersion } from '../../calls/flow-files/flow-version-store.ts';
import type { ShownFlow } from '../../calls/flow-files/shown-flow.ts';
import { bodyReader } from '../body-reader.ts';
import { preconditionOf } from '../preconditions.ts';
import { iso } from '../response-bodies.ts';
import { type AdminParts, type AdminRoute, adminRoute, DONE, doneBody, many, one, signalOf } from './admin-route.ts';

const FLOW = '/flows/{name}';

/** Sized for several fast typists behind one address. */
const CHECK_LIMIT = { perSecond: 10, burst: 30 };

const IMPORT_LIMIT = { perSecond: 1, burst: 10 };

const readCheck = bodyReader('admin/flow-check');
const readImport = bodyReader('admin/flow-import');
const readFlow = bodyReader('admin/flow');

export const FLOW_ROUTES: readonly AdminRoute[] = [
  adminRoute('GET', '/language', {
    summary: 'describes the flow language: verbs, keys and outcomes, for completion, help and graphs',
    response: one('language'),
    async handle({ header, res }, { language }) {
      const { body, etag, compressed } = language();
      // It is large and changes with the version of the service only: browsers keep it, and ask whether it has changed.
      res.set({ etag: `"${etag}"`, 'cache-control': 'private, no-cache', vary: 'Accept-Encoding' });
      const accepted = (header('accept-encoding') ?? '').split(/[\s,;]+/);
      const encoding = (['br', 'gzip'] as const).find((each) => accepted.includes(each));
      if (header('if-none-match')?.includes(etag) === true) res.status(304).end();
      else if (encoding === undefined) return body as unknown as JsonObject;
      else
        res
          .set('content-encoding', encoding)
          .type('json')
          .send(await compressed(encoding));
      return undefined;
    },
  }),
  adminRoute('GET', '/flows', {
    summary: 'lists the flows, including those that do not compile',
    response: many('flows', 'listed-flow'),
    errors: ['workbench_busy'],
    async handle({ signedIn }, { flowFiles, canaries, drafts, comments }) {
      const draftTimes = new Map(drafts.of(signedIn.name).map(({ flow, atMs }) => [flow, iso(atMs)]));
      const open = comments.openCounts();
      return (await flowFiles.list()).map((flow) => ({
        ...listedBody(flow, canaries.latest(flow.name)),
        ...defined<JsonObject>({ draft: draftTimes.get(flow.name), comments: open.get(flow.name) }),
      }));
    },
  }),
  adminRoute('GET', '/examples', {
    summary: 'lists the built-in example flows, which are templates for new flows',
    response: many('examples', 'example'),
    handle: async (_request, { examples }) => (await examples()).map((example) => ({ ...example })),
  }),
  adminRoute('GET', '/templates', {
    summary: 'lists the templates of several steps, as flows with the key `template`',
    response: many('templates', 'template'),
    handle: async (_request, { templates }) => (await templates()).map((template) => ({ ...template })),
  }),
  adminRoute('POST', '/flows/import', {
    summary: 'converts files of another system to flows, with a report for each node, without saving them',
    body: 'flow-import',
    response: one('flow-import'),
    errors: ['too_many_requests', 'workbench_busy'],
    changesNothing: true,
    limit: IMPORT_LIMIT,
    handle({ body, res }, { importFlows }) {
      const { files, name, format } = readImport(body);
      return importFlows(defined({ files, name, format }), { signal: signalOf(res) });
    },
  }),
  adminRoute('POST', '/flows/check', {
    summary: 'checks the text of a flow together with the other flows, without saving it',
    body: 'flow-check',
    response: one('flow-check'),
    errors: ['superseded', 'text_malformed', 'text_too_large', 'workbench_busy'],
    changesNothing: true,
    limit: CHECK_LIMIT,
    async handle({ body, res, who }, { flowFiles }) {
      const { name, text, session } = readCheck(body);
      const options = { signal: signalOf(res), ...(session !== undefined && { session: `${who} ${session}` }) };
      return checkBody(await flowFiles.check(name, text, options));
    },
  }),
  adminRoute('GET', FLOW, {
    summary: 'returns the text of a flow; `ETag` is that of its bytes',
    response: one('flow'),
    errors: ['unknown_flow', 'text_malformed', 'workbench_busy'],
    async handle({ params, res }, { flowFiles }) {
      const flow = await flowFiles.show(params.name);
      res.set('etag', `"${flow.etag}"`);
      return flowBody(flow);
    },
  }),
  adminRoute('PUT', FLOW, {
    summary: 'saves a flow; the next call uses it, active calls keep their version',
    body: 'flow',
    isConditional: true,
    response: one('flow'),
    errors: [
      ...(['changed_meanwhile', 'read_only', 'flow_invalid', 'input_invalid'] as const),
      ...(['text_malformed', 'text_too_large', 'workbench_busy'] as const),
    ],
    async handle({ params, body, header, res, who, signedIn, audit }, parts) {
      const precondition = preconditionOf(header);
      const { text, draft: isDraft, renamed = [] } = readFlow(body);
      const order = { text, precondition, isDraft, who, signal: signalOf(res) };
      const { saved, before } = await parts.flowFiles.save(flowName(params.name), order);
      audit({ before, after: saved.etag });
      await parts.comments.rename(params.name, renamed);
      await finishSave(parts, signedIn.name, saved);
      res.set('etag', `"${saved.etag}"`);
      return flowBody(saved);
    },
  }),
  adminRoute('DELETE', FLOW, {
    summary: 'deletes a flow that no number and no other flow uses; active calls continue',
    isConditional: true,
    response: DONE,
    errors: ['changed_meanwhile', 'read_only', 'unknown_flow', 'in_use'],
    async handle({ params, header, audit }, parts) {
      audit({ before: await parts.flowFiles.remove(params.name, preconditionOf(header)) });
      await parts.drafts.removeFlow(params.name);
      await parts.comments.removeFlow(params.name);
      return doneBody(parts);
    },
  }),
  adminRoute('GET', `${FLOW}/versions`, {
    summary: 'lists the versions of a flow, the live version first',
    response: many('versions', 'flow-version'),
    handle: ({ params }, { flowVersions }) => flowVersions.list(params.name).map(versionBody),
  }),
  adminRoute('GET', `${FLOW}/versions/{hash}`, {
    summary: 'returns the text of a version',
    response: one('flow-text'),
    errors: ['unknown_flow'],
    handle({ params }, { flowCandidates }) {
      const { hash, number, text, author, firstMs } = flowCandidates.find(params.name, params.hash);
      return defined({ hash, version_number: number, text, author, first_seen: iso(firstMs) });
    },
  }),
];

/** Removes the draft of the author, and announces the save to the people in the studio. */
export async function finishSave({ drafts, studioPeople }: AdminParts, who: string, saved: ShownFlow): Promise<void> {
  const { name, etag, isInForce, versionNumber } = saved;
  await drafts.remove(who, name);
  studioPeople.recordSave(defined({ flow: name, who, etag, versionNumber: isInForce ? versionNumber : undefined }));
}

/** Validates the name of a new flow. */
function flowName(name: string): string {
  if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/.test(name))
    throw new CallError('unknown_flow', 'flow names may contain letters, digits, _, - and .');
  return name;
}

const checkBody = ({ diagnostics, name, hash, exits }: FlowCheck): JsonObject =>
  defined({ diagnostics: diagnosticsBody(diagnostics), name, hash, exits: exits as JsonObject | undefined });

export const diagnosticsBody = (diagnostics: FlowCheck['diagnostics']): Json[] =>
  diagnostics.map((each) => ({ ...each }));

export const versionBody = ({ firstMs, isInForce, text, number, ...version }: ListedVersion): JsonObject =>
  defined({ ...version, version_number: number, etag: etagOf(text), first_seen: iso(firstMs), in_force: isInForce });

export const flowBody = (flow: ShownFlow): JsonObject =>
  defined({
    ...{ name: flow.name, file: flow.file, text: flow.text, etag: flow.etag, hash: flow.hash },
    version_number: flow.versionNumber,
    ...{
      built_in: flow.isBuiltIn,
      in_force: flow.isInForce,
      calls_take: flow.callsTake,
      diagnostics: diagnosticsBody(flow.diagnostics),
    },
  });

function listedBody(flow: ListedFlow, canary: Canary | undefined): JsonObject {
  const errors = flow.diagnostics.filter((each) => hasErrors([each]));
  const first = errors[0] ?? flow.diagnostics[0];
  return defined({
    ...snakeCased(flow, ['name', 'file', 'etag', 'hash', 'steps', 'numbers', 'tests', 'liveCalls']),
    ...{ built_in: flow.isBuiltIn, in_force: flow.isInForce, calls_take: flow.callsTake },
    errors: errors.length,
    warnings: flow.diagnostics.length - errors.length,
    first: first && { ...first },
    canary: canary && { version: canary.version, percent: canary.percent, state: stateOf(canary) },
  });
}
