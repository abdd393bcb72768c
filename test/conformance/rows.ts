/**
 * What the interface promises, row by row, and the tests that prove it. Its tables come first: resources, states, routes,
 * events, errors, limits; then what is settled where they are silent. `by` names tests by their file below `test/` and
 * their title as it is written; a test fails when one is not there.
 */
export interface Row {
  id: string;
  says: string;
  by: readonly Proof[];
}

/** `file > title` */
export type Proof = `${string} > ${string}`;

export interface Section {
  title: string;
  rows: readonly Row[];
  /** What is promised for a later version. */
  later?: readonly string[];
}

const row = (id: string, says: string, ...by: Proof[]): Row => ({ id, says, by });

const TELLS_ALL = 'api/calls > reports ringing, connected, playfinished and disconnected, in this order';
const BRIDGED =
  'api/connect > PUT /connect: answers bridge_id and initiated, then the events bridging and bridged name the parties of the bridge';
const BRIDGE_ENDS =
  'api/connect > PUT /connect: a bridged number that hangs up is bridge_disconnected, and the call goes on';
const ORIGINAL_ENDS =
  'api/connect > PUT /connect: an original party that hangs up ends the bridge: first the bridge is reported, then the call';
const BRIDGE_FAILS = 'api/connect > PUT /connect: a number that is %s is failed, and the call goes on';
const OUTCOMES = 'api/calls > %j ends as %s, told once';
const ACCEPTED = 'api/calls > reports incomingcall at once, is accepted, and is then steered';
const PLAYED = 'api/calls > is heard, and answered with its id';
const DIGITS = 'api/calls > with dtmf ends in digitcollected, with the digits twice, as text';
const NO_DIGITS = 'api/calls > with dtmf and a silent party ends in menutimeout after start_timeout';
const RECORDED =
  'api/recording > PUT /recording: a bridged call is recorded until it is stopped, and events report both';
const STREAMED = 'api/stream > PUT /stream: 201, then events report its states (%s)';
const STREAM_EVENTS = 'webhooks/events > %s';
const RECOGNIZED = 'api/play > PUT /play: recognized speech is reported with its text';
const UNRECOGNIZED = 'api/play > PUT /play: speech that is not understood is unrecognized';
const SILENT = 'api/play > PUT /play: silence is timeout after start_timeout';
const CONFERENCE_OUT = 'api/conference > POST /conference: dials out, and the party that answers is its first member';
const CONFERENCE_JOIN =
  'api/conference > PUT /conference/{conference_id}: dials out, and the party that answers hears the others';
const CONFERENCE_IN =
  'api/conference > POST /conference/{voice_id}: accepts the call, which is its first member; another may join it';
const IS_THERE = 'api/openapi > %s is a route that is there';
const ALL_THERE = 'api/openapi > has every route of the service';
const BROADCAST_MADE = 'api/broadcasts > answers with the id by all its names, and what it made of the list';
const BROADCAST_TOLD =
  'api/broadcasts > reports initiated, the calls with the broadcast they belong to, and broadcastcomplete';
const BROADCAST_REPORT = 'api/broadcasts > shows the state and the result of each number';
const BROADCAST_REFUSED = 'api/broadcasts > with %s is refused, in the words of broadcasts, and nobody is called';
const BROADCAST_STOPPED =
  'api/broadcasts > dials no more numbers; live calls go on, and the end is reported after them';
const BROADCAST_HANGS_UP = 'api/broadcasts > with %s hangs up who talks, and the response leaves before that is told';
const BROADCAST_PLAYS = 'api/broadcasts > %s plays to it: 202, and playfinished is told';
const BROADCAST_CONNECTS = 'api/broadcasts > %s bridges it: 202, and the states of the bridge are told';
const BROADCAST_BRIDGE_FAILS = 'api/broadcasts > whose bridge fails gets bridge_failed, and goes on';
const BROADCAST_CALL_ENDS = 'api/broadcasts > DELETE hangs it up: 200, and the event disconnected follows the response';
const BROADCAST_UNKNOWN =
  "api/broadcasts > another project's broadcast is 404 on every route, as an unknown one, and nothing happens to it";
const NUMBER_WAYS = 'api/broadcast-bodies > %s is %s';
const OTHERS_CALL = 'api/errors > %s /voice/v1/call/{voice_id}%s: 404, as for one that never was';

