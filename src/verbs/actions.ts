/** Actions of the verbs that have more than the default of `explore/actions`, by verb. */
import type { VerbActions } from '../explore/actions/action.ts';
import { actions as assistant } from './assistant/actions.ts';
import { actions as checkQueue } from './check_queue/actions.ts';
import { actions as collect } from './collect/actions.ts';
import { actions as conference } from './conference/actions.ts';
import { actions as detectMachine } from './detect_machine/actions.ts';
import { actions as joinRoom } from './join_room/actions.ts';
import { actions as menu } from './menu/actions.ts';
import { actions as pay } from './pay/actions.ts';
import { actions as queue } from './queue/actions.ts';
import { actions as record } from './record/actions.ts';
import { actions as recording } from './recording/actions.ts';
import { actions as request } from './request/actions.ts';
import { actions as schedule } from './schedule/actions.ts';
import { actions as serve } from './serve/actions.ts';
import { actions as split } from './split/actions.ts';
import { actions as stream } from './stream/actions.ts';
import { actions as subflow } from './subflow/actions.ts';
import { actions as transcribe } from './transcribe/actions.ts';
import { actions as transfer } from './transfer/actions.ts';
import { actions as waitFor } from './wait_for/actions.ts';
import { actions as webhook } from './webhook/actions.ts';

export const actionsByVerb: Readonly<Record<string, VerbActions>> = {
  assistant,
  check_queue: checkQueue,
  collect,
  conference,
  detect_machine: detectMachine,
  join_room: joinRoom,
  menu,
  pay,
  queue,
  record,
  recording,
  request,
  schedule,
  serve,
  split,
  stream,
  subflow,
  transcribe,
  transfer,
  wait_for: waitFor,
  webhook,
};
