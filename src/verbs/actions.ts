/** Made of src/verbs by `npm run types`. */
import type { VerbActions } from '../proof/explore/actions/action.ts';
import { actions as assistantActions } from './assistant/actions.ts';
import { actions as callActions } from './call/actions.ts';
import { actions as cancelCallActions } from './cancel_call/actions.ts';
import { actions as checkQueueActions } from './check_queue/actions.ts';
import { actions as collectActions } from './collect/actions.ts';
import { actions as conferenceActions } from './conference/actions.ts';
import { actions as detectMachineActions } from './detect_machine/actions.ts';
import { actions as joinRoomActions } from './join_room/actions.ts';
import { actions as menuActions } from './menu/actions.ts';
import { actions as payActions } from './pay/actions.ts';
import { actions as queueActions } from './queue/actions.ts';
import { actions as recordActions } from './record/actions.ts';
import { actions as recordingActions } from './recording/actions.ts';
import { actions as requestActions } from './request/actions.ts';
import { actions as scheduleActions } from './schedule/actions.ts';
import { actions as serveActions } from './serve/actions.ts';
import { actions as splitActions } from './split/actions.ts';
import { actions as streamActions } from './stream/actions.ts';
import { actions as subflowActions } from './subflow/actions.ts';
import { actions as transcribeActions } from './transcribe/actions.ts';
import { actions as transferActions } from './transfer/actions.ts';
import { actions as waitForActions } from './wait_for/actions.ts';
import { actions as webhookActions } from './webhook/actions.ts';

/** Actions of verbs that have more than the default. */
export const actionsByVerb: Readonly<Record<string, VerbActions>> = {
  assistant: assistantActions,
  call: callActions,
  cancel_call: cancelCallActions,
  check_queue: checkQueueActions,
  collect: collectActions,
  conference: conferenceActions,
  detect_machine: detectMachineActions,
  join_room: joinRoomActions,
  menu: menuActions,
  pay: payActions,
  queue: queueActions,
  record: recordActions,
  recording: recordingActions,
  request: requestActions,
  schedule: scheduleActions,
  serve: serveActions,
  split: splitActions,
  stream: streamActions,
  subflow: subflowActions,
  transcribe: transcribeActions,
  transfer: transferActions,
  wait_for: waitForActions,
  webhook: webhookActions,
};
