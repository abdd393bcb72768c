/** Admin route that saves flows and their tests together. */
import { defined, type JsonObject } from '../../../base/core/json.ts';
import { CallError } from '../../calls/call-error.ts';
import { type FileOrder, RefusedFiles, type SavedFiles } from '../../calls/flow-files/save-files.ts';
import { badRequest, bodyReader } from '../body-reader.ts';
import { type AdminParts, type AdminRoute, adminRoute, many, signalOf } from './admin-route.ts';
import { diagnosticsBody, finishSave } from './flow-routes.ts';

const readSave = bodyReader('admin/flow-save');

export const FLOW_SAVE_ROUTES: readonly AdminRoute[] = [
  adminRoute('POST', '/flows/save', {
    summary: 'saves several flows and tests, all or none; the next call uses them, active calls keep their versions',
    body: 'flow-save',
    response: many('files', 'saved-file'),
    errors: ['files_changed', 'files_invalid', 'workbench_busy'],
    async handle({ body, res, who, signedIn, audit }, parts) {
      const { files } = readSave(body);
      const orders = files.map(({ flow, test, etag, text, draft: isDraft }): FileOrder => {
        return { flow, test, text, isDraft, precondition: etag === undefined ? 'none' : [etag] };
      });
      if (new Set(orders.map(nameOf)).size < orders.length) throw badRequest('files: a file is in the list twice');
      const saved = await save(orders, parts, { who, signal: signalOf(res) });
      audit({ keys: orders.map(nameOf) });
      for (const { flow, test, renamed = [] } of files)
        if (test === undefined) await parts.comments.rename(flow, renamed);
      for (const each of saved.flows) await finishSave(parts, signedIn.name, each.saved);
      return filesBody(saved);
    },
  }),
];

/** The file as the audit log and messages name it. */
const nameOf = ({ flow, test }: Pick<FileOrder, 'flow' | 'test'>): string => test ?? flow;

async function save(
  orders: readonly FileOrder[],
  { flowFiles }: AdminParts,
  author: { who: string; signal: AbortSignal },
): Promise<SavedFiles> {
  try {
    return await flowFiles.saveFiles(orders, author);
  } catch (error) {
    if (!(error instanceof RefusedFiles)) throw error;
    const files = error.files.map(({ order: { flow, test }, error: why }) => ({ flow, test, error: why }));
    const code = files.some((each) => each.error.code === 'changed_meanwhile') ? 'files_changed' : 'files_invalid';
    const first = files[0]!;
    throw new CallError(code, `nothing was saved: ${nameOf(first)}: ${first.error.message}`, { files });
  }
}

const filesBody = ({ flows, tests }: SavedFiles): JsonObject[] => [
  ...flows.map(({ saved: { name, file, etag, hash, versionNumber, isInForce, callsTake, diagnostics } }) =>
    defined<JsonObject>({
      ...{ flow: name, file, etag, hash, version_number: versionNumber, in_force: isInForce, calls_take: callsTake },
      diagnostics: diagnosticsBody(diagnostics),
    }),
  ),
  ...tests.map(({ flow, saved: { file, etag } }): JsonObject => ({ flow, test: file, file, etag })),
];