export const SECTIONS: readonly Section[] = [
  {
    title: 'The play object',
    rows: [
      row(
        'play-prompt-name',
        '`prompt_name`: a prompt that is configured',
        'api/calls > of a configured prompt speaks the language that is asked for',
        'api/admin > are texts or sounds, heard by the next call that names them',
      ),
      row('play-prompt-ref', '`prompt_ref` is echoed in events', TELLS_ALL),
      row('play-text', '`text`, `voice`, `language`: text to speech', PLAYED),
      row('play-required', '`prompt_name` or `text` is required', 'api/calls > %s is refused before anything is heard'),
      row('play-dtmf', '`dtmf` waits for digits', DIGITS),
      row(
        'play-typeahead',
        '`dtmf` begins without keys that were pressed before, unless `typeahead` says otherwise; a key that interrupted a prompt is used up',
        'api/dtmf > PUT /play: begins without the keys that were pressed before',
        'api/dtmf > PUT /play: with typeahead counts the keys that were pressed before',
        'api/dtmf > PUT /play: a key that interrupted a prompt is not there, typeahead %s',
        'api/dtmf > PUT /play: a key that interrupts the question is the beginning of its answer',
        'steps/play > %s is stopped by a digit, which is consumed',
      ),
      row(
        'play-digits-by-info',
        'Digits by SIP INFO are collected as those by RFC 4733; a key reported both ways is one key',
        'sip/inbound-call > %s are taken where telephone-event was negotiated',
        'sip/inbound-call > count once each, however often the same request arrives',
        'media/leg-media > reported by signalling and in the audio, %i ms apart, counts once, whichever is first',
        'engine/talk > by INFO count where telephone-event was negotiated, and once where a phone sends both',
        'e2e/stories > takes digits by INFO where telephone-event %s',
      ),
      row(
        'play-asr',
        '`asr` listens, in place of digits or beside them',
        RECOGNIZED,
        'api/play > PUT /play: with dtmf too, what comes first counts',
      ),
      row(
        'play-start-timeout',
        '`start_timeout`: 1 to 10 seconds, default 10',
        NO_DIGITS,
        SILENT,
        'api/calls > %s is refused before anything is heard',
      ),
      row('play-recognizer-timeout', '`recognizer_timeout`: 1 to 10 seconds, default 2', DIGITS),
      row(
        'play-option',
        '`text_to_speech_option`: silence, text, break, text2, express-as, prosody, say-as',
        'calls/speech-option > says its members in the order of the interface, whatever their order in the JSON',
        'calls/speech-option > takes %s',
        'api/play > PUT /play: is said as SSML',
      ),
      row('play-style', '`express-as.style`: the five styles', 'calls/speech-option > knows the style %s'),
      row('play-volume', '`prosody.volume`: a percentage, or a word', 'calls/speech-option > knows the volume %s'),
      row('play-say-as', '`interpret-as` with the formats of each', 'calls/speech-option > knows how to interpret %s'),
      row(
        'play-wrong-option',
        'what an option cannot say is refused',
        'calls/speech-option > refuses %j at %s',
        'api/play > PUT /play: %s is 400, and says what is wrong',
      ),
    ],
  },
  {
    title: 'States',
    rows: [
      row(
        'state-response',
        'responses: `initiated`, `success`, `failed`',
        'api/calls > answers the request before the first event leaves',
        'api/calls > ends the call with success, then the call is over for every command',
        'api/errors > 400/400 play: media request failed (the call is over)',
      ),
      row(
        'state-ringing',
        'call event `ringing`, at most once',
        TELLS_ALL,
        'webhooks/events > %s is an event with that state',
      ),
      row('state-connected', 'call event `connected`', TELLS_ALL),
      row('state-disconnected', 'call event `disconnected`: ended, declined or unanswered', TELLS_ALL, OUTCOMES),
      row('state-bridging', 'call event `bridging`', BRIDGED),
      row('state-bridged', 'call event `bridged`', BRIDGED),
      row('state-bridge-disconnected', 'call event `bridge_disconnected`', BRIDGE_ENDS),
      row('state-failed', 'call event `failed`', OUTCOMES, 'webhooks/events > failed says why'),
      row('analyze-connected', 'analyze: `connected` while it runs', PLAYED),
      row('analyze-in-progress', 'analyze: `In progress` before it is connected', ACCEPTED),
      row('analyze-ivr', 'analyze: `IVR` while a prompt plays', PLAYED),
      row('state-incomingcall', 'incoming call event `incomingcall`', ACCEPTED),
      row('play-initiated', 'play response `initiated`', PLAYED),
      row('play-finished', 'play event `playfinished`', PLAYED),
      row('play-failed', 'play event `failed`', 'webhooks/events > a play that never had its turn has a final event'),
      row('play-digitcollected', 'play event `digitcollected`', DIGITS),
      row('play-menutimeout', 'play event `menutimeout`', NO_DIGITS),
      row('speech-recognized', 'speech event `recognized`', RECOGNIZED),
      row('speech-timeout', 'speech event `timeout`', SILENT),
      row('speech-unrecognized', 'speech event `unrecognized`', UNRECOGNIZED),
      row(
        'dtmf-collected',
        'DTMF event `dtmfcollected`',
        'api/connect > DTMF: a digit of a bridged call is dtmfcollected',
      ),
      row(
        'recording-started',
        'recording event `started`',
        RECORDED,
        'webhooks/events > started has the id and the name',
      ),
      row(
        'recording-completed',
        'recording event `completed`',
        RECORDED,
        'webhooks/events > completed has the URL and the duration',
      ),
      row('recording-failed', 'recording event `failed`', 'webhooks/events > failed has a description, and no URL'),
      row('stream-initiated', 'media stream `stream_initiated`', STREAMED, STREAM_EVENTS),
      row('stream-started', 'media stream `stream_started`', STREAMED, STREAM_EVENTS),
      row('stream-stopped', 'media stream `stream_stopped`', STREAMED, STREAM_EVENTS),
      row('stream-failed', 'media stream `stream_failed`', 'webhooks/events > stream_failed says why', STREAM_EVENTS),
      row('broadcast-initiated', 'broadcast `initiated`', BROADCAST_MADE, BROADCAST_TOLD),
      row(
        'broadcast-failed',
        'broadcast `failed`',
        BROADCAST_REFUSED,
        'webhooks/broadcast-events > say why a broadcast failed',
      ),
      row(
        'broadcast-number',
        'a number of a broadcast: `ringing`, `connected`, `disconnected` with `success` or `failed`',
        BROADCAST_REPORT,
      ),
      row('broadcast-reasons', 'its reason: `success`, `AMD`, `Busy`', BROADCAST_REPORT),
    ],
  },
  {
    title: 'Transitions',
    rows: [
      row('move-bridge-asked', 'bridge request accepted → `initiated`, with `voice_id` and `state`', BRIDGED),
      row('move-bridging', '`initiated`, other end rings → `bridging`', BRIDGED),
      row('move-bridged', '`bridging`, other party accepts → `bridged`', BRIDGED),
      row('move-bridge-failed', '`initiated` or `bridging`, bridge fails → `failed`', BRIDGE_FAILS),
      row(
        'move-broadcast-bridge-failed',
        'the same on a call of a broadcast → `bridge_failed`',
        BROADCAST_BRIDGE_FAILS,
      ),
      row('move-bridge-ends', '`bridged`, bridged number disconnects → `bridge_disconnected`', BRIDGE_ENDS),
      row('move-original-ends', '`bridged`, original party disconnects → `disconnected`', ORIGINAL_ENDS),
      row('move-accepted', 'incoming, accepted → answered, `connected`', ACCEPTED),
      row(
        'move-not-accepted',
        'incoming, not accepted → not answered, and dropped',
        'api/calls > that is not accepted is dropped after half a minute',
      ),
      row('move-recording', 'bridged and not recorded, start → `started`', RECORDED),
      row('move-recorded', '`started`, stop → `completed`', RECORDED),
      row('move-streaming', 'bridged, start stream → `initiated`, then `stream_started`', STREAMED),
    ],
    later: ['adhoc rooms', 'deleting rooms', 'tokens'],
  },
  {
    title: 'Routes',
    rows: [
      row('route-dial-out', '`POST /voice/v1/call`', TELLS_ALL, IS_THERE),
      row(
        'route-action-play',
        '`action_on_connect.play`',
        TELLS_ALL,
        'api/play > action_on_connect.play: may listen as well',
      ),
      row(
        'route-action-connect',
        '`action_on_connect.connect`',
        'api/connect > action_on_connect.connect: the call is bridged as soon as it is answered',
      ),
      row(
        'route-action-room',
        '`action_on_connect.room`',
        'api/room > action_on_connect.room: joins when the call is answered',
      ),
      row(
        'route-auto-record',
        '`auto_record`',
        'api/recording > auto_record: the call is recorded from the answer on, bridged or not, whatever it does',
      ),
      row(
        'route-list',
        '`GET /voice/v1/call`: call records, in pages',
        'api/call-list > lists the newest first, and no call of another project',
        'api/call-list > shows times, parties, recordings and the cause of the end of a call',
        'api/call-list > lists live calls with the step that each is in, and since when',
      ),
      row('route-analyze', '`GET /voice/v1/call/{voice_id}`', OUTCOMES, PLAYED),
      row(
        'route-journal',
        '`GET /voice/v1/call/{voice_id}/journal`: what happened, in pages, also while the call is live',
        'api/journal > is told in pages while the call goes on, and nothing of it is missed or repeated',
        'api/journal > is of nobody else: 404, as for a call that never was',
      ),
      row(
        'route-heard',
        '`GET /voice/v1/call/{voice_id}/heard/{play_id}`: what was played, made again',
        'api/heard > is the text again, by the same voice',
        'api/heard > is the file of the prompt',
        'api/heard > does not speak what is sensitive: it is silence',
        'api/heard > is of nobody else, and of no other play',
      ),
      row(
        'route-peaks',
        '`GET /voice/v1/recording/{recording_id}/peaks`: the shape of a recording',
        'api/peaks > has the lowest and the highest of each part',
        'api/peaks > keeps two channels apart, in a file of several minutes',
      ),
      row(
        'route-figures',
        '`GET /voice/v1/flow/{name}/figures`: what callers did in a flow',
        'api/figures > counts steps and ways of the calls of the project',
      ),
      row(
        'route-events',
        '`GET /voice/v1/events`: what happens to calls, as it happens; a client that comes back within a minute misses nothing',
        'api/event-stream > begins with reset, then tells calls, their steps and their ends',
        'api/event-stream > goes on where it was after a break: nothing is lost, and nothing comes twice',
        'api/event-stream > is of nobody else: another project sees its own calls only, and without credentials nobody sees any',
        'api/event-stream > cuts off who takes nothing, and no call waits for that',
      ),
      row('route-play', '`PUT /voice/v1/call/{voice_id}/play`', PLAYED),
      row('route-connect', '`PUT /voice/v1/call/{voice_id}/connect`', BRIDGED),
      row(
        'route-transfer',
        '`PUT /voice/v1/call/{voice_id}/transfer`: attended',
        'api/connect > PUT /transfer: the caller is connected with the new party when it answers',
        'api/connect > PUT /transfer: the caller is back with the old party when the new one does not answer',
      ),
      row(
        'route-forward',
        '`PUT /voice/v1/call/{voice_id}/forward`',
        'api/connect > PUT /forward: %s is called, and the old party is let go at once',
      ),
      row(
        'route-hold',
        '`POST /voice/v1/call/{voice_id}/hold`',
        'api/connect > %s /hold: true holds with music, false takes back',
      ),
      row('route-recording', '`PUT /voice/v1/call/{voice_id}/recording`', RECORDED),
      row(
        'route-recording-file',
        '`GET /voice/v1/recording/{recording_id}`',
        'api/recording > GET %s/{recording_id}: is the file',
      ),
      row(
        'route-hang-up',
        '`DELETE /voice/v1/call/{voice_id}`',
        'api/calls > ends the call with success, then the call is over for every command',
        'api/calls > before the answer cancels the call',
      ),
      row('route-accept', '`POST /voice/v1/call/{voice_id}/accept`', ACCEPTED),
      row('route-stream', '`PUT /voice/v1/call/{call_id}/stream`', STREAMED),
      row(
        'route-stream-stop',
        '`DELETE /voice/v1/call/{call_id}/stream`',
        STREAMED,
        'api/stream > DELETE /stream: 409 when there is none',
      ),
      row('route-conference', '`POST /voice/v1/conference`', CONFERENCE_OUT),
      row('route-conference-join', '`PUT /voice/v1/conference/{conference_id}`', CONFERENCE_JOIN),
      row('route-conference-accept', '`POST /voice/v1/conference/{voice_id}`', CONFERENCE_IN),
      row('route-conference-accept-join', '`PUT /voice/v1/conference/{voice_id}/{conference_id}`', CONFERENCE_IN),
      row(
        'route-conference-list',
        '`GET /voice/v1/conference`',
        'api/conference > GET /conference: lists those that go on, the latest first, and who is there',
      ),
      row(
        'route-queue-list',
        '`GET /voice/v1/queue`',
        'api/conference > GET /queue: lists who waits since when, and who talks to whom',
      ),
      row(
        'route-room-join',
        '`POST /voice/v1/room/{room_id}/join`',
        'api/room > POST /room/{room_id}/join: dials out, and joins on connect; events report joined and left',
      ),
      row(
        'route-room-join-call',
        '`PUT /voice/v1/room/{room_id}/call/{voice_id}/join`',
        'api/room > PUT /room/{room_id}/call/{voice_id}/join: takes a call there that is up',
      ),
      row(
        'route-room-pin',
        'a caller joins a room by its PIN',
        'api/room > inbound: joins the room whose PIN it enters, and is asked again for a wrong one',
      ),
      row('route-broadcast', '`POST /voice/v1/broadcast`', BROADCAST_MADE, BROADCAST_TOLD),
      row(
        'route-broadcast-variants',
        'its body in both variants',
        'api/broadcast-bodies > variant A',
        'api/broadcast-bodies > variant B',
      ),
      row(
        'route-broadcast-handler',
        '`call_handler_url` receives the events of each call',
        'api/broadcasts > reports calls to call_handler_url, and the broadcast to event_url',
      ),
      row(
        'route-broadcast-report',
        '`GET /voice/v1/broadcast/{app_instance}`, during the broadcast and after it',
        BROADCAST_REPORT,
        'api/broadcasts > is had in pages while it goes on: every number once, in the order in which they were given',
      ),
      row('route-broadcast-stop', '`DELETE /voice/v1/broadcast/{app_instance}`', BROADCAST_STOPPED, BROADCAST_HANGS_UP),
      row(
        'route-broadcast-play',
        '`PUT /voice/v1/broadcast/{app_instance}/call/{voice_id}/play`: 202',
        BROADCAST_PLAYS,
      ),
      row(
        'route-broadcast-connect',
        '`PUT /voice/v1/broadcast/{app_instance}/call/{voice_id}/connect`: 202',
        BROADCAST_CONNECTS,
      ),
      row(
        'route-broadcast-hangup',
        '`DELETE /voice/v1/broadcast/{app_instance}/call/{voice_id}`: 200',
        BROADCAST_CALL_ENDS,
      ),
      row('route-described', 'every route is described, and none that is not there', ALL_THERE, IS_THERE),
    ],
    later: ['the video routes, `/video/v2/…`'],
  },
  {
    title: 'Authentication',
    rows: [
      row(
        'auth-basic',
        'every route: Basic credentials',
        'api/routes > with %s is refused',
        'api/routes > is taken in any case of the scheme',
      ),
      row(
        'auth-401',
        'without: 401, on broadcast routes with `error_description`',
        'api/routes > is asked for before the body is looked at, and in the words of broadcasts on their routes',
        'api/broadcasts > without credentials is 401, before a byte of its body is read',
      ),
      row(
        'auth-recordings',
        'recordings are not public',
        'api/recording > GET /recording: 404/404 for another project, as for one that never was',
      ),
      row(
        'auth-webhooks',
        'deliveries are protected: signatures',
        'webhooks/http-sender > accepts every event of a call, in order, with the library of the specification',
      ),
    ],
    later: ['tokens of video sessions', 'archive files'],
  },
  {
    title: 'Events',
    rows: [
      row(
        'event-call',
        'call state: `voice_id`, `state`, `from`, `to`, at the end `disconnect_reason`',
        TELLS_ALL,
        'webhooks/events > disconnected says why the call ended and how long the parties talked',
        'webhooks/events > a busy callee is disconnected with the documented reason and a duration of 0',
      ),
      row(
        'event-call-recording',
        'call state: `recording_url`, `recording_duration`',
        'api/recording > PUT /recording: one that goes on when the call ends is completed before disconnected, which has it too',
        'webhooks/events > the end of the call has the URL and the duration of its recording',
      ),
      row(
        'event-incoming',
        'incoming call: at once, or after the greeting',
        ACCEPTED,
        'api/calls > hears the greeting before the application is notified, without being answered',
      ),
      row('event-accepted', 'accepted call: `connected`', ACCEPTED),
      row(
        'event-dtmf',
        'DTMF: `voice_id`, `state`, `digit`, only once bridged',
        'api/connect > DTMF: a digit of a bridged call is dtmfcollected',
        'webhooks/events > is not an event when it is masked',
      ),
      row(
        'event-play',
        'play: `play_id`, `playstate`, `prompt_ref`, digits, `description`',
        'webhooks/events > a prompt that REST asked for has its own id and reference',
        'webhooks/events > shortens descriptions',
        DIGITS,
      ),
      row('event-speech', 'speech: `state`, `text`, `reason`, `playstate: speech_recognized`', RECOGNIZED, SILENT),
      row(
        'event-bridge',
        'bridge: its states, with the parties',
        'webhooks/events > %s has the parties of the bridge',
        BRIDGE_FAILS,
      ),
      row(
        'event-recording',
        'recording: `state`, `description`',
        RECORDED,
        'webhooks/events > failed has a description, and no URL',
      ),
      row(
        'event-disconnect',
        'disconnect after a hang-up',
        'api/calls > ends the call with success, then the call is over for every command',
      ),
      row('event-stream', 'media stream: its states, with the parties', STREAMED),
      row(
        'event-broadcast',
        'broadcast initiated and completed: `app_instance`, `application_name`, `resultset` with `successfull_calls` and `failed_calls`',
        BROADCAST_TOLD,
        'webhooks/broadcast-events > report the end with its counts, in both spellings',
      ),
      row(
        'event-broadcast-call',
        'each call of a broadcast: the events of an outbound call',
        BROADCAST_TOLD,
        'webhooks/events > names its broadcast in every event',
      ),
      row('event-broadcast-play', 'play event of a broadcast call', BROADCAST_PLAYS),
      row(
        'event-broadcast-bridge',
        'bridge event of a broadcast call: `bridging`, `bridged`, `bridge_failed`, `bridge_disconnected`, `disconnected`',
        BROADCAST_CONNECTS,
        BROADCAST_BRIDGE_FAILS,
        BROADCAST_CALL_ENDS,
      ),
      row(
        'event-owner-ref',
        '`owner_ref` is given back as it was',
        'webhooks/events > includes the owner reference unchanged',
      ),
    ],
    later: ['`user-connected`, `user-disconnected`'],
  },
  {
    title: 'Errors',
    rows: [
      row(
        'error-400-play',
        '400/400 play: media request failed',
        'api/errors > 400/400 play: media request failed (the call is over)',
      ),
      row(
        'error-400-analyze',
        '400 analyze: unspecified failure',
        'api/errors > 400/number analyze: unspecified failure (an id that cannot be read)',
      ),
      row(
        'error-404-6110-bridge',
        '404/6110 bridge: no service for the number',
        'api/errors > 404/6110 bridge: no service configured for the number',
      ),
      row(
        'error-404-6110-stream',
        '404/6110 media stream: no service',
        'api/errors > 404/6110 media stream: no service configured',
      ),
      row(
        'error-404-6118',
        '404/6118 bridge: phone number not found for the service',
        'api/errors > 404/6118 bridge: phone number not found for the service',
      ),
      row(
        'error-404-recording',
        '404/404 recording file not found',
        'api/errors > 404/404 retrieve recording: recording file not found',
      ),
      row(
        'error-405-6112',
        '405/6112 play: call is bridged',
        'api/errors > 405/6112 play: call is bridged, media cannot be played',
      ),
      row(
        'error-406-6117',
        '406/6117 voice or language not supported',
        'api/errors > 406/6117 play: voice or language not supported for text-to-speech',
      ),
      row('error-408-6114', '408/6114 play request pending', 'api/errors > 408/6114 play: play request pending'),
      row(
        'error-408-recording',
        '408/408 call is already recording',
        'api/errors > 408/408 start recording: call is already recording',
      ),
      row('error-409', '409/409 call not bridged yet', 'api/errors > 409/409 %s: call not bridged yet'),
      row(
        'error-500-6119',
        '500/6119 failed to start recording',
        'api/errors > 500/6119 recording: failed to start recording on bridge',
      ),
      row('error-500', '500/500 internal server error', 'api/errors > 500/500 %s /%s: internal server error'),
      row(
        'error-503-6107',
        '503/6107 error doing text-to-speech conversion',
        'api/errors > 503/6107 play: error doing text-to-speech conversion',
      ),
      row('error-400-broadcast', '400 broadcast: CLI not assigned or wrong', BROADCAST_REFUSED),
      row(
        'error-401-broadcast',
        '401 broadcast: not authorized',
        'api/broadcasts > without credentials is 401, before a byte of its body is read',
      ),
      row('error-404-broadcast', '404 broadcast: application not found', BROADCAST_UNKNOWN),
      row(
        'error-broadcast-body',
        'the body of broadcasts: `app_instance` or `application_name`, `state` `failed`, `error_description`, `timestamp`',
        BROADCAST_REFUSED,
        BROADCAST_UNKNOWN,
        'api/broadcasts > with %s keeps the status of %s, in the words of broadcasts',
      ),
      row(
        'error-body',
        'the body: `result`, `msg`, `state` or `playstate` `failed`, `voice_id`, `from`, `to`, `timestamp`',
        'api/errors > 404/6110 bridge: no service configured for the number',
        IS_THERE,
      ),
    ],
  },
  {
    title: 'Limits',
    rows: [
      row(
        'limit-start-timeout',
        '`start_timeout`: 1 to 10 seconds',
        'api/calls > %s is refused before anything is heard',
      ),
      row(
        'limit-break',
        'text-to-speech `break`: below 5000',
        'calls/speech-option > pauses %s as %i ms',
        'calls/speech-option > refuses %j at %s',
      ),
      row(
        'limit-broadcast-interval',
        '`interval_between_retries`: default 5 seconds',
        'api/broadcast-bodies > has the defaults of the interface',
      ),
      row(
        'limit-broadcast-retries',
        '`number_of_retries`: default 3',
        'api/broadcast-bodies > has the defaults of the interface',
      ),
      row(
        'limit-recording-name',
        'a recording name is there once',
        'api/recording > PUT /recording: 409 for a name that there is, in the same project',
      ),
    ],
    later: ['those of rooms and tokens'],
  },
  {
    title: 'Settled: commands for authors',
    rows: [
      row(
        'author-files',
        '`check` reads flow files only; other JSON and YAML beside them is left alone',
        'cli/check > other files are ignored unless they are named',
        'flow/flow-library > leaves other files alone that lie beside flows, and reads what looks like a flow but cannot be read',
      ),
      row(
        'author-findings',
        'findings quote names, are reported once with all their places, and do not hide each other',
        'cli/check > messages quote names: a step may be called a',
        'cli/check > equal findings of a file are printed once with all positions, and counted',
        'flow/shape > and what it may have caused is not told',
      ),
      row(
        'author-subflows',
        '`test` finds the flows that a flow calls where `check` does',
        'cli/test > a test finds subflows in the whole folder that was named, as check does',
        'cli/test > of two flows of one name a test uses the one beside it',
      ),
      row(
        'author-start',
        'the service starts as the documentation shows it, and without a folder of flows where none is named',
        'cli/start > starts with the configuration and the secrets of docs/operations.md',
        'app/app > needs no directory of flows where none is named, as for an application that decides everything',
        'cli/start > prints credentials once, addresses and what to try, and stops when asked',
      ),
      row(
        'author-credentials',
        '`credentials new` makes a new key for a project, shown once, while the service stands and while it runs',
        'cli/credentials > while the service is stopped, the new key is shown once and works, and the old one does not',
        'cli/credentials > while the service runs, it is asked with the token of the configuration',
      ),
      row(
        'author-call',
        '`call` reads input by its declared type, presses keys of the other side, and masks what is sensitive',
        'cli/call > --input is read by its declared type: digits stay text where text is declared',
        'cli/call > the other side of a screened call can press a key',
        'cli/call > sensitive keys, words and prompts are masked on screen',
      ),
      row(
        'author-time',
        'expressions say the time of a zone, summer time included; the first flow of the README does',
        'cli/docs > the first flow of the README is valid, passes its test, and says the local time of its time zone',
      ),
      row(
        'author-outcomes',
        'the page of verbs lists every outcome, when it is possible and where it goes unrouted',
        'cli/verbs-page > describes all outcomes of %s, and what happens to each that is not routed',
      ),
    ],
  },
  {
    title: 'Settled: rules for clients as they are',
    rows: [
      row(
        'rule-1',
        '1. the response leaves before the first event of its action; events of a call arrive in order, one at a time',
        'api/events > %s /%s: the response leaves before the first event that it causes',
        'webhooks/dispatcher > sends the events of a call one at a time, in order',
      ),
      row(
        'rule-2',
        '2. every response is one JSON document with its length',
        'api/routes > carry their length and id, and headers against caching and framing',
        'api/routes > answer requests that are not HTTP with JSON, too',
      ),
      row('rule-3', '3. an empty JSON body is valid', 'api/recording > PUT /recording: an empty body starts', IS_THERE),
      row(
        'rule-4',
        '4. `accept`, `hold` and `play` take POST and PUT; trailing slashes do not matter',
        ALL_THERE,
        'api/connect > %s /hold: true holds with music, false takes back',
        'api/routes > %s… finds the call, with and without a slash behind',
      ),
      row(
        'rule-5',
        '5. control responses carry `state` and `status`, `voice_id`, `from`, `to`, `timestamp`',
        PLAYED,
        IS_THERE,
      ),
      row('rule-6', '6. digits are strings, and reported as `digit` and `digits`', DIGITS),
      row('rule-7', '7. a play with `dtmf` ends in exactly one final event', DIGITS, NO_DIGITS),
      row(
        'rule-8',
        '8. a receiver answers 2xx with any body; a failing one stops nobody else’s events',
        'webhooks/dispatcher > counts the event as delivered and changes nothing for an answer that is %s',
        'webhooks/dispatcher > a failing event delays its successors and no other events',
      ),
      row(
        'rule-9',
        '9. `connect` and `play` before the answer wait for it',
        'api/connect > PUT /connect: before the answer is queued until it is there',
        'api/calls > before the answer waits for it; a second one does not fit',
      ),
      row(
        'rule-9-prompts',
        '9. `connect`, conference and room orders during a prompt end it, which is reported, and go on',
        'api/concurrent-commands > %s ends it, and goes on',
        'api/concurrent-commands > that asks for digits, %s fails it, and goes on',
        'api/concurrent-commands > that a dial-out began with, connect ends it, and goes on',
        'api/concurrent-commands > once accepted hears a greeting that a connect ends',
        'api/concurrent-commands > a call that rings forgets it for a connect, and says so',
        'api/concurrent-commands > of a flow that decides by itself what comes next, connect is 409, and nothing ends',
        'steps/rest-control > ends a prompt, a conference or a room for the next command',
      ),
      row(
        'rule-9-places',
        '9. out of a conference or a room, `connect` and `join` leave it',
        'api/concurrent-commands > %s: the order (%s, then %s) leaves it, is told so, and goes on',
        'api/concurrent-commands > of a call that is answered with an order to an event, the order ends it, and goes on',
        'api/concurrent-commands > a call that left a conference is not hung up with it',
        'api/concurrent-commands > a member that is held there is not held any more',
      ),
      row(
        'rule-9-refusals',
        '9. what does not fit the state of a call is 409 in words that name the state; 6112 and 6114 are for `play` alone',
        'api/concurrent-commands > %s of a call %s is 409: %s',
        'api/concurrent-commands > a conference that it is in already is 409, and it stays there',
        'api/connect > PUT /connect: 409 while the call is bridged already',
        'api/connect > PUT /play: 405/6112 while the call is bridged',
        'api/errors > 408/6114 play: play request pending',
      ),
      row(
        'at-once-recording',
        'the file of a recording is opened before the answer: 500/6119 when it cannot be',
        'api/recording > PUT /recording: 500/6119 when its file cannot be opened, and its name may be given again',
      ),
      row(
        'at-once-speech',
        'a text whose voice refuses or is away within half a second is 503/6107; later it is `failed`',
        'api/immediate-answers > PUT /play: is 503/6107, and no event is sent',
        'api/immediate-answers > POST /call: is 503/6107, and no call is dialled',
        'api/immediate-answers > POST /broadcast: for %s is 503/6107, and nobody is dialled',
        'api/immediate-answers > in the answer to an event changes nothing, and is a diagnostic',
        'api/immediate-answers > PUT /play: is answered after half a second',
        'speech/audio-library > is made once for who asks whether it can be had, and who then hears it',
      ),
      row(
        'at-once-events',
        'a dial-out whose event URL is disabled says so in `msg`',
        'api/immediate-answers > %s: says so in msg',
      ),
      row(
        'end-play',
        '`DELETE /voice/v1/call/{voice_id}/play` ends a prompt, which has one end; 409 where nothing is played',
        'api/concurrent-commands > DELETE /play: ends %s, which has one end, and the call takes the next',
        'api/concurrent-commands > DELETE /play: a prompt of a flow is over, and the flow goes on',
        'api/concurrent-commands > DELETE /play: one that waits for the answer is failed, and never heard',
        'api/concurrent-commands > DELETE /play: 409 where nothing is played, and for a second time',
      ),
      row(
        'join-accepts',
        'conference and room orders for a call that was not accepted accept it, by REST and in answers to events',
        'api/concurrent-commands > is accepted by the order to join a %s',
        'api/concurrent-commands > is accepted by the answer to its incomingcall that names a %s',
        'api/concurrent-commands > is accepted by an order that comes while its greeting is heard, after that',
        'api/concurrent-commands > is not accepted by a connect, which waits for that',
        CONFERENCE_IN,
      ),
      row(
        'rule-10',
        '10. enum words in any case, numbers as strings and the other way round',
        'api/routes > with values in the wrong clothes are taken, and given back in the documented type',
        DIGITS,
      ),
      row(
        'idempotency-key',
        'what dials counts once with an `Idempotency-Key`: the same answer for 24 hours and no second call, also over a crash',
        'api/idempotency > %s: gives the same answer again, and makes nothing twice',
        'api/idempotency > of a conference: a second one dialled into it counts once',
        'api/idempotency > %s /connect: connects once',
        'api/idempotency > with %s is refused, in the words of the route, and dials nobody',
        'api/idempotency > of requests at the same time: one dials, all are answered alike',
        'api/idempotency > of a request that was refused is free again',
        'api/idempotency > is its project’s own, and counts for a day',
        'api/idempotency > that %s is refused',
        'api/idempotency > %s: counts over a crash right after the answer',
      ),
      row(
        'one-end',
        'every accepted action has exactly one end that is reported, with its id, before the end of its call: over hang-ups, stops and crashes',
        'runtime/ends > has one end, over whatever happens on the call',
        'runtime/ends > has one end, over a crash after any decision',
        'runtime/ends > is told nothing of by a crash after its end',
        'api/action-ends > %s has its end reported once, before the end of the call',
        'api/action-ends > %s that waits for the answer is reported as failed, before the call',
        'api/action-ends > a call out for %s that is not answered never joined, which is told',
        'crash/kills > everything has one end, no call is lost, every recording plays',
      ),
      row(
        'recording-recovered',
        'a recording that a crash cut off is kept as far as it was written, reported as `recovered`, and downloaded',
        'api/action-ends > a recording is kept as far as it was written: reported as recovered, and downloaded',
        'api/action-ends > a recording without audio is reported as failed, and its name can be used again',
        'media/media-stores > cut off by a crash at %s are repaired as far as they were written, also twice',
      ),
      row(
        'transfer-told',
        'a transfer that succeeds is reported as `transferred`, with its `channel_id`',
        'api/action-ends > PUT /%s that succeeds is told as transferred, with its channel_id',
      ),
      row(
        'dial-written',
        'what dials is written before it is acknowledged; what was not dialled when the service died is reported as failed',
        'api/durability > %s %s is answered, and dialled, when it is written down',
        'api/durability > PUT /voice/v1/conference/{conference_id} is answered when it is written down',
        'api/durability > and cannot be stored is refused, and nothing is dialled',
        'api/durability > was stored and not dialled is reported as failed after a restart, and nothing is dialled',
      ),
    ],
  },
  {
    title: 'Settled: aliases',
    rows: [
      row('alias-calls', '`/voice/v1/calls…`', 'api/routes > %s… finds the call, with and without a slash behind'),
      row(
        'alias-post-call',
        '`POST /voice/v1/calls/{id}` with `{"play": {}}` or `{"connect": {}}`',
        'api/routes > POST /voice/v1/calls/{id} with {"play": {}} plays',
        'api/connect > POST /voice/v1/calls/{voice_id}: {"connect": {…}} is the same',
      ),
      row('alias-play', 'a play body wrapped in `{"play": {…}}`', DIGITS),
      row(
        'alias-stream',
        '`stream_dest`: `wss_host`, `url`, `action_on_connect.stream`',
        STREAMED,
        'api/stream > action_on_connect.stream: the sound is forked from the answer on',
      ),
      row(
        'alias-forward',
        'forward `to`: `transfer_to`',
        'api/connect > PUT /forward: %s is called, and the old party is let go at once',
      ),
      row(
        'alias-app-instance',
        '`app_instance`: `broadcast_id` and `appInstance`, in responses and in events',
        BROADCAST_MADE,
        BROADCAST_TOLD,
        BROADCAST_PLAYS,
      ),
      row(
        'alias-application-name',
        '`application_name`: `name`, `applicationName`',
        'api/broadcast-bodies > is called by %s',
      ),
      row(
        'alias-broadcast-numbers',
        '`broadcast_numbers_array`: by four names, as a list, as JSON in a text, or with commas; what an item has besides is the input of its flow',
        NUMBER_WAYS,
        'api/broadcast-bodies > may have more, which is the input of their flow',
        'api/broadcasts > gives each flow what its number has',
      ),
      row(
        'alias-call-handler',
        '`call_handler_url`: `callhandler_url`; where there is none, `event_url`',
        'api/broadcast-bodies > has its events handled by %s',
        BROADCAST_TOLD,
      ),
      row(
        'alias-broadcast-retries',
        '`IntervalBetweenRetries`, `NumberOfRetries`, and the same with a small letter; from 1000 on milliseconds',
        'api/broadcast-bodies > waits between calls as %s says, in seconds or in milliseconds',
        'api/broadcast-bodies > calls again as %s says',
      ),
      row(
        'alias-broadcast-play',
        '`PUT /broadcast/{id}/play` and `POST /broadcast/{id}` with `voice_id` in the body',
        BROADCAST_PLAYS,
        BROADCAST_CONNECTS,
      ),
      row(
        'alias-recording',
        '`/voice/v1/recording/{service_id}/{recording_id}`',
        'api/recording > GET %s/{recording_id}: is the file',
      ),
    ],
    later: ['those of video rooms'],
  },
  {
    title: 'Settled: credentials, numbers, calls',
    rows: [
      row(
        'project-keys',
        '`app_id:app_key`; only a hash of the key is kept',
        'calls/project-key > matches its own hash and no other key does',
        'security/sign-in > keeps no key that could be read',
      ),
      row(
        'project-apart',
        'an id of another project is 404, as an unknown one',
        OTHERS_CALL,
        'api/conference > %s /conference/{conference_id}%s: 404, as for one that never was',
      ),
      row(
        'numbers',
        'numbers, prompts, schedules and routes come from a file and an admin API with its own credential',
        'api/admin > are there for the next call, in any spelling, and gone when they are removed',
        'api/admin > takes its own credential alone, and asks for it before it looks at anything',
        'api/admin > a schedule is known to the flows of the next request, and decides the next call',
      ),
      row(
        'number-unknown',
        'a call to an unknown number is rejected with 404',
        'api/calls > to an unknown number is refused as such',
      ),
      row(
        'number-flow',
        'a number with a flow runs it',
        'api/calls > on a number with a flow runs it with its input, whatever marks the number was dialled with',
      ),
      row(
        'number-greeting-heard',
        'a number’s `greeting` is heard `before_accept` or `after_connect`; then it is reported as `playfinished` without `prompt_ref`; who leaves during it is `incomingcall`, then `disconnected`',
        'api/greetings > is reported as a play without a reference, once the call is accepted',
        'api/greetings > does not send an event%s',
        'api/greetings > whose caller hangs up meanwhile is reported as incomingcall, then disconnected',
        'api/greetings > whose service crashes meanwhile is reported as incomingcall, then disconnected',
        'api/admin > greet callers and called parties, before and after the connection',
      ),
      row(
        'options',
        '`OPTIONS` answers one JSON document and the right `Allow` on every path, without credentials',
        'api/options > %s tells the methods that are taken there, as JSON and in Allow, without credentials',
        'api/options > is answered 404 on unknown paths, and on /admin without an administrator',
      ),
      row(
        'disconnected-room',
        '`disconnected` of a call in a room carries `room_id`',
        'api/room > POST /room/{room_id}/join: dials out, and joins on connect; events report joined and left',
        'api/room > POST /room/{room_id}/join: a call that REST hangs up in the room is disconnected with its room_id',
        'api/room > POST /room/{room_id}/join: a call that left the room for something else is disconnected without',
        'api/room > POST /room/{room_id}/join: a call that a crash cut off in the room is disconnected with its room_id',
      ),
      row(
        'broadcast-complete-last',
        '`broadcastcomplete` comes after the last event of its calls to the same URL, across retries and restarts',
        'api/broadcast-end > comes after the last event of its calls, which is tried again, with %s',
        'api/broadcast-end > waits over a restart of the service',
        'api/broadcast-end > does not wait for events to other URLs',
      ),
      row(
        'own-flows',
        'flows of one’s own folder may use those that come with the service (`subflow: rest-control`)',
        'api/project-flows > hand the call over to REST, where a number or a request names them',
        'cli/check > flows of a folder can call the built-in flows',
        'flow/flow-library > lets flows of the directory use those that come with the program',
      ),
      row(
        'number-outbound-greeting',
        'a number’s `outbound_greeting` is heard when a dialled call without an action is answered, and reported likewise',
        'api/greetings > is heard when a dialled call without an action is answered, and reported as a play',
        'api/greetings > is not heard by a call with %s',
        'api/greetings > belongs to the number that is shown',
      ),
      row(
        'number-webhook',
        'a number with a webhook: greeting, `incomingcall`, accept within 30 s, then REST',
        'api/calls > hears the greeting before the application is notified, without being answered',
        'api/calls > that is not accepted is dropped after half a minute',
        'api/calls > is answered by itself where the number says so',
      ),
      row(
        'final-event',
        'every call ends with exactly one final event',
        OUTCOMES,
        'api/calls > the calls of before get one final event each, and are over',
      ),
      row('reasons', '`disconnect_reason` in the documented words, else those of Q.850', OUTCOMES),
      row(
        'room-states',
        'rooms: response `initiated`, events `joined` and `left`',
        'api/room > POST /room/{room_id}/join: dials out, and joins on connect; events report joined and left',
      ),
      row('analyze-after', 'analyze after the end: `disconnected`', OUTCOMES),
      row(
        'number-shared',
        'a shared number is reached by its pin',
        'api/shared-number > asks for a PIN, reports the call to the project of the PIN, and is then steered',
        'api/shared-number > belongs to every project that shares it, each reached by its own pin',
        'api/shared-number > runs the flow of the called project, for which the call is answered already',
        'api/shared-number > hangs up after three wrong PINs, and refuses callers after five such calls within a minute',
      ),
    ],
    later: ['shared numbers by the admin API'],
  },
  {
    title: 'Settled: strangers on SIP',
    rows: [
      row(
        'sip-forged-guesses',
        'nobody is shut out by forged datagrams: an answer to a nonce that was given elsewhere is asked for again, and does not count as a guess; carriers and known phones are always heard',
        "security/forged-datagrams > in a carrier's name leave its calls alone; whoever really guesses is shut out",
        'security/forged-datagrams > in the name of %s leave its calls alone, by whatever port it is imitated',
        'security/forged-datagrams > do not reveal whether they were right',
        'e2e/strangers > that forge password attempts from the address of a carrier do not block its calls',
        'security/forged-datagrams > is shut out, and a phone that is registered there calls on',
        'security/forged-datagrams > is answered a little, and what makes sense is read',
        'security/forged-datagrams > in the name of a registered phone do not use up its calls',
        'security/forged-datagrams > leave calls by connections from the same address alone',
        'security/forged-datagrams > lock out the users that are guessed at, and not other users of the carrier',
      ),
      row(
        'sip-connections',
        'connections: ten seconds to the first whole message; when all places are taken the longest silent one goes; ours, carriers and registered phones have a reserve; no TLS renegotiation',
        'security/sip-connections > is closed that says nothing whole within ten seconds, however it keeps itself busy',
        'security/sip-connections > goes for a newcomer where all places are taken, when it has been silent for longest',
        'security/sip-connections > of a carrier or a registered phone, or of ours, has a place however many strangers come',
        'security/sip-connections > is refused, and others notice nothing',
        'security/sip-connections > leave strangers their places, however often strangers have it call',
        'security/sip-connections > go for a carrier that comes, the longest silent first, and not for a stranger',
      ),
      row(
        'sip-strangers-limit',
        "strangers' calls: so many at once and so many unanswered from one source; others, carriers and users notice nothing",
        'security/unknown-callers > has a limit of unanswered calls and of all calls; other sources are not affected',
        'security/unknown-callers > has room again when calls end',
        'e2e/strangers > that call from one address have a limit of calls, and others are not affected',
      ),
      row(
        'sip-strangers-refusals',
        'refusals to strangers over UDP are answered once and statelessly, and are hardly longer than the request',
        'security/unknown-callers > %s goes out once, is kept nowhere, and is the same when the request comes again',
        'security/unknown-callers > of a reported call is sent once, and a repeated request makes no second call',
        'e2e/strangers > that do not acknowledge a refusal are sent it once',
        'security/unknown-callers > is not longer than what was asked, so that forging an address gains nothing',
      ),
      row(
        'sip-strangers-silence',
        "a stranger's call without any RTP or RTCP for a minute ends",
        'security/unknown-callers > ends after a minute, when it is a stranger’s',
        'security/unknown-callers > goes on, when it is a carrier’s',
        'security/unknown-callers > is missed after a minute',
        'e2e/strangers > that send no audio are hung up; those that do, and carriers, continue',
        'security/unknown-callers > is not missed for a minute after %s',
        'security/unknown-callers > is not missed while we hold the caller, and a minute after that',
        'security/unknown-callers > is missed from the answer on, however long its caller listened before that',
      ),
      row(
        'sip-replaces',
        "the `Replaces` of a project's calls only by its own users; for others such a call is not there (481)",
        'security/replaces > is taken over by one of its users',
        'security/replaces > is, for a user of another project, a call that is not there',
        'security/replaces > is not merged into another (REFER) %s',
        'security/replaces > is not merged into one of another project, not even by its own user',
        'app/take-overs > a call is of the project that dials it, a phone of the one that it is given to, or of the first',
      ),
    ],
  },
  {
    title: 'Settled: broadcasts',
    rows: [
      row(
        'broadcast-states',
        '`initiated` → `running` → `completed`; `stopped` after DELETE; `failed`',
        BROADCAST_REPORT,
        'api/broadcasts > twice is 200 again, with the state; also when it is over',
        'calls/broadcast/calling-window > fails when its schedule is gone',
      ),
      row(
        'broadcast-retried',
        'numbers are called again after busy, no answer and network failure, never after they were connected',
        BROADCAST_REPORT,
        'calls/broadcast/retry > never after they were connected',
      ),
      row('broadcast-amd', '`AMD` where a machine answered and that was asked for', BROADCAST_REPORT),
      row(
        'broadcast-most',
        'limits: 100,000 numbers, 10 MiB',
        'api/broadcast-bodies > are a hundred thousand at most',
        'api/broadcasts > may have ten mebibytes, where others may have one',
      ),
      row(
        'broadcast-duplicates',
        'duplicates are dialled once and reported once',
        BROADCAST_MADE,
        'calls/broadcast/numbers > are called once however often they are there, and as they were written first',
      ),
      row(
        'broadcast-invalid',
        'an invalid number refuses the whole request, all of them named',
        BROADCAST_REFUSED,
        'api/broadcast-bodies > are named when they cannot be called, all of them, whatever is wrong',
      ),
      row(
        'broadcast-window',
        'calling windows by `call_param.window`',
        'api/broadcast-bodies > calls in a window: %s',
        'calls/broadcast/calling-window > waits until its window opens, and dials nothing after it has closed',
      ),
      row(
        'broadcast-pacing',
        'pacing by `call_param.calls_per_second` and `call_param.max_concurrent`, else that of the project',
        'api/broadcast-bodies > paces, rings and waits as it says',
        'calls/broadcast/fair-share-limiter > never exceed those of the broadcast',
        'calls/broadcast/fair-share-limiter > of a project are shared among its broadcasts',
      ),
      row(
        'broadcast-stop',
        'stop: nothing new is dialled; calls are hung up with `{hangup: true}`, else end by themselves',
        BROADCAST_STOPPED,
        BROADCAST_HANGS_UP,
      ),
      row(
        'broadcast-do-not-call',
        'numbers that no broadcast of the project calls (ours)',
        'api/do-not-call > is heeded by broadcasts, also by those that go on',
      ),
    ],
  },
  {
    title: 'Settled: conferences, hold, streams, recordings',
    rows: [
      row('conference-resource', 'a conference: its id, name, state and participants', CONFERENCE_OUT, CONFERENCE_JOIN),
      row(
        'conference-participant',
        '`PUT …/participant/{voice_id}`: `muted`, `hold`',
        'api/conference > PUT /participant: mutes, and takes it back',
        'api/conference > PUT /participant: holds, with music, and takes back',
      ),
      row(
        'conference-delete',
        '`DELETE` ends it',
        'api/conference > DELETE /conference: ends it, and hangs up the calls that were made for it',
      ),
      row(
        'conference-last',
        'it ends when its last member leaves',
        'api/conference > PUT /conference/{conference_id}: a member that leaves is reported, and the last one ends it',
      ),
      row(
        'hold-answer',
        'hold answers `success` with `hold`',
        'api/connect > %s /hold: true holds with music, false takes back',
      ),
      row(
        'stream-format',
        'streams: G.711 µ-law in JSON frames, both ways when asked for',
        'media/stream > sends `connected`, `start_media` with the call, numbered frames, and `stop_media`',
        'media/stream > in both directions accepts `media` and `clear_media`, and nothing else',
      ),
      row(
        'strict-bridge-state',
        '`strict_bridge_state: false` lets calls be recorded and streamed that are not bridged',
        'api/recording > PUT /recording: strict_bridge_state false lets a call be recorded that is not bridged',
        'api/stream > PUT /stream: strict_bridge_state false lets a call be streamed that is not bridged',
      ),
      row(
        'stop-always',
        'recordings and streams can be stopped and paused in every state of the call',
        'api/recording > PUT /recording: is stopped during %s',
        'api/recording > PUT /recording: one of %s outlives the bridge, and is paused and stopped after it',
        'api/stream > action_on_connect.stream: goes on when a bridge ends, until it is stopped',
        'runtime/commands > asked for %s: %s',
      ),
      row(
        'ends-with-bridge',
        'what REST started on a bridge under `strict_bridge_state` ends with that bridge, which is reported; not with a transfer',
        'api/recording > PUT /recording: one that was started on a bridge ends with the bridge, and events report both',
        'api/recording > PUT /recording: one that was started on a bridge outlives a %s',
        'scenarios/background > by REST, of a bridged call: until the end of the bridge, and not beyond',
        'runtime/commands > of a bridge end with it, the recording first, whichever the engine tells first',
      ),
      row(
        'outlives-bridge',
        '`auto_record`, `action_on_connect.stream` and what is started without a strict bridge go on until they are stopped',
        'api/recording > PUT /recording: one of %s outlives the bridge, and is paused and stopped after it',
        'api/stream > action_on_connect.stream: goes on when a bridge ends, until it is stopped',
      ),
      row(
        'recording-range',
        'recordings are WAV, with ranges',
        'api/recording > GET /recording: a part of it',
        'api/recording > GET %s/{recording_id}: is the file',
      ),
    ],
  },
  {
    title: 'Settled: sound and encryption',
    rows: [
      row(
        'media-latch',
        'sound comes from the port that was negotiated, or from another one after three packets in a row; where the named port was heard, only a re-INVITE moves it',
        'security/rtp-latching > stays there, however many packets come from elsewhere, and however long the phone is silent',
        'security/rtp-latching > comes back at once where somebody else was quicker, and stays then',
        'security/rtp-latching > moves with a re-INVITE, and what is on its way from the old port does not take it back',
        'security/rtp-latching > goes where three packets in a row come from: %s',
        'security/rtp-latching > finds it beside an adversary who sends at the same time: %s',
        'security/rtp-latching > is heard although copies of its packets come first from elsewhere: %s',
      ),
      row(
        'srtp-policy',
        '`srtp` per route and user, offered by default where signalling goes by TLS; `optional` calls once more without it after a 488, `required` never',
        'sip/srtp > (of all %s, of it %s) makes offers by %s secure: %s',
        'sip/srtp > (%s) answers offers by %s: plain %s, encrypted %s',
        'sip/srtp > is called again without it after a refusal with %i',
        'sip/srtp > is not called again: SRTP %s, a refusal with %i',
        'sip/srtp > get offers by their own policies, and answers are read accordingly',
        'sip/srtp > without a transport in its Contact gets keys over TLS nevertheless',
        'api/admin > routes say what they were given, but for the password',
      ),
      row(
        'client-certificates',
        'carriers are known by certificates, who has none is kept out where one is required, and we show ours',
        'sip/client-certificates > %s (%s) is treated as expected',
        'sip/client-certificates > is admitted alone where one is required; others are closed, and that is logged',
        'sip/client-certificates > is shown to the carrier it is configured for',
        'sip/client-certificates > %j and the common name %s are %j',
      ),
      row(
        'sighup',
        'SIGHUP and the end of the terminal end neither the service nor a call; SIGHUP reads certificates again',
        'cli/start > reads certificates again on SIGHUP, and keeps the old ones when they cannot be used',
        'sip/client-certificates > are used from the next connection on, and open connections continue',
        'cli/start > is not ended by SIGHUP, which is logged',
        'cli/start > goes on when its terminal is closed',
      ),
      row(
        'media-all-addresses',
        'where the service listens on all addresses, signalling and sound name the one of the route to the far end, in its family',
        'sip/own-address > (%s) to %s names the address that is reached from there',
        'sip/own-address > to phones of both families names to each the address of its own',
        'engine/addresses > hear each other, whoever calls',
        'e2e/addresses > (%s) are called and call, and have sound both ways',
        'app/config > %s',
      ),
    ],
  },
  {
    title: 'Settled: webhooks, limits',
    rows: [
      row(
        'webhook-once',
        'at least once, also through the death of the process',
        'webhooks/order > every event is accepted in the end, first tried in order; events of calls that are over are accepted in order, one at a time',
        'webhooks/dispatcher > continues with the events of an earlier process, in line and beside it, each when it is due',
      ),
      row(
        'webhook-signed',
        'signed as Standard Webhooks',
        'webhooks/http-sender > accepts every event of a call, in order, with the library of the specification',
      ),
      row(
        'webhook-retries',
        'the schedule of retries',
        'webhooks/dispatcher > retries after 1 s, 5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 3 h and 6 h, and then gives the event up',
      ),
      row(
        'webhook-dead',
        'dead events are kept, and sent again by the administrator',
        'api/admin > are listed without what they say, and sent again: one, or all of a project',
      ),
      row(
        'webhook-410',
        '410 disables the URL',
        'webhooks/dispatcher > a 410 makes the event a dead letter and disables its URL for the project',
        'api/admin > a URL that answered 410 is sent to again when it is enabled',
      ),
      row(
        'webhook-patience',
        'while a call is live its next event waits ten seconds at most',
        'webhooks/dispatcher > while its call is live, an event waits ten seconds at most, and the failing one is retried beside the line',
      ),
      row(
        'webhook-targets',
        'private addresses are refused, after name resolution',
        'http/ssrf-guard > a name that changes its mind after it was looked at reaches nothing',
        'http/ssrf-guard > localhost is refused unless loopback is allowed',
      ),
      row(
        'webhook-encrypted',
        '`webhook_format: encrypted`',
        'api/events > webhook_format encrypted: what arrives is read by openssl with the app_id',
      ),
      row(
        'webhook-steers',
        'answers that steer',
        'api/steering > %s: is done, and journalled as the answer of a webhook',
        'api/steering > outcome and set: end the step that is being run, with variables',
        'api/steering > %s: is a diagnostic on the call, and changes nothing',
      ),
      row(
        'rate-limit',
        '429 with `Retry-After`, per project',
        'api/routes > a project gets a hundred at once, then 429 with Retry-After, then fifty a second; others are not concerned',
      ),
    ],
    later: ['the `Deprecation` header: nothing is deprecated yet'],
  },
  {
    title: 'Settled: browsers, guesses, secrets, shares',
    rows: [
      row(
        'csrf-type',
        'what changes something needs `application/json`, or no body: 415',
        'security/browsers > with a body of type %s is refused: %j',
        'security/browsers > without a body is done, whatever is said of its type: %j',
      ),
      row(
        'csrf-origin',
        'and is refused (403) to pages of other origins; programs notice nothing',
        'security/browsers > is refused to a page with %j',
        'security/browsers > is done for a page of our own, and for programs',
      ),
      row(
        'cors',
        '`http.cors_origins`, default none: exact origins of browser applications',
        'security/browsers > calls out, and may read the answer and when to come again',
        'security/browsers > is told before, without credentials, what it may send to %s',
        'security/browsers > refuses %s with its place and a hint',
      ),
      row(
        'admin-guesses',
        'guesses at the token by `/health` and `/metrics` lock no other door',
        'api/service > at %s lock no door but that one',
        'api/service > at /health tell nothing: after the tenth the right one is answered as a wrong one',
      ),
      row(
        'pin-guesses',
        'wrong pins count per called number, over all sources; who knows a PIN gets through',
        'security/pins > looks at fifty wrong pins, and then at three a minute, over all of them',
        'security/pins > accepts a correct PIN within a minute from callers at other addresses than the waiting ones',
        'security/pins > accepts the PIN at once from callers who have used it before',
      ),
      row(
        'masked-urls',
        'credentials and query values of URLs are masked in journal, trace, log and lists; the URL is used as it is',
        'security/urls > of a %s step is used, and masked in the journal, which is repeated',
        'security/urls > is shown to the administrator without its secrets, enabled by what is shown, and in no log',
        'security/urls > masks the URLs of journals that were written before they were masked',
      ),
      row(
        'expression-budget',
        'expressions have 500 ms in a second and project, in slices of 10 ms; other projects’ calls do not wait for them',
        'security/expression-fairness > is given to another project within two slices, however much waits of one',
        'security/expression-fairness > is half of a second for a project, and the rest of its work is done in the next ones',
        'security/expression-fairness > lets the event loop turn after each slice',
        'security/expression-fairness > the one is done while %i of the other compute',
        'security/expression-fairness > of the whole service: a project that computes little is served before earlier ones that compute much',
      ),
      row(
        'openapi',
        '`/openapi.json`: no identical paths, every object typed, every status declared; a linter finds nothing, a generated client works',
        'api/client > has nothing that a linter finds wrong',
        'api/client > says of every object what is in it, or that anything may be',
        'api/client > makes a client that compiles in strict mode, and with which a call is made, looked at and ended',
        'api/openapi > says of one path once, whatever its parameters are called in its routes',
      ),
      row(
        'metrics-lint',
        'the figures at `/metrics` pass the lint of Prometheus',
        'observers/metrics-lint > the figures keep the rules of Prometheus for names, units and help',
      ),
      row('pin-length', 'pins of numbers have six digits, unless `pin_allow_short`', 'app/config > %s'),
    ],
  },
  {
    title: 'Settled: data and time',
    rows: [
      row(
        'targets-default',
        '`allow_private` is `none` as soon as the service listens beyond loopback or has routes',
        'app/config > allow_private is none beyond loopback, and where there are routes: %s',
        'api/admin > ends what may be sent to this machine, and the last one that goes allows it again',
      ),
      row(
        'targets-own',
        'events, requests and streams never reach our own listeners',
        'http/ssrf-guard > %s is never reached',
        'http/ssrf-guard > are not reached by a name either, also one that changes its mind, while others of the machine are',
        'api/events > no event goes to our own API',
      ),
      row(
        'data-by-name',
        'a copy of the data works on its own, and nothing outside the data directory is deleted',
        'security/recording-retention > of a copy of the data are deleted in the copy, and never where they were copied from',
        'security/recording-retention > outside the data directory are left alone: %s',
        'store/sqlite > names the recordings of an older version below its directory, also where that was moved, and leaves others',
      ),
      row(
        'time-durations',
        'durations are right when the clock is set during a call; `timestamp` is the time of day',
        'api/wall-clock > during a call: call_duration, recording_duration and the call list say how long it was',
        'api/wall-clock > during a call: its events have the new time of day, and its journal can be replayed',
        'api/wall-clock > while it rings: it rings as long as it was to',
        'api/wall-clock > during a broadcast: its report says how long its calls were',
        'api/wall-clock > during a call: the figures say how long it was',
      ),
      row(
        'disk-full',
        'while nothing can be written `/health` is `failing`; callers notice nothing, and no end and no event is lost',
        'security/disk-full > who is on the phone goes on being heard, and the end is told when there is room',
        'security/disk-full > the end of a call that died with the service is told when there is room',
        'store/write-buffer > are held in order, read as if they were written, and written when there is room, events included',
        'store/write-buffer > are bounded; beyond that only the ends of calls are held',
      ),
      row(
        'disk-full-503',
        'and dial-outs, conferences and broadcasts are 503 with `Retry-After`',
        'security/disk-full > whoever would begin a call is told to come back, and may when there is room',
      ),
      row(
        'store-locked',
        'a database that another process holds does not stop the event loop',
        'store/locked > is waited for without stopping the event loop, and written as soon as it is free',
        'store/locked > is a failure after a second, for all that wait, and well again by itself',
      ),
      row(
        'recording-url',
        '`recording_url` is a whole URL, also in the list of calls',
        'api/recording > http.public_url: is where recordings are said to be',
      ),
    ],
  },
  {
    title: 'Flows in the studio',
    rows: [
      row(
        'flow-check',
        'the text of a flow is checked with the others in sight, off the call path: bounded in time and number, and a newer check of a session takes the place of an older one, which stops early; more than is done is answered 429',
        'api/flow-files > says what is wrong, with the other flows in sight, and saves nothing',
        'workbench/workbench > does not hold the event loop up',
        'workbench/workbench > gives way to a newer one of its session, and of no other',
        'workbench/workbench > that is being done stops early when a newer one of its session comes, or nobody waits for it any more',
        'api/flow-files > is answered 429 with Retry-After when more is asked than is done, and 200 again after that',
        'api/flow-files > says that a text is that of another flow, at the place where it does',
        'workbench/workbench > that hangs is ended, and the next one is done in a new thread',
      ),
      row(
        'flow-simulate',
        'a call of a flow, saved or not, is played in virtual time by the acts of a test: no session, the same acts give the same journal; it says what it waits for, stops at breakpoints, and asks nobody outside',
        'api/flow-trials > takes the text that is sent, saves nothing, and says how it stands',
        'api/flow-trials > refuses with the place what is not written as in a test, and flows with errors',
        'workbench/simulate > gives the same journal byte for byte',
        'workbench/simulate > goes on until it is the caller’s turn, and says for which keys it waits, and how long',
        'workbench/simulate > stops before the step is entered, and is passed by the same acts',
        'workbench/simulate > without a mock stays open, and the call waits for a decision',
        'workbench/simulate > goes on with the same acts on a changed flow',
        'workbench/simulate > is bounded in virtual time, entries and wall time',
      ),
      row(
        'flow-tests',
        'the tests of a flow are run against its saved text or another, with paths, failures and counts of what they reached',
        'api/flow-trials > are played against the saved or the sent text, with paths and counts',
      ),
      row(
        'flow-take-over',
        'a real call is written as the text of a test: what is masked is named, the number of the caller does not get in, nothing is saved',
        'api/flow-trials > is taken over as a test that passes, without the number of the caller',
        'workbench/take-over > passes as a test: %s',
        'workbench/take-over > names what is masked, and still can be read',
      ),
      row(
        'flow-way',
        'the shortest way to a step that a test knows is found: the acts of a simulation that begins there',
        'api/flow-trials > finds the shortest way to a step that a test knows',
      ),
      row(
        'flow-replay',
        'the last calls of a flow are replayed against its saved text or another, and the first difference of each is named',
        'api/flow-trials > says of the last calls of a flow which would go another way now, and where',
      ),
      row(
        'flow-bytes',
        'a flow and its tests are files: their bytes are kept as they are, below `flows_directory` and nowhere else',
        'api/flow-files > is read with its bytes as they are: ends of lines, comments, marks',
        'api/flow-files > refuses what a file could not give back, and what is too large',
        'api/flow-files > neither reads nor writes through links, nor shows a file that is not UTF-8',
        'api/flow-files > lie below the directory of flows, are called tests, and name the flow',
        'api/flow-files > are listed, read, saved and removed as flows are',
      ),
      row(
        'flow-match',
        'a change needs `If-Match` (428); what somebody else has changed meanwhile, here or on the disk, is 412 with what is there now',
        'api/flow-files > needs to know what is replaced',
        'api/flow-files > by many at once lets exactly one win, and tells the others what is there',
        'api/flow-files > over what somebody else has changed on the disk is refused',
      ),
      row(
        'flow-taken',
        'a saved flow is what the next call takes, and what flows that call it take; live calls keep theirs; a draft with errors changes no call, also after a restart',
        'api/flow-files > take the new flow when they begin after it was saved, and keep the old one when they began before',
        'api/flow-files > of a flow that calls it take it, too; a caller that it breaks stays as it was',
        'api/flow-files > refuses a text with errors, or keeps it as a draft that no call takes',
        'api/flow-files > %s changes no call, also after a restart, and is taken when it is mended',
        'api/flow-files > is not removed while another flow calls it',
      ),
      row(
        'flow-versions',
        'texts of flows are kept by their versions, and changes with who made them',
        'api/flow-files > are kept from the start and from every save, across a restart, with who saved them and their calls',
        'api/flow-files > has who changed what, with hashes before and after, and nothing that changed nothing',
      ),
      row(
        'flow-candidate',
        'a text is kept as a version that no call takes: listed, shown and drawn as versions are; refused while it has errors',
        'api/flow-canary > is kept beside the version in force, drawn, and the same when it is kept again',
        'api/flow-canary > that is the version in force stays that',
        'api/flow-canary > is refused with errors, of another flow, of none, and of one that comes with the program',
      ),
      row(
        'flow-canary',
        'a version is given to a share of the callers: always to the same ones, and a higher share takes nobody’s away',
        'api/flow-canary > takes its share of 500 callers, always the same ones, and more when it is raised',
        'api/flow-canary > knows a caller by whatever marks the number is written with, and one without a number by the call',
      ),
      row(
        'flow-graph',
        'a flow is given as a graph, as it is or as an old call ran it, to projects that have numbers or calls of it; others get 404',
        'api/flow-files > is drawn of the one in force, and of a version that an old call ran',
        'api/flow-files > is there for projects whose numbers lead to it or whose calls ran it, and not for others',
      ),
      row(
        'flow-strangers',
        'flows are read and written by the administrator alone: others get 401, or 404 where there is none',
        'api/flow-files > find nothing of it without an administrator, and are refused without credentials',
        'api/flow-trials > find none of it without an administrator, and are refused without credentials',
      ),
    ],
  },
];
