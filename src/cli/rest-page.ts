/** `docs/rest.md`: the HTTP API, with the bodies as their schemas have them. */
import { made, page, readSchema, type Tables, table } from './schema-tables.ts';

/** One row per route; the sections of bodies are below. */
const ROUTES = `| route | does |
|---|---|
| \`POST /voice/v1/call\` | dials out; body: [dial out](#dial-out) |
| \`GET /voice/v1/call\` | lists the calls of the project, the newest first |
| \`GET /voice/v1/call/{voice_id}\` | says where a call is: \`state\`, \`direction\`, and while it lives \`flow\` and \`step\` |
| \`PUT /voice/v1/call/{voice_id}/play\` | plays a prompt, or asks for digits or speech; body: [play](#play) |
| \`PUT /voice/v1/call/{voice_id}/connect\` | bridges the call to somebody else; body: [connect](#connect) |
| \`PUT /voice/v1/call/{voice_id}/transfer\` | connects the caller of a bridged call with somebody else, once they answer; body: [transfer](#transfer) |
| \`PUT /voice/v1/call/{voice_id}/forward\` | the same, and lets the old party go at once; body: [forward](#forward) |
| \`POST /voice/v1/call/{voice_id}/hold\` | puts the call on hold, or takes it back; body: [hold](#hold) |
| \`PUT /voice/v1/call/{voice_id}/recording\` | starts, pauses or stops the recording of a bridged call; body: [recording](#recording) |
| \`GET /voice/v1/recording/{recording_id}\` | is the file of a recording: WAV, whole or in parts (\`Range\`) |
| \`PUT /voice/v1/call/{voice_id}/stream\` | forks the sound of a bridged call to a web socket; 201; body: [stream](#stream) |
| \`DELETE /voice/v1/call/{voice_id}/stream\` | ends that; 201 |
| \`POST /voice/v1/call/{voice_id}/accept\` | answers an incoming call that waits for it |
| \`POST /voice/v1/call/{voice_id}/event\` | gives the call's flow an event; body: [event](#event) |
| \`DELETE /voice/v1/call/{voice_id}\` | hangs up |
| \`POST /voice/v1/conference\` | makes a conference, and dials its first member; body: [conference](#conference) |
| \`PUT /voice/v1/conference/{conference_id}\` | dials another member; body: [join a conference](#join-a-conference) |
| \`POST /voice/v1/conference/{voice_id}\` | makes a conference of a call, which is accepted where it waits for that |
| \`PUT /voice/v1/conference/{voice_id}/{conference_id}\` | takes a call into a conference, accepted in the same way |
| \`GET /voice/v1/conference/{conference_id}\` | shows it and its participants, until an hour after its end |
| \`PUT /voice/v1/conference/{conference_id}/participant/{voice_id}\` | mutes or holds a member; body: [participant](#participant) |
| \`DELETE /voice/v1/conference/{conference_id}\` | ends it; calls that were made for it are hung up |
| \`POST /voice/v1/room/{room_id}/join\` | dials out, and joins a room on connect; body: [join a room](#join-a-room) |
| \`PUT /voice/v1/room/{room_id}/call/{voice_id}/join\` | takes a call into a room |
| \`GET /health\` | 200 when calls are taken, 503 while the service stops; no credentials |`;

const ALIASES = `\`PUT\` and \`POST\` are alike on \`play\`, \`connect\`, \`hold\` and \`accept\`; \`/voice/v1/calls\` is \`/voice/v1/call\`; trailing slashes do not matter.

A prompt or a bridge that is asked for before the call is answered waits until it is. What is told later comes as [events](webhooks.md).`;

const ERRORS = `| status | \`result\` | when |
|---|---|---|
| 400 | 400 | the body is no JSON, or does not fit; \`hint\` says what to do |
| 400 | 400 | a prompt for a call that is over |
| 400 | 6118 | a call out: \`from\` is not a number of the project |
| 401 | 401 | no credentials, or wrong ones |
| 404 | 404 | no such call, recording, conference or room, or it is another project's |
| 404 | 6110 | there is no way to the number, or nothing here that bridges or streams; no such flow |
| 404 | 6118 | a call that is up: \`from\` is not a number of the project |
| 405 | 6112 | the call is bridged: nothing can be played |
| 406 | 6117 | the voice or the language is not there |
| 408 | 408 | the call is already being recorded |
| 408 | 6114 | another prompt is playing |
| 409 | 409 | the call is not bridged, or in a state that does not take this; a recording of this name is there; the conference has ended |
| 416 | 416 | the recording has no such part |
| 422 | 422 | the flow in the body does not compile (\`diagnostics\`), or its input does not fit |
| 429 | 429 | too many requests; \`Retry-After\` says when |
| 500 | 500 | our own failure |
| 500 | 6119 | the recording could not be started |
| 501 | 501 | documented, but not part of this version |
| 503 | 503 | no room for another call |
| 503 | 6107 | the text could not be made into sound |`;

const EXAMPLE = `\`\`\`sh
curl -u APP_ID:APP_KEY http://127.0.0.1:8080/voice/v1/call -H 'content-type: application/json' \\
  -d '{"from": "1000", "to": "+33612345678", "flow": "survey", "input": {"customer": "c-17"},
       "event_url": "https://shop.example/events"}'
\`\`\`
\`\`\`json
{ "voice_id": "3f2c…", "state": "initiated", "status": "initiated", "msg": "", "from": "1000", "to": "+33612345678", "timestamp": "…" }
\`\`\``;

/** Bodies with a section of their own. */
export const REQUESTS: readonly [title: string, schema: string][] = [
  ['Dial out', 'dial-out'],
  ['Play', 'play'],
  ['Connect', 'connect'],
  ['Transfer', 'transfer'],
  ['Forward', 'forward'],
  ['Hold', 'hold'],
  ['Recording', 'recording'],
  ['Stream', 'stream'],
  ['Event', 'event'],
  ['Conference', 'conference'],
  ['Join a conference', 'conference-join'],
  ['Participant', 'participant'],
  ['Join a room', 'room-join'],
  ['Answering an event', 'answer'],
];

export function restPage(): string {
  const tables: Tables = { defs: {}, sections: {} };
  const section = (title: string, name: string): string[] => {
    const schema = readSchema(`api/${name}`);
    return [`## ${title}`, schema.description ?? '', table(schema, tables)];
  };
  return page(
    '# The API',
    made('rest'),
    'JSON over HTTP, on `http://127.0.0.1:8080` unless configured otherwise. Every request carries Basic credentials, `app_id:app_key`. Every response but a recording is one JSON document, errors included; it leaves before the first event that the request causes ([webhooks.md](webhooks.md)).',
    ROUTES,
    ALIASES,
    EXAMPLE,
    ...REQUESTS.flatMap(([title, name]) => section(title, name)),
    '## Errors',
    'The body has `result`, `msg`, `state: failed`, where there is one `hint`, and what is known of the call.',
    ERRORS,
  );
}
