/** Admin routes for personal data of all projects: deletion of calls and recordings, and erasure of a person. */

import { dataSubjectProblem } from '../../../base/core/data-subject.ts';
import type { JsonObject } from '../../../base/core/json.ts';
import { snakeCased } from '../../../base/core/key-case.ts';
import type { ForgetReport } from '../../calls/people/forget.ts';
import { badRequest, bodyReader } from '../body-reader.ts';
import { type AdminRoute, adminRoute, DONE, doneBody, one } from './admin-route.ts';

const readForget = bodyReader('admin/forget');
/** Maximum number of call and session ids in a response. */
const MAX_SHOWN = 1000;

export const PEOPLE_ROUTES: readonly AdminRoute[] = [
  adminRoute('DELETE', '/calls/{voice_id}', {
    summary: 'deletes all data of an ended call of any project',
    response: DONE,
    errors: ['unknown_call', 'still_live'],
    async handle({ params }, parts) {
      await parts.people.deleteCall(undefined, params.voice_id);
      return doneBody(parts);
    },
  }),
  adminRoute('DELETE', '/recordings/{recording_id}', {
    summary: 'deletes a recording of any project',
    response: DONE,
    errors: ['unknown_recording', 'still_live'],
    async handle({ params }, parts) {
      await parts.people.deleteRecording(undefined, params.recording_id);
      return doneBody(parts);
    },
  }),
  adminRoute('DELETE', '/rooms/{app_id}/{room_id}/sessions/{conf_num}', {
    summary: 'deletes all data of an ended session of any project',
    response: DONE,
    errors: ['unknown_session', 'still_live'],
    async handle({ params }, parts) {
      await parts.people.deleteSession(params.app_id, params.conf_num);
      return doneBody(parts);
    },
  }),
  adminRoute('POST', '/people/forget', {
    summary: 'deletes all data of a person in all projects, except do-not-call entries',
    body: 'forget',
    response: one('forgotten'),
    errors: ['still_live', 'in_use', 'overloaded'],
    changesNothing: (body) => readForget(body).dry_run,
    async handle({ body }, { people, now }) {
      const { names, dry_run: isDryRun, vacuum: isPatient } = readForget(body);
      for (const [index, name] of names.entries()) {
        const problem = dataSubjectProblem(name);
        // The message does not repeat the name, because clients may log errors.
        if (problem !== undefined) throw badRequest(`names[${index}] ${problem}`);
      }
      return {
        dry_run: isDryRun,
        ...reportBody(await people.forget({ names, isDryRun, isPatient })),
        timestamp: now(),
      };
    },
  }),
];

const reportBody = ({ forgotten, live, callIds, confNums, staying, isSealed }: ForgetReport): JsonObject => ({
  forgotten: snakeCased(forgotten, Object.keys(forgotten) as (keyof typeof forgotten)[]),
  ...{ live, calls: callIds.slice(0, MAX_SHOWN), archives: confNums.slice(0, MAX_SHOWN) },
  ...{ staying: { ...staying }, sealed: isSealed },
});
