/** The bodies of all requests. Made of schemas/api by `npm run types`: edit those, then make it again. */

import type * as broadcasts from './broadcasts.ts';
import type * as calls from './calls.ts';
import type * as conferences from './conferences.ts';
import type * as flows from './flows.ts';
import type * as rooms from './rooms.ts';
import type * as settings from './settings.ts';

/** By the name of their schema. */
export type RequestBodies = {
  'answer': calls.AnswerBody;
  'broadcast': broadcasts.BroadcastBody;
  'broadcast-stop': broadcasts.BroadcastStopBody;
  'conference': conferences.ConferenceBody;
  'conference-join': conferences.ConferenceJoinBody;
  'connect': calls.ConnectBody;
  'dial-out': calls.DialOutBody;
  'do-not-call': broadcasts.DoNotCallBody;
  'event': calls.EventBody;
  'forward': calls.ForwardBody;
  'hangup': calls.HangupBody;
  'hold': calls.HoldBody;
  'participant': conferences.ParticipantBody;
  'play': calls.PlayBody;
  'recording': calls.RecordingBody;
  'room': rooms.RoomBody;
  'room-join': conferences.RoomJoinBody;
  'room-token': rooms.RoomTokenBody;
  'session': settings.SessionBody;
  'stream': calls.StreamBody;
  'transfer': calls.TransferBody;
  'webphone': calls.WebphoneBody;
  'admin/flow': flows.AdminFlowBody;
  'admin/flow-canary': flows.AdminFlowCanaryBody;
  'admin/flow-check': flows.AdminFlowCheckBody;
  'admin/flow-import': flows.AdminFlowImportBody;
  'admin/flow-publish': flows.AdminFlowPublishBody;
  'admin/flow-replay': flows.AdminFlowReplayBody;
  'admin/flow-simulation': flows.AdminFlowSimulationBody;
  'admin/flow-take-over': flows.AdminFlowTakeOverBody;
  'admin/flow-test': flows.AdminFlowTestBody;
  'admin/flow-tests': flows.AdminFlowTestsBody;
  'admin/flow-version': flows.AdminFlowVersionBody;
  'admin/flow-way': flows.AdminFlowWayBody;
  'admin/forget': settings.AdminForgetBody;
  'admin/number': settings.AdminNumberBody;
  'admin/project-change': settings.AdminProjectChangeBody;
  'admin/project-create': settings.AdminProjectCreateBody;
  'admin/prompt': settings.AdminPromptBody;
  'admin/rehearsal': settings.AdminRehearsalBody;
  'admin/renewal': settings.AdminRenewalBody;
  'admin/resend': settings.AdminResendBody;
  'admin/room-mute': settings.AdminRoomMuteBody;
  'admin/route': settings.AdminRouteBody;
  'admin/schedule': settings.AdminScheduleBody;
  'admin/url': settings.AdminUrlBody;
  'admin/user': settings.AdminUserBody;
};
