/** The routes of conferences, `/voice/v1/conference…`. An id behind them is a call's with POST, a conference's with PUT. */
import { type RequestHandler, Router } from 'express';
import {
  type ConferenceCall,
  changeMember,
  createConferenceByDialling,
  createConferenceWithCall,
  dialIntoConference,
  endConference,
  findConference,
  moveIntoConference,
} from '../calls/control-conference.ts';
import type { JsonObject } from '../core/json.ts';
import {
  readConference,
  readConferenceJoin,
  readConferenceJoinOfCall,
  readConferenceOfCall,
  readParticipant,
} from './conference-bodies.ts';
import { answerOnce } from './idempotency.ts';
import { signedInProjectOf } from './request-context.ts';
import { conferenceBody, conferenceCallBody } from './response-bodies.ts';
import {
  addPartiesToErrors,
  bodyOf,
  checkEventUrl,
  disabledUrlNote,
  holdEventsUntilSent,
  newCall,
  only,
  timestampOf,
  type VoiceParts,
} from './route-parts.ts';

type OfConference = RequestHandler<{ conference_id: string }>;
type OfCall = RequestHandler<{ voice_id: string }>;
type OfBoth = RequestHandler<{ conference_id: string; voice_id: string }>;

export function conferenceRoutes(parts: VoiceParts): Router {
  const { calls } = parts;
  const now = (): string => timestampOf(parts);

  const dialled = (met: ConferenceCall): JsonObject => ({
    ...conferenceCallBody(met, now()),
    msg: disabledUrlNote(parts, met.record.projectId, { event_url: met.record.eventUrl }),
  });

  const convene: RequestHandler = (req, res) =>
    answerOnce(parts, req, res, async (keep) => {
      addPartiesToErrors(res, bodyOf(req));
      const { call, member } = readConference(bodyOf(req));
      checkEventUrl(parts, call.eventUrl);
      const receipt = (met: ConferenceCall) => keep(dialled(met));
      const met = await createConferenceByDialling({ ...call, ...newCall(parts, res), receipt }, member, calls);
      return dialled(met);
    });

  const join: OfConference = (req, res) =>
    answerOnce(parts, req, res, async (keep) => {
      addPartiesToErrors(res, bodyOf(req), 'transfer_to');
      const { call, member } = readConferenceJoin(bodyOf(req));
      checkEventUrl(parts, call.eventUrl);
      const receipt = (met: ConferenceCall) => keep(dialled(met));
      const order = { ...call, ...newCall(parts, res), receipt };
      return dialled(await dialIntoConference(req.params.conference_id, order, member, calls));
    });

  const conveneAccepted: OfCall = async (req, res) => {
    const options = readConferenceOfCall(bodyOf(req));
    holdEventsUntilSent(parts, req.params.voice_id, res);
    const met = await createConferenceWithCall(signedInProjectOf(res).projectId, req.params.voice_id, options, calls);
    res.json(conferenceCallBody(met, now()));
  };

  const joinAccepted: OfBoth = async (req, res) => {
    const { voice_id: callId, conference_id: conferenceId } = req.params;
    const member = readConferenceJoinOfCall(bodyOf(req));
    holdEventsUntilSent(parts, callId, res);
    const met = await moveIntoConference(signedInProjectOf(res).projectId, callId, conferenceId, member, calls);
    res.json(conferenceCallBody(met, now()));
  };

  const show: OfConference = (req, res) => {
    res.json(conferenceBody(findConference(signedInProjectOf(res).projectId, req.params.conference_id, calls), now()));
  };

  const end: OfConference = async (req, res) => {
    const conference = findConference(signedInProjectOf(res).projectId, req.params.conference_id, calls);
    for (const { callId } of conference.participants) holdEventsUntilSent(parts, callId, res);
    await endConference(signedInProjectOf(res).projectId, req.params.conference_id, calls);
    res.json(conferenceBody(conference, now()));
  };

  const change: OfBoth = (req, res) => {
    const { conference_id: conferenceId, voice_id: callId } = req.params;
    const changed = readParticipant(bodyOf(req));
    holdEventsUntilSent(parts, callId, res);
    res.json(
      conferenceBody(changeMember(signedInProjectOf(res).projectId, conferenceId, callId, changed, calls), now()),
    );
  };

  const router = Router();
  router.route('/conference').post(convene).all(only('POST'));
  router.route('/conference/:voice_id').post(conveneAccepted);
  router
    .route('/conference/:conference_id')
    .get(show)
    .put(join)
    .delete(end)
    .all(only('GET', 'POST', 'PUT', 'DELETE'));
  router.route('/conference/:conference_id/participant/:voice_id').put(change).all(only('PUT'));
  router.route('/conference/:voice_id/:conference_id').put(joinAccepted).all(only('PUT'));
  return router;
}
