/** Admin routes for the tests of a flow, which are files in its folder. */
import type { JsonObject } from '../../../base/core/json.ts';
import type { TestFile } from '../../calls/flow-files/test-files.ts';
import { bodyReader } from '../body-reader.ts';
import { preconditionOf } from '../preconditions.ts';
import { type AdminRoute, adminRoute, DONE, doneBody, many, one } from './admin-route.ts';

const TESTS = '/flows/{name}/tests';
const TEST = `${TESTS}/{file}`;

const readTest = bodyReader('admin/flow-test');
const testBody = (test: TestFile): JsonObject => ({ ...test });

export const FLOW_TEST_ROUTES: readonly AdminRoute[] = [
  adminRoute('GET', TESTS, {
    summary: 'lists the tests of a flow, with their texts',
    response: many('tests', 'flow-test'),
    errors: ['unknown_flow'],
    handle: async ({ params }, { flowFiles }) => (await flowFiles.tests.list(params.name)).map(testBody),
  }),
  adminRoute('GET', TEST, {
    summary: 'returns a test of a flow; `ETag` is that of its bytes',
    response: one('flow-test'),
    errors: ['unknown_flow', 'unknown_setting'],
    async handle({ params, res }, { flowFiles }) {
      const test = await flowFiles.tests.show(params.name, params.file);
      res.set('etag', `"${test.etag}"`);
      return testBody(test);
    },
  }),
  adminRoute('PUT', TEST, {
    summary: 'saves a test of a flow',
    body: 'flow-test',
    isConditional: true,
    response: one('flow-test'),
    errors: [
      ...(['changed_meanwhile', 'read_only', 'unknown_flow', 'unknown_setting', 'flow_invalid'] as const),
      ...(['text_malformed', 'text_too_large'] as const),
    ],
    async handle({ params, body, header, res, audit }, { flowFiles }) {
      const precondition = preconditionOf(header);
      const { text } = readTest(body);
      const { saved, before } = await flowFiles.tests.save(params.name, params.file, { text, precondition });
      audit({ before, after: saved.etag });
      res.set('etag', `"${saved.etag}"`);
      return testBody(saved);
    },
  }),
  adminRoute('DELETE', TEST, {
    summary: 'deletes a test of a flow',
    isConditional: true,
    response: DONE,
    errors: ['changed_meanwhile', 'read_only', 'unknown_flow', 'unknown_setting'],
    async handle({ params, header, audit }, parts) {
      audit({ before: await parts.flowFiles.tests.remove(params.name, params.file, preconditionOf(header)) });
      return doneBody(parts);
    },
  }),
];
